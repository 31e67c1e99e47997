"""Automatic replies that went wrong, and threads on which two machines seem to talk: both wait for a person's word
(P89, LO2)."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel

from api.auth import Who
from api.docs import GUARDED
from api.errors import not_found
from api.rows import plain
from api.services import Deskhand

PAGE = 50
MOST = 200

router = APIRouter(tags=["incidents"], responses=GUARDED)


class Incidents(BaseModel):
    """Newest first; `next_cursor` asks for older ones."""

    incidents: list[dict[str, Any]]
    next_cursor: UUID | None


class Acknowledged(BaseModel):
    """Who acknowledged counts once; the rule that was switched off stays off."""

    id: UUID
    acknowledged: bool = True


class Lifted(BaseModel):
    """`lifted` is false where no mark was set."""

    thread_id: UUID
    lifted: bool


@router.get("/api/incidents")
async def incidents(
    services: Deskhand,
    who: Who,
    acknowledged: bool = False,
    cursor: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> Incidents:
    """Incidents nobody has acknowledged yet, or all of them."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        rows = [plain(row) for row in await tx.rows("incidents_list", acknowledged, cursor, limit + 1)]
    more = rows[limit - 1]["id"] if len(rows) > limit else None
    return Incidents(incidents=rows[:limit], next_cursor=more)


@router.post("/api/incidents/{incident_id}/acknowledge")
async def acknowledge(incident_id: UUID, services: Deskhand, who: Who) -> Acknowledged:
    """Say that you have seen it. The sender's rule stays off until somebody switches it on."""
    who.require("review", role="reviewer")
    async with services.database.transaction(who.mailboxes) as tx:
        row = await tx.one("incidents_acknowledge", incident_id, who.actor)
        if row is None:
            raise not_found("incident")
        if row["is_first"]:
            subject = f"incident/{incident_id}"
            await tx.run("api_audit", row["mailbox_id"], who.actor, "acknowledge_incident", subject, None, None)
    return Acknowledged(id=incident_id)


@router.post("/api/threads/{thread_id}/lift_loop")
async def lift_loop(thread_id: UUID, services: Deskhand, who: Who) -> Lifted:
    """Say that no machine answers here; automatic replies are possible again and counted anew."""
    who.require("review", role="reviewer")
    async with services.database.transaction(who.mailboxes) as tx:
        if await tx.one("api_thread", thread_id) is None:
            raise not_found("thread")
        mailbox_id = await tx.value("loop_lift", thread_id, who.actor)
        if mailbox_id is not None:
            await tx.run("api_audit", mailbox_id, who.actor, "lift_loop", f"thread/{thread_id}", None, None)
    return Lifted(thread_id=thread_id, lifted=mailbox_id is not None)
