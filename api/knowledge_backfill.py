"""Reading earlier mail for knowledge, and what contradicts what, over REST (P107, P108)."""

from collections.abc import Awaitable, Mapping
from typing import Any, Literal
from uuid import UUID

from fastapi import APIRouter

from activities.knowledge.backfill import BackfillDesk, NoSuchJob, NotNow
from activities.knowledge.curation import Curation, NoSuchEntry
from adapters.postgres import Transaction
from api.auth import Principal, Who
from api.docs import GUARDED
from api.errors import ApiError, not_found
from api.knowledge import seen_mailbox
from api.knowledge_shapes import BackfillShown, ContradictionShown, SideShown
from api.services import Deskhand, Services

router = APIRouter(prefix="/api/mailboxes/{mailbox_id}/knowledge", tags=["knowledge"], responses=GUARDED)
Act = Literal["pause", "resume", "cancel"]


@router.get("/backfills")
async def backfills(mailbox_id: UUID, services: Deskhand, who: Who) -> list[BackfillShown]:
    """The last passes through earlier mail, newest first."""
    who.require("read")
    return [_shown(job) for job in await (await _desk(services, who, mailbox_id)).jobs()]


@router.post("/backfills", status_code=202)
async def begin(mailbox_id: UUID, services: Deskhand, who: Who) -> BackfillShown:
    """Read earlier mail once more. What was read before costs nothing."""
    who.require("admin", role="admin")
    desk = await _desk(services, who, mailbox_id)
    return _shown(await desk.job(await _refusing(desk.begin(who.actor))))


@router.get("/backfills/{job_id}")
async def backfill(mailbox_id: UUID, job_id: UUID, services: Deskhand, who: Who) -> BackfillShown:
    """How far one is."""
    who.require("read")
    return _shown(await _refusing((await _desk(services, who, mailbox_id)).job(job_id)))


@router.post("/backfills/{job_id}/{act}")
async def steer(mailbox_id: UUID, job_id: UUID, act: Act, services: Deskhand, who: Who) -> BackfillShown:
    """Pause, resume or cancel one; what it found stays."""
    who.require("admin", role="admin")
    desk = await _desk(services, who, mailbox_id)
    await _refusing(getattr(desk, act)(job_id, who.actor))
    return _shown(await desk.job(job_id))


@router.get("/contradictions")
async def contradictions(mailbox_id: UUID, services: Deskhand, who: Who) -> list[ContradictionShown]:
    """Entries in nearly the same words that differ in a figure or a `not`, until somebody settles them."""
    who.require("read")
    await seen_mailbox(services, who, mailbox_id)
    pairs = await Curation(services.database, mailbox_id).contradictions()
    return [ContradictionShown(id=p["id"], one=_side(p, "one"), other=_side(p, "other")) for p in pairs]


@router.post("/contradictions/{pair_id}/settle")
async def settle(mailbox_id: UUID, pair_id: UUID, services: Deskhand, who: Who) -> dict[str, bool]:
    """Let both stand."""
    who.require("admin", role="admin")
    await seen_mailbox(services, who, mailbox_id)
    try:
        await Curation(services.database, mailbox_id).settle(pair_id, who.actor)
    except NoSuchEntry:
        raise not_found("contradiction") from None
    return {"settled": True}


@router.put("/voice/{message_id}")
async def release_voice(mailbox_id: UUID, message_id: UUID, services: Deskhand, who: Who) -> dict[str, bool]:
    """Release a reply that a person sent as an example of the mailbox's voice, in drafts to anybody."""
    who.require("admin", role="admin")
    await seen_mailbox(services, who, mailbox_id)
    async with services.database.transaction(mailbox_id) as tx:
        if await tx.one("voice_sent_by_people", mailbox_id, message_id) is None:
            raise ApiError(409, "not_now", "No person has sent a reply to this message.")
        if await tx.run("voice_release", mailbox_id, message_id, who.actor):
            await _audit(tx, mailbox_id, who, "voice_released", message_id)
    return {"released": True}


@router.delete("/voice/{message_id}")
async def withdraw_voice(mailbox_id: UUID, message_id: UUID, services: Deskhand, who: Who) -> dict[str, bool]:
    """Take the release back."""
    who.require("admin", role="admin")
    await seen_mailbox(services, who, mailbox_id)
    async with services.database.transaction(mailbox_id) as tx:
        if await tx.run("voice_withdraw", mailbox_id, message_id):
            await _audit(tx, mailbox_id, who, "voice_withdrawn", message_id)
    return {"released": False}


async def _audit(tx: Transaction, mailbox_id: UUID, who: Principal, action: str, message_id: UUID) -> None:
    await tx.run("knowledge_audit", mailbox_id, who.actor, action, f"message/{message_id}", None, None)


async def _desk(services: Services, who: Principal, mailbox_id: UUID) -> BackfillDesk:
    return BackfillDesk(services.database, await seen_mailbox(services, who, mailbox_id))


async def _refusing(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except NoSuchJob:
        raise not_found("backfill") from None
    except NotNow as refusal:
        raise ApiError(409, "not_now", str(refusal)) from None


def _shown(job: Mapping[str, Any]) -> BackfillShown:
    return BackfillShown(**{name: job[name] for name in BackfillShown.model_fields})


def _side(pair: Mapping[str, Any], side: str) -> SideShown:
    return SideShown(**{name: pair[f"{side}_{name}"] for name in SideShown.model_fields})
