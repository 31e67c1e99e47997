"""Writing on a thread that holds nothing open: decision and outbox row under a followup slot; no old status changes
(P97a)."""

import secrets
from datetime import timedelta
from typing import Any
from uuid import uuid5

from temporalio import activity

from activities.faults import named_faults
from activities.lifecycle import approving
from activities.lifecycle.person_text import add_person_text
from activities.lifecycle.writer import lock_message
from activities.ports import Database, Transaction
from contracts.barriers import barrier
from contracts.follow_up import FollowUpAct, FollowUpCommand, FollowUpView
from contracts.status import OutboxState, Result


class FollowUp:
    """The first and the later calls of a ReplyWorkflow, each one transaction."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @activity.defn(name="follow_up")
    async def apply(self, command: FollowUpCommand) -> FollowUpView:
        """Safe to repeat: the row's own state decides."""
        async with named_faults("follow_up"), self.database.transaction(lifecycle=True) as tx:
            await tx.one("lifecycle_lock_thread", await tx.value("claim_thread", command.outbox_id))
            view = await _HANDLERS[command.act](tx, command)
        await barrier(f"after_follow_up/{command.act}", command.outbox_id)
        return view


async def _place(tx: Transaction, command: FollowUpCommand) -> FollowUpView:
    """The decision, the text and the outbox row; the newest message lends its slot and keeps its status."""
    found = await tx.one("review_outbox", command.outbox_id)
    if found is not None or command.order is None:
        return _view(found, Result.OK)
    work = await lock_message(tx, command.order.message_id)
    note = await tx.one("review_note", command.order.note_id, command.order.message_id)
    if work is None or note is None or not work.message["reply_recipients"]:
        return _view(None, Result.NOT_PREPARED)
    revision = await add_person_text(work, command.actor, note["text"])
    await approving.new_outbox_row(
        work,
        automatic=False,
        by=command.actor,
        revision=revision,
        text=note["text"],
        seen=await tx.value("review_newest_id", work.thread_id),
        findings=tuple({"finding_id": f, "reason_note_id": None} for f in command.order.confirmed_findings),
        send_at=await tx.value("clock") + timedelta(milliseconds=work.config["human_undo_ms"]),
        decision_id=None,
        slot=f"followup:{await tx.value('follow_up_number', work.id)}",
        outbox_id=command.outbox_id,
    )
    return _view(await tx.one("review_outbox", command.outbox_id), Result.OK)


async def _look(tx: Transaction, command: FollowUpCommand) -> FollowUpView:
    return _view(await tx.one("review_outbox", command.outbox_id), Result.OK)


async def _undo(tx: Transaction, command: FollowUpCommand) -> FollowUpView:
    cancelled = await tx.value("review_cancel_outbox", command.outbox_id, "user_undo")
    row = await tx.must("review_outbox", command.outbox_id)
    if cancelled is not None or row["state"] == OutboxState.CANCELLED:
        return _view(row, Result.OK)
    return _view(row, _TOO_LATE.get(OutboxState(row["state"]), Result.CONFLICT))


async def _settle(tx: Transaction, command: FollowUpCommand) -> FollowUpView:
    """A send that gave no answer is ambiguous; the thread waits after a send (E19 for the thread alone)."""
    await tx.run("review_outbox_ambiguous", command.outbox_id)
    row = await tx.must("review_outbox", command.outbox_id)
    if row["state"] == OutboxState.SENT:
        await tx.run("review_thread_after_send", row["thread_id"], False)
    return _view(row, Result.OK)


async def _went_out(tx: Transaction, command: FollowUpCommand) -> FollowUpView:
    row = await tx.must("review_outbox", command.outbox_id)
    if row["state"] not in (OutboxState.AMBIGUOUS, OutboxState.SENT):
        return _view(row, Result.CONFLICT)
    await tx.run("review_outbox_went_out", command.outbox_id, f"confirmed by {command.actor}")
    return await _settle(tx, command)


async def _send_again(tx: Transaction, command: FollowUpCommand) -> FollowUpView:
    """Only a person's word makes a new generation, linked and audited, with a workflow of its own (OB3).

    Its id comes from the doubtful row's, so that a repeated call finds it and makes no third one.
    """
    row = await tx.must("review_outbox", command.outbox_id)
    again = uuid5(command.outbox_id, "again")
    if row["state"] != OutboxState.AMBIGUOUS:
        return _view(row, Result.CONFLICT)
    if await tx.one("review_outbox", again) is None:
        rfc_id = f"{again}.{secrets.token_hex(8)}@{row['sender'].rpartition('@')[2]}"
        await tx.run("follow_up_again", command.outbox_id, again, rfc_id, command.actor)
        await tx.run("follow_up_start", f"reply/{again}", again, row["message_id"], row["mailbox_id"])
        await tx.run("review_sent_id", row["mailbox_id"], rfc_id, again, row["thread_id"])
    return await _close(tx, command)


async def _close(tx: Transaction, command: FollowUpCommand) -> FollowUpView:
    row = await tx.must("review_outbox", command.outbox_id)
    if row["state"] != OutboxState.AMBIGUOUS:
        return _view(row, Result.CONFLICT)
    if await tx.value("follow_up_close", command.outbox_id) is not None:
        subject = f"outbox/{command.outbox_id}"
        await tx.run("audit", row["mailbox_id"], command.actor, command.act, subject, None, None)
    return _view(row, Result.OK).model_copy(update={"closed": True})


def _view(row: Any, result: Result) -> FollowUpView:
    if row is None:
        return FollowUpView(result=Result.MESSAGE_NOT_FOUND, state=OutboxState.CANCELLED)
    state = OutboxState(row["state"])
    closed = state is OutboxState.AMBIGUOUS and row["cancel_reason"] is not None
    return FollowUpView(result=result, state=state, send_at=row["send_at"], closed=closed)


_TOO_LATE = {
    OutboxState.SENDING: Result.ALREADY_SENDING,
    OutboxState.AMBIGUOUS: Result.ALREADY_SENDING,
    OutboxState.SENT: Result.ALREADY_SENT,
    OutboxState.BOUNCED: Result.ALREADY_SENT,
}
_HANDLERS = {
    FollowUpAct.PLACE: _place,
    FollowUpAct.LOOK: _look,
    FollowUpAct.UNDO: _undo,
    FollowUpAct.SETTLE: _settle,
    FollowUpAct.WENT_OUT: _went_out,
    FollowUpAct.SEND_AGAIN: _send_again,
    FollowUpAct.CLOSE: _close,
}
