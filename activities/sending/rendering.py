"""The outbox row and the mail it answers become the final bytes (OB6, SE1-SE3)."""

from datetime import datetime
from typing import Any

from contracts.delivery import Outgoing
from domain.automatic_mail import sent_marker
from domain.keys import Keyring
from domain.reply.compose import ReplyOrder, outgoing
from domain.reply.quoting import QuotedMail
from domain.reply_token import make_reply_address


def render(row: Any, message: Any, text: str, keyring: Keyring, now: datetime) -> Outgoing:
    """Renders once; a mail that was rendered before is sent as it was."""
    if row["rendered"] is not None:
        return stored_mail(row)
    return outgoing(_order(row, message, text, keyring, now), row["sender"])


def _order(row: Any, message: Any, text: str, keyring: Keyring, now: datetime) -> ReplyOrder:
    reply_to = make_reply_address(
        row["sender"],
        row["thread_id"],
        key=keyring.reply_token,
        organisation_id=message["organisation_id"],
        mailbox_id=row["mailbox_id"],
    )
    parent = message["parent_id_raw"] or message["message_id"]
    return ReplyOrder(
        outbox_id=str(row["id"]),
        message_id=f"<{row['rfc_message_id']}>",
        date=now,
        from_address=row["sender"],
        from_name=row["sender_name"],
        reply_to=reply_to or "",
        deskhand_id=sent_marker(keyring.marker, str(row["id"])),
        to=tuple(row["recipients"]),
        cc=tuple(row["cc"]),
        subject=row["subject"],
        parent_message_id=parent,
        parent_references=tuple(message["references_ids"]),
        body=text,
        quote=QuotedMail(
            sent_at=message["received_at"], name=_shown_name(message), text=message["new_text"] or message["text_body"]
        ),
        human_approved=not row["automatic"],
    )


def _shown_name(message: Any) -> str:
    """A spoofed display name is never repeated by us (AM3)."""
    if "display_name_spoof" in message["content_flags"]:
        return str(message["from_address"])
    return str(message["from_name"] or message["from_address"])


def stored_mail(row: Any) -> Outgoing:
    """The very bytes of an earlier try."""
    return Outgoing(
        outbox_id=str(row["id"]),
        envelope_sender=row["sender"],
        recipients=tuple(dict.fromkeys([*row["recipients"], *row["cc"]])),
        message_id=f"<{row['rfc_message_id']}>",
        raw=bytes(row["rendered"]),
    )
