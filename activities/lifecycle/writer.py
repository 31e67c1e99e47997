"""One lifecycle call is one transaction: known cause, locks in their documented order, the change, its event
(P15-P18)."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults
from activities.lifecycle import entering, receive, review, sending, stepping
from activities.lifecycle.others import give_way
from activities.lifecycle.view import read_view, seen_by_caller
from activities.lifecycle.work import NOTHING, Answer, Change, Refused, Work
from activities.ports import Database, Transaction
from contracts.barriers import barrier
from contracts.lifecycle import HUMAN_ACTS, Command, Look, Outcome, Receive, Refusal, WriteReply
from contracts.status import TERMINAL, Result, Status
from domain.keys import Keyring

Handler = Callable[[Work, Any], Awaitable[Answer]]

HANDLERS: dict[str, Handler] = {
    "enter": entering.enter,
    "due": entering.due,
    "flag_changed": entering.flag_changed,
    "end_step": stepping.end_step,
    "fail_step": stepping.fail_step,
    "approve": review.approve,
    "reject": review.reject,
    "reassign": review.reassign,
    "release_quarantine": review.release,
    "retry": review.retry,
    "restore": review.restore,
    "request_draft": review.request_draft,
    "write_reply": review.write_reply,
    "archive": review.archive,
    "undo_send": sending.undo_send,
    "withdraw": sending.withdraw,
    "send_result": sending.send_result,
    "resolve_delivery": sending.resolve_delivery,
}
SHOWN_ON_THREAD = frozenset({Status.DRAFT_READY, Status.APPROVED, Status.SENT, Status.REJECTED})
DECIDE_THEMSELVES = frozenset({"restore", "undo_send", "send_result", "end_step", "fail_step", "resolve_delivery"})


class Lifecycle:
    """The lifecycle activity. `apply` is safe to repeat: the cause key decides, not the caller's memory."""

    def __init__(self, database: Database, keyring: Keyring) -> None:
        self.database = database
        self.keyring = keyring

    @activity.defn(name="lifecycle")
    async def apply(self, command: Command) -> Outcome:
        """Carries out one command; a lock time-out is a transient fault, every refusal is a value."""
        async with named_faults("lifecycle"), self.database.transaction(lifecycle=True) as tx:
            outcome = await seen_by_caller(tx, await apply_in(tx, command, self.keyring))
        await barrier(f"after_lifecycle/{_point(command)}", command.message_id)
        return outcome


def _point(command: Command) -> str:
    """The barrier of a command: its kind, and the step where there is one."""
    return "/".join(filter(None, (command.act.kind, getattr(command.act, "step", ""))))


async def apply_in(tx: Transaction, command: Command, keyring: Keyring) -> Outcome:
    """The same inside a transaction the caller holds (P20)."""
    if command.act.kind == "look":
        return Outcome(result=Result.OK, view=await read_view(tx, command.message_id))
    if command.act.kind == "receive":
        return await _receive(tx, command, keyring)
    work = await _lock(tx, command)
    if work is None:
        return Outcome(result=Result.MESSAGE_NOT_FOUND, refusal=Refusal(message="There is no such message."))
    known = await _known(tx, command)
    if known is not None:
        return known
    if command.request_id and await tx.one(
        "lifecycle_request_elsewhere", work.mailbox_id, command.request_id, work.id
    ):
        return await _used_before(tx, command)
    answer = _refuse_terminal(work) or await HANDLERS[command.act.kind](work, command.act)
    outcome = await _record(work, answer)
    if command.act.kind == "end_step" and outcome.to_status is Status.DRAFT_READY and await give_way(work):
        return outcome.model_copy(update={"view": await read_view(tx, command.message_id)})
    return outcome


async def _receive(tx: Transaction, command: Command, keyring: Keyring) -> Outcome:
    known = await _known(tx, command)
    if known is not None:
        return known
    note_id = command.act.reply_note_id if isinstance(command.act, Receive) else None
    if note_id is not None and await tx.one("review_note", note_id, command.message_id) is None:
        return Outcome(result=Result.NO_DRAFT, refusal=Refusal(message="The text to send was not stored."))
    there = await _lock(tx, command)
    if there is not None:
        return await _received_before(there, note_id)
    received = await receive.enter_message(tx, command, keyring)
    if received is None:
        return Outcome(result=Result.MESSAGE_NOT_FOUND, refusal=Refusal(message="There is no such parsed mail."))
    outcome = await _record(received.work, Change(), entry=True)
    await receive.settle(received, by_hand=note_id is not None)
    if note_id is not None:
        await _answer_by_hand(tx, command, note_id)
    await tx.run("lifecycle_project_thread", received.work.thread_id)
    return outcome.model_copy(update={"view": await read_view(tx, command.message_id)})


async def _received_before(work: Work, note_id: UUID | None) -> Outcome:
    """Another cause received it meanwhile; a reply by hand is then a reply like any other (P97)."""
    if note_id is None:
        return await _record(work, NOTHING)
    return await _record(work, _refuse_terminal(work) or await review.write_reply(work, WriteReply(note_id=note_id)))


