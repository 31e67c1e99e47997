"""What becomes of an approved reply: sent, failed, doubtful, withdrawn; the outbox row is the evidence (E19-E21,
OB4)."""

from datetime import timedelta
from uuid import UUID

from activities.lifecycle import approving
from activities.lifecycle.review import feedback_of_sending, wrong_status
from activities.lifecycle.work import NOTHING, Answer, Change, Refused, Work
from activities.ports import Row
from contracts.lifecycle import ResolveDelivery, SendResult, UndoSend, Withdraw
from contracts.status import TERMINAL, ArchiveReason, HoldReason, OutboxState, Result, Status

WENT_OUT = frozenset({OutboxState.SENT, OutboxState.BOUNCED})


async def undo_send(work: Work, act: UndoSend) -> Answer:
    """E20 by a person: undo and claim race on one row, and the caller learns who won (OB5)."""
    row = await work.tx.one("review_live_outbox", work.id, approving.REPLY)
    refused = _refuse_undo(work, row["state"] if row else None)
    if refused is not None or row is None:
        return refused or wrong_status(work, "only an approved reply can be undone")
    return await _back_to_review(work, row["id"], "user_undo")


def _refuse_undo(work: Work, state: str | None) -> Refused | None:
    if state in WENT_OUT:
        return Refused(Result.ALREADY_SENT, "The reply was handed over; it cannot be undone.")
    if state in (OutboxState.SENDING, OutboxState.AMBIGUOUS):
        return Refused(Result.ALREADY_SENDING, "The reply is being handed over right now.")
    if work.status in TERMINAL:
        return Refused(Result.TERMINAL, f"This message is already {work.status}; nothing was changed.")
    if work.status is not Status.APPROVED or state != OutboxState.READY:
        return wrong_status(work, "only an approved reply can be undone")
    return None


async def withdraw(work: Work, act: Withdraw) -> Answer:
    """E20 by rule; a row already cancelled by the claim's own check counts as withdrawn, a newer decision stays."""
    if work.status is not Status.APPROVED:
        return NOTHING
    live = await work.tx.one("review_live_outbox", work.id, approving.REPLY)
    if live is not None and live["id"] != act.outbox_id and live["state"] in (OutboxState.READY, OutboxState.SENDING):
        return NOTHING
    row = await work.tx.one("review_outbox", act.outbox_id)
    if row is None or row["state"] not in (OutboxState.READY, OutboxState.CANCELLED):
        return Refused(Result.ALREADY_SENDING, "The reply is being handed over already.")
    return await _back_to_review(work, act.outbox_id, act.reason)


async def _back_to_review(work: Work, outbox_id: UUID, reason: str) -> Answer:
    await work.tx.run("review_cancel_outbox", outbox_id, reason)
    await work.tx.run("review_clear_approval", work.id)
    await work.move(Status.DRAFT_READY)
    return Change(Status.DRAFT_READY, reason)


async def send_result(work: Work, act: SendResult) -> Answer:
    """Reads the outbox row and moves the message where the row already is."""
    row = await work.tx.one("review_outbox", act.outbox_id)
    if row is None or work.status is not Status.APPROVED:
        return NOTHING
    if row["state"] in WENT_OUT:
        return await _sent(work, "handed_over")
    if row["state"] == OutboxState.FAILED_SAFE:
        await work.move(Status.FAILED)
        await work.tx.run("step_set_failure", work.id, "send", "DeliveryRefused", row["detail"], None, None)
        return Change(Status.FAILED, "delivery_refused")
    if row["state"] in (OutboxState.AMBIGUOUS, OutboxState.SENDING):
        await work.tx.run("review_outbox_ambiguous", act.outbox_id)
        await work.hold(HoldReason.DELIVERY_AMBIGUOUS, None)
        return Change()
    return NOTHING


async def _sent(work: Work, reason: str) -> Answer:
    await work.move(Status.SENT)
    await work.tx.run("review_thread_after_send", work.thread_id, work.message["resolve_on_send"])
    if work.message["contact_id"] is not None:
        await work.tx.run("review_contact_answered", work.message["contact_id"])
        summary = (work.message["draft_subject"] or "")[:120]
        await work.tx.run("step_activity", work.mailbox_id, work.message["contact_id"], "reply_sent", work.id, summary)
    await feedback_of_sending(work)
    return Change(Status.SENT, reason)


async def resolve_delivery(work: Work, act: ResolveDelivery) -> Answer:
    """A person says what became of a doubtful delivery; nothing is sent again by itself (OB10)."""
    if work.status is not Status.APPROVED or work.message["hold_reason"] != HoldReason.DELIVERY_AMBIGUOUS:
        return wrong_status(work, "only a doubtful delivery can be settled")
    row = await work.tx.must("review_live_outbox", work.id, approving.REPLY)
    if act.how != "went_out" and row["state"] in WENT_OUT:
        return Refused(Result.ALREADY_SENT, "It is proved meanwhile that the reply went out.")
    if act.how == "went_out":
        await work.tx.run("review_outbox_went_out", row["id"], f"confirmed by {work.command.actor}")
        return await _sent(work, "went_out")
    if act.how == "close":
        await work.move(Status.ARCHIVED, archived=ArchiveReason.DISMISSED)
        return Change(Status.ARCHIVED, "delivery_closed")
    return await _send_again(work, row)


async def _send_again(work: Work, row: Row) -> Answer:
    send_at = await work.tx.value("clock") + timedelta(milliseconds=work.config["human_undo_ms"])
    await approving.new_outbox_row(
        work,
        automatic=False,
        by=work.command.actor,
        revision=row["revision"],
        text=work.message["draft_response"],
        seen=await work.tx.value("review_newest_id", work.thread_id),
        findings=tuple(row["confirmed_findings"]),
        send_at=send_at,
        decision_id=row["decision_id"],
        previous=row["id"],
    )
    await work.tx.run("review_resume_sending", work.id, send_at)
    return Change(reason="send_again")
