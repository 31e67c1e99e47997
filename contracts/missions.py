"""Words of missions: enums and ids that workflows, activities, tables and pages share (missions.md, parts 2 and 5)."""

from enum import StrEnum
from typing import Final


class MissionStatus(StrEnum):
    """Where a mission is. Everything but `open` and `owner_gate` is final."""

    OPEN = "open"
    OWNER_GATE = "owner_gate"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


CLOSED: Final = frozenset({MissionStatus.COMPLETED, MissionStatus.CANCELLED, MissionStatus.FAILED})


class MissionKind(StrEnum):
    """`case`: from a message with several intents; `owner`: from a goal a person gave."""

    CASE = "case"
    OWNER = "owner"


class TurnKind(StrEnum):
    """What a turn offers to its agent."""

    OWNER_INPUT = "owner_input"
    INBOX_MESSAGE = "inbox_message"
    ASSIGNED_RESULT = "assigned_result"
    HANDOFF_RESULTS = "handoff_results"
    CONTINUATION = "continuation"
    RESUME = "resume"
    RECOVERY = "recovery"


class TurnState(StrEnum):
    """A turn on its way from the queue to its end."""

    QUEUED = "queued"
    CLAIMED = "claimed"
    SENT = "sent"
    ADMITTED = "admitted"
    FINISHED = "finished"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"


class ItemKind(StrEnum):
    """What an inbox item carries; `handoff_result` and `assigned_result` name a result id."""

    OWNER_INPUT = "owner_input"
    MAIL = "mail"
    ASSIGNED_RESULT = "assigned_result"
    HANDOFF_RESULT = "handoff_result"
    TASK = "task"


class ItemState(StrEnum):
    """A queued transport; `failed` and `superseded` are final."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    SUPERSEDED = "superseded"


class EffectKind(StrEnum):
    """Privileged operations that pass the ledger."""

    LAUNCH = "launch"
    ACKNOWLEDGE = "acknowledge"
    COMPLETE = "complete"
    GATE = "gate"
    PROPOSE_DRAFT = "propose_draft"
    RESULT = "result"


class EffectState(StrEnum):
    """What became of an effect."""

    CLAIMED = "claimed"
    COMPLETED = "completed"
    REJECTED = "rejected"
    INDETERMINATE = "indeterminate"
    NOT_ADMITTED = "not_admitted"


class Stage(StrEnum):
    """Stages of one attempt and its result (M18); the order stands in domain.missions.stages."""

    REQUESTED = "requested"
    NOT_ADMITTED = "not_admitted"
    UNCERTAIN = "uncertain"
    ADMITTED = "admitted"
    WORKING = "working"
    RECOVERING = "recovering"
    RECORDED = "recorded"
    QUEUED = "queued"
    DELIVERED = "delivered"
    READ = "read"
    ACKNOWLEDGED = "acknowledged"
    RETIRED = "retired"
    FENCED = "fenced"
    CANCELLED = "cancelled"


class ResultStatus(StrEnum):
    """Set once; `complete` only ever comes from a validated submission (M69)."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    CANCELLED = "cancelled"


class Mode(StrEnum):
    """How a task was delegated."""

    ASSIGN = "assign"
    HANDOFF = "handoff"


class GateReason(StrEnum):
    """Why a mission stops before its owner. Slow work, a failed check and low confidence are no reasons (M51)."""

    SEND = "send"
    PAYMENT = "payment"
    COMMITMENT = "commitment"
    NEW_RECIPIENT_DOMAIN = "new_recipient_domain"
    AMBIGUOUS_MEANING = "ambiguous_meaning"
    IDLE_GUARD = "idle_guard"
    LIMIT_REACHED = "limit_reached"
    DELIVERY_FAILED = "delivery_failed"
    FAULT = "fault"
    INDETERMINATE_EFFECT = "indeterminate_effect"


class GateState(StrEnum):
    """An owner gate from request to use."""

    REQUESTED = "requested"
    OPEN_VISIBLE = "open_visible"
    ANSWERED = "answered"
    CONSUMED = "consumed"
    WITHDRAWN = "withdrawn"


class Capability(StrEnum):
    """What a workflow may do. There is none for sending."""

    READ = "read"
    RETRIEVE = "retrieve"
    DRAFT = "draft"
    SAVE_DRAFT = "save_draft"
    DELEGATE = "delegate"


class Pool(StrEnum):
    """The scarce things (M127)."""

    RESIDENT_MISSIONS = "resident_missions"
    MODEL_EXECUTIONS = "model_executions"
    WORK_CONTEXTS = "work_contexts"
    HEAVY_JOBS = "heavy_jobs"


class TurnEnd(StrEnum):
    """How one dispatch of a turn came back.

    `idle` is only a candidate for a final (M43); `cut` means nobody knows, which is never a final; `refused` is the
    provider's policy (M124).
    """

    FINAL = "final"
    NEEDS_ANSWERS = "needs_answers"
    ENDS_WITH_PROPOSALS = "ends_with_proposals"
    IDLE = "idle"
    IN_PROGRESS = "in_progress"
    CUT = "cut"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    NOT_ADMITTED = "not_admitted"


class InputKind(StrEnum):
    """What an owner does with an input."""

    GOAL = "goal"
    APPROVE = "approve"
    EDIT = "edit"
    INSTRUCT = "instruct"


def owner_mission_workflow_id(mailbox_id: object, idempotency_key: str) -> str:
    """The workflow of an owner mission."""
    return f"mission/{mailbox_id}/{idempotency_key}"


def task_workflow_id(parent_workflow_id: str, task_key: str, attempt_no: int, suffix: int = 0) -> str:
    """The workflow of an attempt; the id is the launch idempotency key (D5), `suffix` the recovery cycle."""
    tail = f"/r{suffix}" if suffix else ""
    return f"{parent_workflow_id}/task/{task_key}/{attempt_no}{tail}"
