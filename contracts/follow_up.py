"""Commands to a reply written on a closed thread, and where its outbox row stands (P97a)."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from contracts.base import Contract
from contracts.status import OutboxState, Result


class FollowUpAct(StrEnum):
    """What may happen to the row."""

    PLACE = "place"
    LOOK = "look"
    UNDO = "undo"
    SETTLE = "settle"
    WENT_OUT = "went_out"
    SEND_AGAIN = "send_again"
    CLOSE = "close"


class FollowUpOrder(Contract):
    """What a person decided: the stored text, and which findings of it were confirmed."""

    message_id: UUID
    note_id: UUID
    confirmed_findings: tuple[str, ...] = ()


class FollowUpCommand(Contract):
    """One call; the row's own state makes it safe to repeat."""

    outbox_id: UUID
    act: FollowUpAct
    actor: str = "workflow"
    order: FollowUpOrder | None = None


class FollowUpRequest(Contract):
    """A reviewer's Update on the reply."""

    request_id: str = Field(min_length=8, max_length=100)
    actor: str


class FollowUpSettle(Contract):
    """How a person settles a doubtful delivery."""

    request_id: str = Field(min_length=8, max_length=100)
    actor: str
    how: FollowUpAct


class FollowUpView(Contract):
    """Where the row is; `closed` says that a person gave up on it."""

    result: Result
    state: OutboxState
    send_at: datetime | None = None
    closed: bool = False
