"""What the door takes in and what it answers: one shape for every source (RC1)."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from contracts.base import Contract


class DoorOutcome(StrEnum):
    """What became of one delivery that was answered with success."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    DUPLICATE_OF_DELETED = "duplicate_of_deleted"
    DELIVERY_EVENT = "delivery_event"
    IGNORED = "ignored"


class PoisonReason(StrEnum):
    """Why a stored mail waits for a person before it can become a message (RC11, RC11a, RC20)."""

    BAD_JSON = "bad_json"
    MISSING_FIELD = "missing_field"
    EMPTY = "empty"
    OVER_SIZE = "over_size"
    PARSER_ERROR = "parser_error"
    PARSER_TIMEOUT = "parser_timeout"
    UNKNOWN_RECIPIENT = "unknown_recipient"
    DUPLICATE_THERE = "duplicate_there"


class Delivery(Contract):
    """One verified delivery by a source. `raw` is kept unchanged; `detail` says where reading failed."""

    source: str
    provider_event_id: str = ""
    event_type: str = ""
    raw: bytes
    raw_kind: str = "rfc822"
    envelope_sender: str | None = None
    envelope_recipients: tuple[str, ...] = ()
    message_id: str = ""
    from_address: str = ""
    date: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    body_digest: str = ""
    verdicts: dict[str, Any] = {}
    poison: PoisonReason | None = None
    detail: str = ""


class Accepted(Contract):
    """The answer to a delivery: the ids stay the same for every repeat."""

    outcome: DoorOutcome
    message_ids: tuple[UUID, ...] = ()
    poison: PoisonReason | None = None
    at: datetime | None = None

    @property
    def duplicate(self) -> bool:
        """Was it known already?"""
        return self.outcome in (DoorOutcome.DUPLICATE, DoorOutcome.DUPLICATE_OF_DELETED)
