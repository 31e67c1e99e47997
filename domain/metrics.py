"""Numbers are only watched if they always mean the same: which windows are due, what counts as a failed model call, and
when an accuracy may call itself measured (15.1, P93, P94)."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

from contracts.base import Contract

WINDOW = timedelta(minutes=5)
# A window is looked at again for rows that were committed late, and filled in after a worker was away.
LATE = 2 * WINDOW
FILL_IN = timedelta(hours=24)
LABELS_NEEDED = 20

FAILED_CALLS = frozenset(
    {
        "schema_invalid", "bad_key", "unknown_model", "rate_limited", "timeout", "unreachable", "server_error",
        "malformed", "rejected",
    }
)  # fmt: skip
# Neither good nor bad: cancelled by a person, or made again at once without a parameter the endpoint declined (P94).
UNFINISHED_CALLS = frozenset({"cancelled", "unsupported"})


class Metric(StrEnum):
    """What is rolled up per mailbox."""

    QUEUE_DEPTH = "queue_depth"
    HELD_DEPTH = "held_depth"
    PROCESSING_LATENCY = "processing_latency"
    ERROR_RATE = "error_rate"
    CLASSIFICATION_ACCURACY = "classification_accuracy"
    AUTO_APPROVE_RATIO = "auto_approve_ratio"
    REJECTION_RATE = "rejection_rate"
    LLM_COST = "llm_cost"


class Basis(StrEnum):
    """What an accuracy rests on: what reviewers said, or only the model's own confidence."""

    LABELLED = "labelled"
    SELF_REPORTED = "self_reported"


class RollupRequest(Contract):
    """Argument of the rollup; it needs nothing but the clock of the database."""


class RollupReport(Contract):
    """What one rollup did: mailboxes looked at and skipped for a fault, values written, breakers moved, mails woken."""

    mailboxes: int = 0
    skipped: int = 0
    values: int = 0
    breakers_moved: int = 0
    woken: int = 0


class RetentionRequest(Contract):
    """Argument of the daily clean-up; the windows come from the settings."""


class RetentionReport(Contract):
    """Rows deleted, by what they were."""

    deleted: dict[str, int] = {}


def window_of(moment: datetime) -> datetime:
    """The start of the window a moment falls into; windows begin at whole multiples of five minutes, in UTC."""
    if moment.tzinfo is None:
        raise ValueError("a time without a zone falls into no window")
    seconds = int(WINDOW.total_seconds())
    return datetime.fromtimestamp(int(moment.timestamp()) // seconds * seconds, UTC)


def windows_due(now: datetime, newest: datetime | None) -> tuple[datetime, datetime]:
    """Start of the first window to roll up, and the end of the last; only windows that are over.

    `newest` is the newest window on record. It and its predecessor are done again for late rows; a gap is filled.
    """
    until = window_of(now)
    oldest = until - FILL_IN
    if newest is None:
        return oldest, until
    again = window_of(newest) + WINDOW - LATE
    return max(oldest, min(again, until - LATE)), until


def latest_window(now: datetime) -> datetime:
    """The window that ended last; what can only be seen now, such as the queue, is written under it."""
    return window_of(now) - WINDOW