async def _answer_by_hand(tx: Transaction, command: Command, note_id: UUID) -> None:
    """The reply to mail that could not be read, in the transaction of its stub row (P97)."""
    work = await _lock(tx, command)
    if work is not None:
        await review.write_reply(work, WriteReply(note_id=note_id))
        await _write_event(work, Change(Status.DRAFT_READY, "write_reply"), Status.RECEIVED, False)


async def _lock(tx: Transaction, command: Command) -> Work | None:
    found = await tx.one("lifecycle_find", command.message_id)
    if found is None:
        return None
    thread = await tx.one("lifecycle_lock_thread", found["thread_id"])
    message = await tx.one("lifecycle_lock_message", command.message_id)
    return Work(tx=tx, command=command, message=message, thread=thread)


async def lock_message(tx: Transaction, message_id: UUID) -> Work | None:
    """A message with its locks taken in order, for a caller that changes no status of it."""
    return await _lock(tx, Command(message_id=message_id, cause_key="read", actor="workflow", act=Look()))


async def _known(tx: Transaction, command: Command) -> Outcome | None:
    row = await tx.one("lifecycle_known_command", command.message_id, command.cause_key)
    if row is None:
        return None
    if row["digest"] != digest_of(command):
        return await _used_before(tx, command)
    stored = Outcome.model_validate(row["outcome"])
    return stored.model_copy(update={"repeated": True, "view": await read_view(tx, command.message_id)})


async def _used_before(tx: Transaction, command: Command) -> Outcome:
    words = "The same request id was used before for another action."
    view = await read_view(tx, command.message_id)
    return Outcome(result=Result.CONFLICT, refusal=Refusal(message=words), view=view)


def digest_of(command: Command) -> str:
    """What makes two commands the same: actor and act, not the run that sent them."""
    return hashlib.sha256(f"{command.actor}|{command.act.model_dump_json()}".encode()).hexdigest()


def _refuse_terminal(work: Work) -> Refused | None:
    if work.status not in TERMINAL or work.command.act.kind in DECIDE_THEMSELVES:
        return None
    return Refused(Result.TERMINAL, f"This message is already {work.status}; nothing was changed.")


async def _record(work: Work, answer: Answer, *, entry: bool = False) -> Outcome:
    if answer == NOTHING:
        return Outcome(
            result=Result.OK, from_status=work.status, to_status=work.status, view=await read_view(work.tx, work.id)
        )
    before = None if entry else work.status
    accepted = isinstance(answer, Change)
    if isinstance(answer, Refused):
        answer = await _name_the_author(work, answer)
        await work.tx.run("lifecycle_touch", work.id)
    elif _target(answer) is None and not entry and work.command.act.kind in HUMAN_ACTS:
        await _own_seq(work)
    if entry or not accepted or _target(answer) is not None or work.command.act.kind in HUMAN_ACTS:
        await _write_event(work, answer, before, entry)
    if accepted and {before, _target(answer)} & SHOWN_ON_THREAD:
        await work.tx.run("lifecycle_project_thread", work.thread_id)
    outcome = _outcome(work, answer, before, entry)
    await _remember(work, outcome)
    return outcome.model_copy(update={"view": await read_view(work.tx, work.id)})


async def _own_seq(work: Work) -> None:
    """A person's act that changed nothing still has an event, and an event has a seq to itself."""
    await work.tx.run("lifecycle_touch_once", work.id, work.message["lifecycle_seq"])


def _target(answer: Answer) -> Status | None:
    return answer.to if isinstance(answer, Change) else None


async def _name_the_author(work: Work, refused: Refused) -> Refused:
    if refused.by:
        return refused
    row = await work.tx.one("review_event_author", work.id)
    return Refused(**{**vars(refused), "by": row["actor"], "at": row["at"]}) if row else refused


async def _write_event(work: Work, answer: Answer, before: Status | None, entry: bool) -> None:
    to = _to(work, answer, entry)
    reason = answer.reason or (answer.result.value if isinstance(answer, Refused) else "")
    await work.tx.run(
        "lifecycle_event",
        work.id,
        work.command.cause_key,
        work.command.actor,
        before or "",
        to or "",
        reason,
        isinstance(answer, Change),
        work.command.workflow_run_id,
    )


def _to(work: Work, answer: Answer, entry: bool) -> Status | None:
    if entry:
        return Status.RECEIVED
    return answer.to if isinstance(answer, Change) else None


def _outcome(work: Work, answer: Answer, before: Status | None, entry: bool) -> Outcome:
    if isinstance(answer, Change):
        return Outcome(result=Result.OK, from_status=before, to_status=_to(work, answer, entry) or before)
    return Outcome(
        result=answer.result,
        from_status=before,
        refusal=Refusal(
            message=answer.message,
            by=answer.by,
            at=answer.at,
            current_revision=answer.current_revision,
            newer_message_id=answer.newer_message_id,
        ),
    )


async def _remember(work: Work, outcome: Outcome) -> None:
    command, digest, stored = work.command, digest_of(work.command), outcome.model_dump_json()
    await work.tx.run("lifecycle_remember", command.message_id, command.cause_key, digest, stored)
    if command.request_id:
        await work.tx.run(
            "lifecycle_remember_request",
            work.mailbox_id,
            command.request_id,
            command.message_id,
            command.actor,
            command.act.kind,
            digest,
            stored,
        )


def message_workflow_id(message_id: UUID) -> str:
    """The workflow of a message."""
    return f"message/{message_id}"
