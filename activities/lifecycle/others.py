"""Transitions one message causes on another of its thread: idempotent by the causing id, always with a wake (P20,
P20a)."""

from uuid import UUID

from activities.lifecycle.work import Work
from contracts.status import ArchiveReason, Status


async def other_message(work: Work, message_id: UUID) -> Work:
    """The other message, locked; its thread is locked already because it is the same one."""
    message = await work.tx.one("lifecycle_lock_message", message_id)
    return Work(tx=work.tx, command=work.command, message=message, thread=work.thread)


async def archive_other(work: Work, message_id: UUID, reason: ArchiveReason) -> None:
    """Archives a sibling as coalesced or superseded, pointing at the message of `work`."""
    other = await other_message(work, message_id)
    await other.move(Status.ARCHIVED, archived=reason, by=work.id)
    await tell(work, other, Status.ARCHIVED, reason)


async def withdraw_other(work: Work, message_id: UUID, outbox_id: UUID, reason: str) -> None:
    """Takes a pending send of the thread back to review (E20)."""
    if await work.tx.value("review_cancel_outbox", outbox_id, reason) is None:
        return
    other = await other_message(work, message_id)
    if other.status is not Status.APPROVED:
        return
    await other.move(Status.DRAFT_READY)
    await other.tx.run("review_clear_approval", other.id)
    await tell(work, other, Status.DRAFT_READY, reason)


async def supersede_older(work: Work) -> None:
    """Older drafts of the thread give way to this one; a person's text on them is offered here (P52)."""
    rows = await work.tx.rows("step_older_drafts", work.thread_id, work.id, work.message["received_at"])
    for row in rows:
        if (row["author"] or "").startswith("user:"):
            await work.tx.run("step_offer_text", work.id, row["id"])
        await archive_other(work, row["id"], ArchiveReason.SUPERSEDED)


async def give_way(work: Work) -> bool:
    """A draft that comes late, after a newer mail's own, is superseded at once: one current draft per thread (C30)."""
    newer = await work.tx.one("step_newer_draft", work.thread_id, work.id)
    if newer is None:
        return False
    late = await other_message(work, work.id)
    await late.move(Status.ARCHIVED, archived=ArchiveReason.SUPERSEDED, by=newer["id"])
    cause, actor = f"superseded/{newer['id']}", work.command.actor
    values = (late.status, Status.ARCHIVED, ArchiveReason.SUPERSEDED, True, "")
    await work.tx.run("lifecycle_event", work.id, cause, actor, *values)
    await work.tx.run("lifecycle_project_thread", work.thread_id)
    return True


async def tell(work: Work, other: Work, to: Status, reason: str) -> None:
    """Event and wake of the other message."""
    cause = f"{reason}/{work.id}"
    await other.tx.run("lifecycle_event", other.id, cause, work.command.actor, other.status, to, reason, True, "")
    await other.wake(other.id, cause)
