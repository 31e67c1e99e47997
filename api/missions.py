"""Missions over REST: start with a goal, list, look at the tree, follow it, answer its gate, cancel (M132, 6.4)."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response
from starlette.responses import StreamingResponse

from api.auth import Principal, Who
from api.docs import GUARDED, REFUSALS, Problem
from api.errors import not_found
from api.mission_acts import Actor, CancelBody, InputBody, Key, Line, MissionAnswer, MissionBody, MissionStarted
from api.mission_reading import read_mission, read_result
from api.mission_shapes import MissionDetail, MissionPage, MissionRow, ResultShown
from api.rows import plain
from api.services import Deskhand, Services
from contracts.errors import DatabaseFault
from contracts.missions import CLOSED, MissionKind, MissionStatus

PAGE = 25
MOST = 100
LOOK_EVERY_S = 1.0
QUIET_LOOKS = 15
MOST_EVENT_ID = 2**62

router = APIRouter(prefix="/api/missions", tags=["missions"], responses=GUARDED)
HeaderKey = Annotated[Key | None, Header(alias="Idempotency-Key")]
CLOSED_ANSWERS: dict[int | str, dict[str, Any]] = {
    **REFUSALS, 409: {"model": Problem, "description": "Refused: `error` says why; nothing was done."},
    410: {"model": Problem, "description": "The mission is closed, or the input can no longer be carried out."},
}  # fmt: skip


@router.post(
    "",
    status_code=201,
    responses={**CLOSED_ANSWERS, 200: {"model": MissionStarted, "description": "The same mission as before."}},
)
async def start(
    body: MissionBody, services: Deskhand, who: Who, line: Line, response: Response, key: HeaderKey = None
) -> MissionStarted:
    """Start a mission with a goal. The worker begins with it at once, or as soon as it is there."""
    started = await Actor(services, who, line).start(body, key)
    response.status_code = 200 if started.repeated else 201
    return started


@router.get("")
async def missions(
    services: Deskhand,
    who: Who,
    status: Annotated[list[MissionStatus] | None, Query(description="One or more statuses.")] = None,
    kind: MissionKind | None = None,
    mailbox: UUID | None = None,
    cursor: Annotated[UUID | None, Query(description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> MissionPage:
    """Missions, newest first."""
    who.require("read")
    wanted = [str(s) for s in status] if status else None
    boxes = [mailbox] if mailbox else None
    async with services.database.transaction(who.mailboxes) as tx:
        rows = await tx.rows("mission_pages_list", wanted, kind, boxes, cursor, limit + 1)
    shown = [MissionRow(**plain(row)) for row in rows[:limit]]
    return MissionPage(missions=shown, next_cursor=shown[-1].id if len(rows) > limit else None)


@router.get("/{mission_id}")
async def mission(mission_id: UUID, services: Deskhand, who: Who) -> MissionDetail:
    """The tree: tasks with their stages and turns, gates, effects, results in one line, what owners said."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        return await read_mission(tx, services.settings, mission_id)


@router.get("/{mission_id}/results/{result_id}")
async def result(mission_id: UUID, result_id: UUID, services: Deskhand, who: Who) -> ResultShown:
    """The document of one result; its id is that of its attempt."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        return await read_result(tx, mission_id, result_id)


@router.post("/{mission_id}/owner-input", responses={**CLOSED_ANSWERS, 202: {"model": MissionAnswer}})
async def owner_input(
    mission_id: UUID, body: InputBody, services: Deskhand, who: Who, line: Line, response: Response,
    key: HeaderKey = None,
) -> MissionAnswer:  # fmt: skip
    """Answer the gate, or say something to an open mission. 202: stored, while no worker answers."""
    answer = await Actor(services, who, line).answer(mission_id, body, key)
    response.status_code = 200 if answer.result == "taken" else 202
    return answer


@router.post("/{mission_id}/cancel", responses=CLOSED_ANSWERS)
async def cancel(
    mission_id: UUID, services: Deskhand, who: Who, line: Line, body: CancelBody | None = None, key: HeaderKey = None
) -> MissionAnswer:
    """Cancel the mission, or one task of it. What was done stays done."""
    return await Actor(services, who, line).cancel(mission_id, body or CancelBody(), key)


@router.get(
    "/{mission_id}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def events(
    mission_id: UUID,
    services: Deskhand,
    who: Who,
    after: Annotated[int, Query(ge=0, le=MOST_EVENT_ID)] = 0,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", max_length=100)] = None,
) -> StreamingResponse:
    """What happens, as server-sent events, from the beginning or after `Last-Event-ID`; ends when the mission does."""
    who.require("read")
    if not await _status(services, who, mission_id):
        raise not_found("mission")
    given = (last_event_id or "").strip()
    since = min(int(given), MOST_EVENT_ID) if given.isascii() and given.isdigit() else after
    stream = _stream(services, who, mission_id, since)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})


async def _status(services: Services, who: Principal, mission_id: UUID) -> str:
    async with services.database.transaction(who.mailboxes) as tx:
        row = await tx.one("mission_pages_one", mission_id)
    return row["status"] if row else ""


async def _stream(services: Services, who: Principal, mission_id: UUID, since: int) -> AsyncIterator[str]:
    """Looks once a second; the status is read before the events, so that the last ones are never missed."""
    quiet = 0
    while True:
        try:
            closed = await _status(services, who, mission_id) in {"", *CLOSED}
            async with services.database.transaction(who.mailboxes) as tx:
                rows = await tx.rows("mission_pages_events", mission_id, since)
        except DatabaseFault:
            return
        for row in rows:
            since = row["id"]
            yield event_text(row)
        if closed and not rows:
            yield f"id: {since}\nevent: mission.end\ndata: {{}}\n\n"
            return
        quiet = 0 if rows else quiet + 1
        if quiet % QUIET_LOOKS == 1:
            yield ": quiet\n\n"
        if not rows:
            await asyncio.sleep(LOOK_EVERY_S)


def event_text(row: Any) -> str:
    """One event on the wire: ids, stages and states, never a word of a mail."""
    data = json.dumps({"subject": row["subject"], "value": row["value"], "at": row["at"].isoformat()})
    return f"id: {row['id']}\nevent: {row['kind']}\ndata: {data}\n\n"
