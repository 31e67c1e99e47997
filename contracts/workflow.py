"""Arguments and results of workflows, their handlers and the activities that are not steps."""

from enum import StrEnum
from uuid import UUID

from pydantic import Field

from contracts.base import Contract
from contracts.follow_up import FollowUpOrder
from contracts.lifecycle import (
    Approve,
    Archive,
    Command,
    Reassign,
    Reject,
    Release,
    RequestDraft,
    ResolveDelivery,
    Restore,
    Retry,
    UndoSend,
    WriteReply,
)
from contracts.status import Status

HumanAct = (
    Approve
    | Reject
    | Reassign
    | Release
    | Retry
    | Restore
    | UndoSend
    | RequestDraft
    | WriteReply
    | Archive
    | ResolveDelivery
)


class MessageStart(Contract):
    """What the relay hands to `message/<id>`; `restore` carries the command of a restart after the end (P29)."""

    message_id: UUID
    restore: Command | None = None
    resumed: bool = False


class MessageEnd(Contract):
    """How a message ended."""

    message_id: UUID
    status: Status | None
    poisoned: bool = False


class HumanRequest(Contract):
    """A reviewer's Update: who, under which request id, and what."""

    request_id: str = Field(min_length=8, max_length=100)
    actor: str
    act: HumanAct = Field(discriminator="kind")


class SignalDecision(Contract):
    """The twin signals `approve` and `reject` for the command line and the Web UI (P99)."""

    request_id: str = ""
    revision: int | None = None
    seen_message_id: UUID | None = None
    confirmed_findings: tuple[str, ...] = ()


class Wake(Contract):
    """The signal of the wake queue."""

    cause: str = ""


class ParseRequest(Contract):
    """Parse the stored bytes; `deliver_to` first sets the mailbox (RC11a), `stub` reads the headers only (RC11)."""

    message_id: UUID
    deliver_to: UUID | None = None
    stub: bool = False
    actor: str = "workflow"
    request_id: str = ""


class ParseResult(Contract):
    """`poison_reason` empty means parsed."""

    message_id: UUID
    mailbox_id: UUID
    poison_reason: str = ""


class PoisonRequest(Contract):
    """A person's Update on poisoned mail: `parse_again`, or `deliver_to` with the mailbox chosen."""

    request_id: str = Field(min_length=8, max_length=100)
    actor: str
    mailbox_id: UUID | None = None


class DeliverRequest(Contract):
    """Hand the outbox row over once."""

    outbox_id: UUID
    message_id: UUID
    mailbox_id: UUID


class DeliverState(StrEnum):
    """What the send activity came to; details stand in the outbox row."""

    NOT_CLAIMED = "not_claimed"
    WITHDRAWN = "withdrawn"
    SENT = "sent"
    FAILED_SAFE = "failed_safe"
    FAILED_PERMANENT = "failed_permanent"
    AMBIGUOUS = "ambiguous"


class DeliverResult(Contract):
    """`retry_in_s` is set where the row is ready for another try."""

    state: DeliverState
    retry_in_s: int | None = None


class ReplyStart(Contract):
    """What the relay hands to `reply/<outbox_id>`; `order` is empty where the row was made by "send again" (P97a)."""

    outbox_id: UUID
    message_id: UUID
    mailbox_id: UUID
    actor: str = "workflow"
    order: FollowUpOrder | None = None
