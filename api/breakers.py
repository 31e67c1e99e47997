"""The watch over automation by HTTP: breakers with evidence and reset, the numbers behind them, and what reviewers say
a mail is about (P96, 15.1)."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from activities.breakers import breaker_of, move
from adapters.postgres import Database
from api.acts import NoteText
from api.auth import Principal, Who
from api.docs import GUARDED
from api.errors import ApiError, invalid, not_found
from api.mailboxes import known_mailbox
from api.rows import plain
from api.services import Deskhand
from contracts.classification import Category
from domain.breakers import BreakerKind, BreakerState, reset
from domain.metrics import Metric, window_of

LONGEST_HOURS = 7 * 24

router = APIRouter(prefix="/api", tags=["breakers and metrics"], responses=GUARDED)


class BreakerRow(BaseModel):
    """One breaker as it stands; `last_bad` of `last_total` is what the newest look saw."""

    kind: BreakerKind
    state: BreakerState
    threshold: float
    window_s: int
    min_sample: int
    cool_down_s: int
    probe_limit: int
    probes_used: int
    tripped_at: datetime | None
    half_open_at: datetime | None
    recovered_at: datetime | None
    reason: str
    evaluated_at: datetime | None
    last_bad: int | None
    last_total: int | None


class ResetBody(BaseModel):
    """Why automation may be trusted again."""

    model_config = ConfigDict(extra="forbid")

    note: NoteText


class MetricValue(BaseModel):
    """One value of one window; `part` and `basis` as in the rollup. Windows without data are not listed."""

    metric: Metric
    part: str
    at: datetime
    value: float
    samples: int
    basis: str


class CategoryBody(BaseModel):
    """What a mail is about."""

    model_config = ConfigDict(extra="forbid")

    category: Category


@router.get("/mailboxes/{mailbox_id}/breakers")
async def breakers(mailbox_id: UUID, services: Deskhand, who: Who) -> list[BreakerRow]:
    """The three breakers of a mailbox."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        return [BreakerRow(**plain(row)) for row in await tx.rows("health_breakers", mailbox_id)]


@router.post("/mailboxes/{mailbox_id}/breakers/{kind}/reset")
async def reset_breaker(
    mailbox_id: UUID, kind: BreakerKind, body: ResetBody, services: Deskhand, who: Who
) -> list[BreakerRow]:
    """Close a breaker by hand; the note is kept as its reason and in the audit log."""
    await close_by_hand(services.database, who, mailbox_id, kind, body.note)
    return await breakers(mailbox_id, services, who)


async def close_by_hand(database: Database, who: Principal, mailbox_id: UUID, kind: BreakerKind, note: str) -> None:
    """The reset: an admin, a note, and a breaker that is not closed already (P96)."""
    who.require("admin", role="admin")
    if not note.strip():
        raise invalid("note", "say why automation may be trusted again")
    async with database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        row = next(iter(await tx.rows("breaker_lock", mailbox_id, [str(kind)])), None)
        if row is None:
            raise not_found("breaker")
        before = breaker_of(row)
        if before.state is BreakerState.CLOSED:
            raise ApiError(409, "already_closed", "This breaker is closed; there is nothing to reset.")
        await move(tx, mailbox_id, before, reset(before, who.name, note, await tx.value("clock")), who.actor)


@router.get("/mailboxes/{mailbox_id}/metrics")
async def metrics(
    mailbox_id: UUID, services: Deskhand, who: Who, hours: int = Query(24, ge=1, le=LONGEST_HOURS)
) -> list[MetricValue]:
    """Every value of the last hours, window by window."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        until = window_of(await tx.value("clock"))
        rows = await tx.rows(
            "health_series", mailbox_id, [str(m) for m in Metric], until - timedelta(hours=hours), until,
            timedelta(minutes=5),
        )  # fmt: skip
    return [MetricValue(**plain(row)) for row in rows]


@router.put("/messages/{message_id}/category")
async def label(message_id: UUID, body: CategoryBody, services: Deskhand, who: Who) -> dict[str, Any]:
    """Say what a mail is about, in agreement with the model or not; both are samples of its accuracy (15.1)."""
    who.require("review", role="reviewer")
    async with services.database.transaction(who.mailboxes) as tx:
        row = await tx.one("label_message", message_id)
        if row is None:
            raise not_found()
        if row["category"] is None:
            raise ApiError(409, "not_classified", "The model has not said yet what this mail is about.")
        await tx.run("label_set", message_id, row["mailbox_id"], row["category"], body.category, who.actor)
        told = {"category": body.category, "model": row["category"]}
        await tx.run("audit", row["mailbox_id"], who.actor, "category", f"message/{message_id}", None, told)
    return {"category": body.category, "model_category": row["category"], "agrees": body.category == row["category"]}
