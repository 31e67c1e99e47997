"""What crosses between the workflows of knowledge and their activities: ids and counts, never a text."""

from enum import StrEnum
from uuid import UUID

from contracts.base import Contract


class UpkeepRequest(Contract):
    """One round of upkeep over all mailboxes."""


class UpkeepReport(Contract):
    """What one round did; all zero is a quiet one."""

    vectors: int = 0
    expired: int = 0
    merged: int = 0
    contradictions: int = 0
    failed: int = 0


class MiningRequest(Contract):
    """One round over mail that came through since `ai.knowledge` was switched on; at most `most` messages."""

    most: int = 50


class MiningReport(Contract):
    """Messages looked at, claims stored, messages without any, and calls that failed."""

    scanned: int = 0
    extracted: int = 0
    skipped: int = 0
    errors: int = 0


class BackfillStatus(StrEnum):
    """Where a backfill stands; `stopped` = one of its flags was switched off."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    CANCELLED = "cancelled"
    DONE = "done"


class BackfillStart(Contract):
    """What the relay hands to `knowledge-backfill/<job_id>/<run_no>`."""

    job_id: UUID
    mailbox_id: UUID
    run_no: int


class BackfillChunk(Contract):
    """After one chunk: `more` says whether this run goes on, `wait_s` how long it rests before it does."""

    more: bool
    wait_s: int = 0
