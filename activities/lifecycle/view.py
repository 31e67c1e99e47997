"""Reading the view a workflow acts on; kept apart from writing so that a wake can read without a lock."""

from typing import Any
from uuid import UUID

from temporalio import activity

from activities.ports import Transaction
from contracts.lifecycle import Outcome, View
from contracts.status import ArchiveReason, Status

_OVER = {"status": Status.ARCHIVED, "archive_reason": ArchiveReason.SUPERSEDED}


async def read_view(tx: Transaction, message_id: UUID) -> View | None:
    """The newest view of a message, or None if no such message was received."""
    row = await tx.one("lifecycle_view", message_id)
    return None if row is None else _view(row)


async def seen_by_caller(tx: Transaction, outcome: Outcome) -> Outcome:
    """A workflow that a restored message has left behind is told that its own story ended, so that it closes: two open
    ones would do every step twice (P29)."""
    view = outcome.view
    if view is None or view.run_no == 1 or not activity.in_activity():
        return outcome
    caller = activity.info().workflow_id or ""
    if not caller.startswith("message/") or caller == await tx.value("lifecycle_workflow", view.message_id):
        return outcome
    return outcome.model_copy(update={"view": view.model_copy(update=_OVER)})


def _view(row: Any) -> View:
    return View(
        message_id=row["id"],
        mailbox_id=row["mailbox_id"],
        thread_id=row["thread_id"],
        status=row["processing_status"],
        seq=row["lifecycle_seq"],
        run_no=row["run_no"],
        restart_no=row["restart_no"],
        step=row["current_step"],
        hold_reason=row["hold_reason"],
        hold_until=row["hold_until"],
        send_at=row["send_at"],
        outbox_id=row["outbox_id"],
        review_due_at=row["review_due_at"],
        review_overdue=row["review_overdue_at"] is not None,
        agent_on=row["agent_on"],
        category=row["category"] or "",
        priority=row["priority"] or "",
        archive_reason=row["archive_reason"],
        failed_step=row["failed_step"] or "",
        has_draft=row["draft_revision"] is not None,
        revision=row["draft_revision"],
        newest_message_id=row["newest_message_id"],
        now=row["now"],
    )
