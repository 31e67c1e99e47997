"""An order to send and what became of it. A channel reports what it can prove and nothing more (OB4)."""

from enum import StrEnum

from contracts.base import Contract


class HandOver(StrEnum):
    """What a channel can prove after one try."""

    SENT = "sent"
    REFUSED_TEMPORARY = "refused_temporary"
    REFUSED_PERMANENT = "refused_permanent"
    AMBIGUOUS = "ambiguous"


class Outgoing(Contract):
    """The rendered mail: the bytes are final, the envelope comes from the approved revision only (OB2, OB11)."""

    outbox_id: str
    envelope_sender: str
    recipients: tuple[str, ...]
    message_id: str
    raw: bytes


class HandOverReport(Contract):
    """`detail` holds the server's words, at most 400 characters, without mail text; `provider_id` the id assigned, if
    any."""

    result: HandOver
    detail: str = ""
    provider_id: str = ""
    assigned_message_id: str = ""
    safe_to_retry_same_bytes: bool = False
