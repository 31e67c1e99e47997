"""The shapes in which messages are shown: a row of a list, and one message with everything a person decides on."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from contracts.status import ArchiveReason, HoldReason, Status

MESSAGE_FIELDS = (
    "thread_id", "contact_id", "message_id", "from_address", "from_name", "reply_to", "to_addresses", "cc_addresses",
    "envelope_sender", "envelope_recipients", "subject", "text_body", "new_text", "language", "received_at",
    "thread_rule", "thread_evidence", "maybe_related_thread_id", "variant_of", "answered_by",
)  # fmt: skip
FLAG_FIELDS = ("security_flags", "content_flags", "auth_verdicts", "automatic_class", "automatic_hits")
WORK_FIELDS = (
    "run_no", "restart_no", "lifecycle_seq", "current_step", "hold_reason", "hold_until", "failed_step", "error_type",
    "error_message", "retry_count", "archive_reason", "archived_by_message_id", "exempt_reasons", "assigned_to",
    "review_due_at", "review_overdue_at", "approval_source", "approved_by", "approved_revision", "seen_message_id",
    "confirmed_findings", "send_at", "processed_at", "changed_at", "context_tier", "context_gaps", "context_tokens",
    "offered_text_revision_of", "decision_reason",
)  # fmt: skip


class MessageRow(BaseModel):
    """One message in a list, without its text."""

    id: UUID
    mailbox_id: UUID
    thread_id: UUID
    status: Status
    hold_reason: HoldReason | None
    hold_until: datetime | None
    archive_reason: ArchiveReason | None
    subject: str
    from_address: str
    from_name: str
    received_at: datetime
    changed_at: datetime
    assigned_to: UUID | None
    category: str | None
    priority: str | None
    confidence_score: float | None
    draft_revision: int | None
    review_due_at: datetime | None
    review_overdue: bool
    failed_step: str | None
    send_at: datetime | None
    offline_model: bool
    temporal: str | None


class MessagePage(BaseModel):
    """`next_cursor` is empty on the last page."""

    messages: list[MessageRow]
    next_cursor: UUID | None


class ToApprove(BaseModel):
    """What `approve` wants to hear, as this answer shows it."""

    revision: int
    seen_message_id: UUID
    recipients_hash: str


class MessageDetail(BaseModel):
    """Everything about one mail. `message`, `status` and the rest are empty while it was not read, or cannot be."""

    id: UUID
    mailbox_id: UUID
    account: str
    status: Status | None
    poison: dict[str, Any] | None
    message: dict[str, Any] | None
    attachments: list[Any]
    flags: dict[str, Any]
    classification: dict[str, Any] | None
    intents: list[Any] | None
    draft: dict[str, Any] | None
    findings: list[dict[str, Any]]
    recipients: dict[str, Any] | None
    recipients_hash: str | None
    to_approve: ToApprove | None
    decision: dict[str, Any] | None
    work: dict[str, Any] | None
    steps: list[dict[str, Any]]
    events: list[dict[str, Any]]
    outbox: list[dict[str, Any]]
    links: dict[str, str | None]
