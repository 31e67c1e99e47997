"""Mail that could not be read, or is for nobody of ours: listed with its reason until a person decides (RC11, RC11a,
P119a)."""

import asyncio
import time
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel

from adapters.reviews import NoAnswer, NoOpenWorkflow, RefusedByState
from api.acts import Asked
from api.auth import Who
from api.desk import LOOK_EVERY_S, NO_ANSWER, PATIENCE_S, AtDesk, Desk, digest
from api.docs import GUARDED, REFUSALS
from api.errors import ApiError, invalid, unavailable
from api.services import Deskhand
from contracts.reception import PoisonReason
from contracts.status import Result
from contracts.workflow import ParseResult, PoisonRequest

router = APIRouter(tags=["unreadable mail"])


class PoisonRow(BaseModel):
    """One mail in the poison lane."""

    id: UUID
    mailbox_id: UUID
    mailbox: str
    reason: PoisonReason
    detail: str | None
    source: str
    raw_kind: str
    envelope_sender: str | None
    envelope_recipients: list[str]
    size_bytes: int | None
    received_at: datetime
    raw: str


class PoisonPage(BaseModel):
    """Newest first; `next_cursor` is empty on the last page."""

    poison: list[PoisonRow]
    next_cursor: UUID | None


class AgainBody(Asked):
    """Parse again."""


class DeliverBody(Asked):
    """Give the mail to a mailbox."""

    mailbox_id: UUID


class PoisonAnswer(BaseModel):
    """`poison_reason` is empty where the mail could be read now; it goes its ordinary way from there."""

    request_id: str
    message_id: UUID
    mailbox_id: UUID
    result: Result
    message: str
    poison_reason: str
    repeated: bool = False


@router.get("/api/poison", responses=GUARDED)
async def poison(
    services: Deskhand,
    who: Who,
    cursor: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 25,
) -> PoisonPage:
    """Mail that waits for a person before it can become a message."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        rows = await tx.rows("api_poison", cursor, limit + 1)
    shown = [_row(row) for row in rows[:limit]]
    return PoisonPage(poison=shown, next_cursor=shown[-1].id if len(rows) > limit else None)


def _row(row: Any) -> PoisonRow:
    named = {name: row[name] for name in PoisonRow.model_fields if name in row}
    return PoisonRow(
        **named, reason=row["poison_reason"], detail=row["poison_detail"], raw=f"/api/messages/{row['id']}/raw"
    )


@router.post("/api/messages/{message_id}/parse_again", responses=REFUSALS)
async def parse_again(message_id: UUID, desk: AtDesk, body: AgainBody | None = None) -> PoisonAnswer:
    """Read the stored bytes anew, for instance with a newer parser."""
    return await _act(desk, message_id, "parse_again", body or AgainBody(), None)


@router.post("/api/messages/{message_id}/deliver_to", responses=REFUSALS)
async def deliver_to(message_id: UUID, body: DeliverBody, desk: AtDesk) -> PoisonAnswer:
    """Give mail for nobody of ours to a mailbox; it keeps its id and its workflow."""
    desk.who.require("review", role="reviewer")
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        mailbox = await tx.one("api_mailbox", body.mailbox_id, desk.who.organisation_id)
    if mailbox is None or mailbox["kind"] != "inbox":
        raise invalid("mailbox_id", "there is no such mailbox to deliver to")
    return await _act(desk, message_id, "deliver_to", body, body.mailbox_id)


async def _act(desk: Desk, message_id: UUID, action: str, body: Asked, mailbox_id: UUID | None) -> PoisonAnswer:
    desk.who.require("review", role="reviewer")
    request_id = desk.request_id(body.request_id)
    key = digest(desk.who.actor, action, message_id, mailbox_id)
    subject = await _subject(desk, message_id)
    known = await _known(desk, subject, request_id, key)
    if known is not None:
        return await _answer(desk, subject, action, request_id, ParseResult.model_validate(known), repeated=True)
    if subject["account"] != "poison" or subject["status"] is not None:
        await _refuse(desk, subject, action, request_id)
    request = PoisonRequest(request_id=request_id, actor=desk.who.actor, mailbox_id=mailbox_id)
    parsed = await _ask(desk, subject, action, request)
    await _remember(desk, parsed, request_id, action, key)
    return await _answer(desk, subject, action, request_id, parsed, repeated=False)


async def _subject(desk: Desk, message_id: UUID) -> Any:
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        return await desk.subject(tx, message_id)


async def _ask(desk: Desk, subject: Any, action: str, request: PoisonRequest) -> ParseResult:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            return await desk.services.desk.ask(
                subject["workflow_id"], action, request, ParseResult, request.request_id
            )
        except NoOpenWorkflow:
            await asyncio.sleep(LOOK_EVERY_S)
        except NoAnswer as fault:
            raise unavailable(NO_ANSWER, request_id=request.request_id) from fault
        except RefusedByState:
            await _refuse(desk, subject, action, request.request_id)
    raise unavailable(NO_ANSWER, request_id=request.request_id)


async def _refuse(desk: Desk, subject: Any, action: str, request_id: str) -> None:
    now = await _subject(desk, subject["message_id"])
    answer = PoisonAnswer(
        request_id=request_id,
        message_id=subject["message_id"],
        mailbox_id=now["mailbox_id"],
        result=Result.CONFLICT,
        message="This mail is not in the poison lane.",
        poison_reason=now["poison_reason"] or "",
    )
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        await desk.audit(tx, now["mailbox_id"], f"message/{subject['message_id']}", action, answer)
    body = answer.model_dump(mode="json")
    raise ApiError(409, "conflict", body.pop("message"), **body, status=now["status"])


async def _known(desk: Desk, subject: Any, request_id: str, key: str) -> Any:
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        known = await tx.one("api_known_request", subject["mailbox_id"], request_id)
    if known is not None and (known["message_id"] != subject["message_id"] or known["digest"] != key):
        raise ApiError(
            409, "conflict", "The same request id was used before for another action.", request_id=request_id
        )
    return known["outcome"] if known else None


async def _remember(desk: Desk, parsed: ParseResult, request_id: str, action: str, key: str) -> None:
    """Kept under the mailbox the mail is in afterwards, where a repeat will look."""
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        await tx.run(
            "api_remember_request", parsed.mailbox_id, request_id, parsed.message_id, desk.who.actor, action, key,
            parsed.model_dump(mode="json"),
        )  # fmt: skip


async def _answer(
    desk: Desk, subject: Any, action: str, request_id: str, parsed: ParseResult, *, repeated: bool
) -> PoisonAnswer:
    words = (
        f"It still cannot be read: {parsed.poison_reason}." if parsed.poison_reason else "Read; it goes its way now."
    )
    answer = PoisonAnswer(
        request_id=request_id,
        message_id=parsed.message_id,
        mailbox_id=parsed.mailbox_id,
        result=Result.OK,
        message=words,
        poison_reason=parsed.poison_reason,
        repeated=repeated,
    )
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        await desk.audit(tx, parsed.mailbox_id, f"message/{parsed.message_id}", action, answer)
    return answer
