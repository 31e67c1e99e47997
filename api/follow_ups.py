"""Replies on closed threads: placing one through the relay, taking it back, settling a doubtful one (P97a)."""

import asyncio
import time
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel

from adapters.reviews import NoAnswer, NoOpenWorkflow
from api.acts import Asked, Note
from api.desk import LOOK_EVERY_S, NO_ANSWER, PATIENCE_S, AtDesk, Desk, digest
from api.docs import REFUSALS
from api.errors import ApiError, not_found, unavailable
from contracts.base import Contract
from contracts.follow_up import FollowUpAct, FollowUpOrder, FollowUpRequest, FollowUpSettle, FollowUpView
from contracts.status import OutboxState, Result
from contracts.workflow import ReplyStart

router = APIRouter(prefix="/api/replies", tags=["conversations"], responses=REFUSALS)


class ReplyAnswer(BaseModel):
    """Where the reply stands."""

    request_id: str
    outbox_id: UUID
    message_id: UUID
    thread_id: UUID
    reply_slot: str
    result: Result
    message: str
    state: OutboxState
    send_at: datetime | None
    revision: int
    repeated: bool = False


class UndoBody(Asked):
    """Take it back."""


class SettleBody(Asked):
    """Settle a doubtful delivery."""

    how: Literal["went_out", "send_again", "close"]


async def place_reply(
    desk: Desk, subject: Any, outbox_id: UUID, note: Note, confirmed: tuple[str, ...], request_id: str
) -> ReplyAnswer:
    """Orders `reply/<outbox_id>` and waits for its row; the id comes from the request, so a repeat finds the same
    one."""
    begin = ReplyStart(
        outbox_id=outbox_id,
        message_id=subject["message_id"],
        mailbox_id=subject["mailbox_id"],
        actor=desk.who.actor,
        order=FollowUpOrder(message_id=subject["message_id"], note_id=note.id, confirmed_findings=confirmed),
    )
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        known = await tx.one("api_reply", outbox_id)
        if known is None:
            await tx.value(
                "api_start",
                f"reply/{outbox_id}",
                "ReplyWorkflow",
                begin.model_dump(mode="json"),
                "reply by a person",
                False,
            )
    row = known or await _until_placed(desk, outbox_id, request_id)
    words = "Your reply leaves at the time named unless somebody undoes it."
    return await _answer(desk, row, "write_reply", request_id, Result.OK, words, repeated=known is not None)


async def _until_placed(desk: Desk, outbox_id: UUID, request_id: str) -> Any:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        async with desk.services.database.transaction(desk.who.mailboxes) as tx:
            row = await tx.one("api_reply", outbox_id)
        if row is not None:
            return row
        await asyncio.sleep(LOOK_EVERY_S)
    raise unavailable(NO_ANSWER, request_id=request_id)


@router.post("/{outbox_id}/undo_send")
async def undo_send(outbox_id: UUID, desk: AtDesk, body: UndoBody | None = None) -> ReplyAnswer:
    """Take a reply on a closed thread back before it is handed over; its text is kept."""
    request_id = desk.request_id(body.request_id if body else None)
    request = FollowUpRequest(request_id=request_id, actor=desk.who.actor)
    return await _act(desk, outbox_id, "undo_send", request, request_id, "undo", "Taken back; nothing was sent.")


@router.post("/{outbox_id}/resolve_delivery")
async def resolve_delivery(outbox_id: UUID, body: SettleBody, desk: AtDesk) -> ReplyAnswer:
    """Settle a doubtful delivery of a reply on a closed thread."""
    request_id = desk.request_id(body.request_id)
    request = FollowUpSettle(request_id=request_id, actor=desk.who.actor, how=FollowUpAct(body.how))
    return await _act(desk, outbox_id, "resolve_delivery", request, request_id, body.how, "Settled.")


async def _act(
    desk: Desk, outbox_id: UUID, action: str, request: Contract, request_id: str, how: str, words: str
) -> ReplyAnswer:
    desk.who.require("review", role="reviewer")
    key = digest(desk.who.actor, action, outbox_id, how)
    row = await _row(desk, outbox_id)
    known = await _known(desk, row, request_id, key)
    if known is not None:
        return await _answer(desk, row, action, request_id, Result(known["result"]), known["message"], repeated=True)
    try:
        view = await desk.services.desk.ask(f"reply/{outbox_id}", action, request, FollowUpView, request_id)
        result = view.result
    except NoOpenWorkflow:
        result = _closed(row, action)
    except NoAnswer as fault:
        raise unavailable(NO_ANSWER, request_id=request_id) from fault
    message = words if result is Result.OK else _why(result)
    await _remember(desk, row, request_id, action, key, {"result": result, "message": message})
    return await _answer(desk, await _row(desk, outbox_id), action, request_id, result, message, repeated=False)


def _closed(row: Any, action: str) -> Result:
    if row["state"] == OutboxState.CANCELLED and row["cancel_reason"] == "user_undo" and action == "undo_send":
        return Result.OK
    return Result.ALREADY_SENT if row["state"] in (OutboxState.SENT, OutboxState.BOUNCED) else Result.CONFLICT


def _why(result: Result) -> str:
    return {
        Result.ALREADY_SENDING: "The reply is being handed over right now.",
        Result.ALREADY_SENT: "The reply was handed over; it cannot be changed any more.",
    }.get(result, "This reply is not in a state in which that is possible.")


async def _row(desk: Desk, outbox_id: UUID) -> Any:
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        row = await tx.one("api_reply", outbox_id)
    if row is None or not row["reply_slot"].startswith("followup:"):
        raise not_found("reply on a closed thread")
    return row


async def _known(desk: Desk, row: Any, request_id: str, key: str) -> Any:
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        known = await tx.one("api_known_request", row["mailbox_id"], request_id)
    if known is not None and known["digest"] != key:
        raise ApiError(
            409, "conflict", "The same request id was used before for another action.", request_id=request_id
        )
    return known["outcome"] if known else None


async def _remember(desk: Desk, row: Any, request_id: str, action: str, key: str, outcome: dict[str, Any]) -> None:
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        await tx.run(
            "api_remember_request",
            row["mailbox_id"],
            request_id,
            row["message_id"],
            desk.who.actor,
            action,
            key,
            outcome,
        )


async def _answer(
    desk: Desk, row: Any, action: str, request_id: str, result: Result, message: str, *, repeated: bool
) -> ReplyAnswer:
    answer = ReplyAnswer(
        request_id=request_id,
        outbox_id=row["id"],
        message_id=row["message_id"],
        thread_id=row["thread_id"],
        reply_slot=row["reply_slot"],
        result=result,
        message=message,
        state=row["state"],
        send_at=row["send_at"],
        revision=row["revision"],
        repeated=repeated,
    )
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        await desk.audit(tx, row["mailbox_id"], f"outbox/{row['id']}", action, answer)
    if result is Result.OK:
        return answer
    body = answer.model_dump(mode="json")
    raise ApiError(409, body["result"], body.pop("message"), **body)
