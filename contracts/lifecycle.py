"""Commands to the one writer of status, and what it answers. A workflow sends ids, enums, numbers only (P16, P23)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from contracts.base import Contract
from contracts.status import ArchiveReason, HoldReason, Result, Status, StepKind


class Receive(Contract):
    """E1: enter a parsed message; decides thread, contact, coalescing, withdrawals and blocked senders (P11).

    `reply_note_id` answers poisoned mail by hand: the stub row and the reply are one transaction (P97).
    """

    kind: Literal["receive"] = "receive"
    reply_note_id: UUID | None = None


class Enter(Contract):
    """E2-E4: leave `received` for the step that is due, or take a hold."""

    kind: Literal["enter"] = "enter"


class EndStep(Contract):
    """A step ran to its end; `to` is empty for `in_state` and `done`."""

    kind: Literal["end_step"] = "end_step"
    step: StepKind
    to: Status | None = None
    next_step: StepKind | None = None
    reason: str = ""
    hold: HoldReason | None = None


class FailStep(Contract):
    """E26: a step gave up."""

    kind: Literal["fail_step"] = "fail_step"
    step: StepKind
    error_type: str
    permanent: bool


class Due(Contract):
    """A durable timer ended: whatever the row says is due now happens (E23, E5 automatic, review overdue)."""

    kind: Literal["due"] = "due"
    what: Literal["retry", "automatic", "review"]


class Look(Contract):
    """Re-read the status; writes nothing (P20a)."""

    kind: Literal["look"] = "look"


class Approve(Contract):
    """E15, also for an edit: `revision` is the one to send, `base_revision` the one the reviewer saw when editing."""

    kind: Literal["approve"] = "approve"
    revision: int | None = None
    base_revision: int | None = None
    edited: bool = False
    seen_message_id: UUID | None = None
    recipients_hash: str | None = None
    confirmed_findings: tuple[str, ...] = ()
    reason_note_id: UUID | None = None
    resolve: bool = False
    source: Literal["human", "signal"] = "human"


class Reject(Contract):
    """E16."""

    kind: Literal["reject"] = "reject"
    note_id: UUID | None = None


class Reassign(Contract):
    """Sets or clears who owns the message; no transition."""

    kind: Literal["reassign"] = "reassign"
    to_user: UUID | None = None


class Release(Contract):
    """E22."""

    kind: Literal["release_quarantine"] = "release_quarantine"


class Retry(Contract):
    """E23 or E24."""

    kind: Literal["retry"] = "retry"
    from_: Literal["failed_step", "security_scan"] = "failed_step"


class Restore(Contract):
    """E25."""

    kind: Literal["restore"] = "restore"


class UndoSend(Contract):
    """E20 by a person."""

    kind: Literal["undo_send"] = "undo_send"


class RequestDraft(Contract):
    """E17, or the end of a hold."""

    kind: Literal["request_draft"] = "request_draft"
    instructions_id: UUID | None = None


class WriteReply(Contract):
    """E28: the stored text `note_id` becomes the current revision."""

    kind: Literal["write_reply"] = "write_reply"
    note_id: UUID


class Archive(Contract):
    """E27."""

    kind: Literal["archive"] = "archive"
    reason: ArchiveReason = ArchiveReason.DISMISSED
    by_message_id: UUID | None = None


class Withdraw(Contract):
    """E20 by rule: a pending send goes back to review."""

    kind: Literal["withdraw"] = "withdraw"
    outbox_id: UUID
    reason: Literal["thread_reply", "kill_switch", "presend_check"]


class SendResult(Contract):
    """E19, E21 or the hold `delivery_ambiguous`, as the outbox row says."""

    kind: Literal["send_result"] = "send_result"
    outbox_id: UUID


class ResolveDelivery(Contract):
    """A person settles a doubtful delivery (P97)."""

    kind: Literal["resolve_delivery"] = "resolve_delivery"
    how: Literal["went_out", "send_again", "close"]


class FlagChanged(Contract):
    """The agent flag of the mailbox was switched on: held messages go on (P60)."""

    kind: Literal["flag_changed"] = "flag_changed"


Act = Annotated[
    Receive
    | Enter
    | EndStep
    | FailStep
    | Due
    | Look
    | Approve
    | Reject
    | Reassign
    | Release
    | Retry
    | Restore
    | UndoSend
    | RequestDraft
    | WriteReply
    | Archive
    | Withdraw
    | SendResult
    | ResolveDelivery
    | FlagChanged,
    Field(discriminator="kind"),
]

HUMAN_ACTS = frozenset(
    {
        "approve",
        "reject",
        "reassign",
        "release_quarantine",
        "retry",
        "restore",
        "undo_send",
        "request_draft",
        "write_reply",
        "archive",
        "resolve_delivery",
    }
)


class Command(Contract):
    """One lifecycle call: one transaction, idempotent by (message, `cause_key`) (P15, P16)."""

    message_id: UUID
    cause_key: str = Field(max_length=200)
    actor: str
    workflow_run_id: str = ""
    request_id: str | None = None
    act: Act


class View(Contract):
    """Where a message is, as far as its workflow needs to know; `seq` orders views."""

    message_id: UUID
    mailbox_id: UUID
    thread_id: UUID
    status: Status
    seq: int
    run_no: int = 1
    restart_no: int = 0
    step: StepKind | None = None
    hold_reason: HoldReason | None = None
    hold_until: datetime | None = None
    send_at: datetime | None = None
    outbox_id: UUID | None = None
    review_due_at: datetime | None = None
    review_overdue: bool = False
    agent_on: bool = True
    category: str = ""
    priority: str = ""
    archive_reason: ArchiveReason | None = None
    failed_step: str = ""
    has_draft: bool = False
    revision: int | None = None
    newest_message_id: UUID | None = None
    now: datetime


class Refusal(Contract):
    """Why nothing changed, said for a person: who, when, and what is there now."""

    message: str
    by: str = ""
    at: datetime | None = None
    current_revision: int | None = None
    newer_message_id: UUID | None = None


class Outcome(Contract):
    """What a command did. A repeat gives the first outcome again and writes nothing."""

    result: Result
    from_status: Status | None = None
    to_status: Status | None = None
    refusal: Refusal | None = None
    view: View | None = None
    repeated: bool = False

    @property
    def ok(self) -> bool:
        """Was the command carried out?"""
        return self.result is Result.OK
