"""The final mail, rendered once: the bytes stored in the outbox are the bytes every channel hands over (OB6).

Sender, recipients and ids come from the outbox row. Text of a model or a customer reaches the subject and the text part
and nothing else, so that it can add no field, part or recipient.
"""

from email.utils import format_datetime

from pydantic import AwareDatetime, Field

from contracts.base import Contract
from contracts.delivery import Outgoing
from domain.reply.headers import (
    NAME_LIMIT,
    clean_subject,
    field,
    name_tokens,
    one_line,
    reference_chain,
    reference_id,
    text_tokens,
)
from domain.reply.parts import ReplyAttachment, mixed_part, text_part
from domain.reply.quoting import QuotedMail, plain_text, quoted
from domain.reply.recipients import UnsendableReply, wire_address

TOKEN_LIMIT = 500


class ReplyOrder(Contract):
    """All that a reply is made of. Addresses are bare and as received; ids are those stored with the row."""

    outbox_id: str
    message_id: str = Field(description="Our own `<...>`, fixed with the row (OB2).")
    date: AwareDatetime
    from_address: str
    from_name: str = ""
    reply_to: str = Field(default="", description="The address with the reply token; empty to leave the field out.")
    deskhand_id: str = Field(default="", description="Value of X-Deskhand-Id.")
    to: tuple[str, ...] = Field(min_length=1)
    cc: tuple[str, ...] = ()
    subject: str = ""
    parent_message_id: str = Field(default="", description="Message-ID of the mail we answer, as received.")
    parent_references: tuple[str, ...] = ()
    body: str
    quote: QuotedMail | None = None
    human_approved: bool
    disclosure: str = Field(default="", description="A line for replies that no human approved (SE2).")
    attachments: tuple[ReplyAttachment, ...] = ()


def compose(order: ReplyOrder) -> bytes:
    """Render `order` as an RFC 5322 mail with CRLF line ends; the same order always gives the same bytes.

    Raises UnsendableReply if an address or one of our own ids cannot stand in a header.
    """
    text = _text(order)
    body = mixed_part(text, order.attachments) if order.attachments else text_part(text)
    return b"".join([*_address_fields(order), *_thread_fields(order), *_automatic_fields(order), body])


def outgoing(order: ReplyOrder, envelope_sender: str) -> Outgoing:
    """The rendered mail with its envelope: the recipients of the order, each once."""
    return Outgoing(
        outbox_id=order.outbox_id,
        envelope_sender=envelope_sender,
        recipients=tuple(dict.fromkeys(order.to + order.cc)),
        message_id=order.message_id,
        raw=compose(order),
    )


def _address_fields(order: ReplyOrder) -> list[bytes]:
    fields = [field("Date", [format_datetime(order.date)]), field("From", _sender(order))]
    fields += [field("Reply-To", [wire_address(order.reply_to)])] if order.reply_to else []
    fields += [_address_field("To", order.to)]
    return fields + ([_address_field("Cc", order.cc)] if order.cc else [])


def _sender(order: ReplyOrder) -> list[str]:
    address = wire_address(order.from_address)
    name = one_line(order.from_name, NAME_LIMIT)
    return [*name_tokens(name), f"<{address}>"] if name else [address]


def _address_field(name: str, addresses: tuple[str, ...]) -> bytes:
    wired = [wire_address(each) for each in addresses]
    return field(name, [f"{each}," for each in wired[:-1]] + wired[-1:])


def _thread_fields(order: ReplyOrder) -> list[bytes]:
    if reference_id(order.message_id) != order.message_id:
        raise UnsendableReply("The Message-ID of this reply is not valid; prepare the reply again.")
    parent = reference_id(order.parent_message_id)
    chain = reference_chain(order.parent_references, parent)
    fields = [field("Message-ID", [order.message_id])]
    fields += [field("In-Reply-To", [parent])] if parent else []
    fields += [field("References", chain)] if chain else []
    return [*fields, field("Subject", text_tokens(clean_subject(order.subject)))]


def _automatic_fields(order: ReplyOrder) -> list[bytes]:
    automatic = [field("Auto-Submitted", ["auto-replied"]), field("X-Auto-Response-Suppress", ["All"])]
    fields = [] if order.human_approved else automatic
    fields += [field("X-Deskhand-Id", [_token(order.deskhand_id)])] if order.deskhand_id else []
    return [*fields, field("MIME-Version", ["1.0"])]


def _token(value: str) -> str:
    if not value.isascii() or not value.isprintable() or len(value) > TOKEN_LIMIT:
        raise UnsendableReply("The X-Deskhand-Id of this reply is not a printable line; prepare the reply again.")
    return value


def _text(order: ReplyOrder) -> str:
    blocks = [order.body]
    blocks += [order.disclosure] if order.disclosure and not order.human_approved else []
    blocks += [quoted(order.quote)] if order.quote and order.quote.text.strip() else []
    return "\n".join(_ended(plain_text(block)) for block in blocks)


def _ended(block: str) -> str:
    return block if block.endswith("\n") else block + "\n"
