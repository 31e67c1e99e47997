"""The eleven statuses of a message and the reasons that go with them (P3, P9): the vocabulary all parts share."""

from enum import StrEnum


class Status(StrEnum):
    """Where a message is. Every message is in exactly one."""

    RECEIVED = "received"
    SECURITY_CHECK = "security_check"
    QUARANTINED = "quarantined"
    CLASSIFYING = "classifying"
    DRAFTING = "drafting"
    DRAFT_READY = "draft_ready"
    APPROVED = "approved"
    SENT = "sent"
    REJECTED = "rejected"
    ARCHIVED = "archived"
    FAILED = "failed"


TERMINAL = frozenset({Status.SENT, Status.REJECTED, Status.ARCHIVED})


class HoldReason(StrEnum):
    """What a message waits for when it waits for anything but a person's review (P9)."""

    COALESCING = "coalescing"
    RATE_BUDGET = "rate_budget"
    SPEND_CEILING = "spend_ceiling"
    LLM_BREAKER = "llm_breaker"
    AGENT_OFF = "agent_off"
    AUTOMATIC = "automatic"
    RETRY_TIMER = "retry_timer"
    DELIVERY_AMBIGUOUS = "delivery_ambiguous"
    MISSION = "mission"


class ArchiveReason(StrEnum):
    """Why a message was closed without a reply."""

    SPAM = "spam"
    CLASSIFIER_SPAM = "classifier_spam"
    COALESCED = "coalesced"
    SUPERSEDED = "superseded"
    SENDER_BLOCKED = "sender_blocked"
    AUTOMATIC = "automatic"
    DISMISSED = "dismissed"


RESTORABLE = frozenset(
    {ArchiveReason.SPAM, ArchiveReason.CLASSIFIER_SPAM, ArchiveReason.COALESCED, ArchiveReason.SUPERSEDED}
)


class StepKind(StrEnum):
    """The five steps of the pipeline, in walking order (P12)."""

    SECURITY_SCAN = "security_scan"
    CONTEXT_RETRIEVAL = "context_retrieval"
    CLASSIFY = "classify"
    DRAFT = "draft"
    ROUTE = "route"


class StepStatus(StrEnum):
    """State of one `agent_actions` row (P25)."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class OutboxState(StrEnum):
    """State of one order to send (OB4)."""

    READY = "ready"
    SENDING = "sending"
    SENT = "sent"
    FAILED_SAFE = "failed_safe"
    AMBIGUOUS = "ambiguous"
    CANCELLED = "cancelled"
    BOUNCED = "bounced"


class Result(StrEnum):
    """Outcome of a lifecycle command; refusals are values, never exceptions (P17)."""

    OK = "ok"
    MESSAGE_NOT_FOUND = "message_not_found"
    ILLEGAL_EDGE = "illegal_edge"
    TERMINAL = "terminal"
    CONFLICT = "conflict"
    NO_DRAFT = "no_draft"
    REPLY_IN_PROGRESS = "reply_in_progress"
    NOT_PREPARED = "not_prepared"
    ALREADY_SENDING = "already_sending"
    ALREADY_SENT = "already_sent"
