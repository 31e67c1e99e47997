"""A parsed mail: what the parser found in the raw bytes, with every doubt kept as a defect code instead of an error."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from contracts.base import Contract


class AutomaticClass(StrEnum):
    """Class A is machine mail and held; class B runs the chain but is never sent automatically."""

    NONE = "none"
    A = "A"
    B = "B"


class Address(Contract):
    """One mail address. `address` is as received, `identity` the case-folded A-label form for comparison (AM7, AM8)."""

    address: str
    identity: str
    name: str = ""


class Attachment(Contract):
    """One attachment. `name` is a safe base name of at most 200 characters; content is addressed by its SHA-256."""

    name: str
    declared_type: str
    sniffed_type: str = ""
    size_bytes: int
    sha256: str = ""
    content_id: str = ""
    delivered: bool = True
    flags: tuple[str, ...] = ()


class HiddenPassage(Contract):
    """Text of an HTML part that no reader would see, with the reason and the place it stood."""

    reason: str
    text: str
    place: str = ""


class AutomaticHit(Contract):
    """One automatic-mail rule that hit (AU1-AU14)."""

    code: str
    mail_class: AutomaticClass
    evidence: str = ""


class ParsedMail(Contract):
    """Everything the pipeline knows of one mail. Text fields are attacker text and stay out of workflow history."""

    parser_version: str
    raw_kind: str = "rfc822"
    message_id: str = ""
    message_id_raw: str = ""
    in_reply_to: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    from_: Address | None = None
    from_count: int = 1
    ambiguous_sender: bool = False
    display_name_spoof: bool = False
    reply_to: tuple[Address, ...] = ()
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    envelope_sender: str | None = None
    envelope_recipients: tuple[str, ...] = ()
    subject: str = ""
    date: datetime | None = None
    date_raw: str = ""
    text: str = Field(default="", description="Readable text chosen for reviewer and model (MI9-MI12).")
    new_text: str = Field(default="", description="What the sender wrote anew: quotes and signature split off (MI18).")
    quoted_text: str = ""
    signature: str = ""
    forwarded: bool = False
    html: str = ""
    hidden: tuple[HiddenPassage, ...] = ()
    hidden_share: float = 0.0
    maybe_hidden: bool = False
    attribute_text: tuple[HiddenPassage, ...] = ()
    language: str = ""
    attachments: tuple[Attachment, ...] = ()
    attached_mails: tuple[str, ...] = Field(
        default=(), description="One readable line for each attached message/rfc822."
    )
    calendar: tuple[str, ...] = Field(default=(), description="Facts of calendar parts as `NAME: value` lines (MI13).")
    calendar_method: str = ""
    parts_differ: bool = False
    attachment_only: bool = False
    encrypted: bool = False
    signed: bool = False
    decoded_as: tuple[str, ...] = ()
    replacements: int = 0
    headers: tuple[tuple[str, str], ...] = Field(
        default=(), description="Top-level headers in order, decoded, bounded."
    )
    defects: tuple[str, ...] = ()
