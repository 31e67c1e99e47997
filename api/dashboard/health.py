"""The health page: is automation well, what stopped it, what does it cost, and what waits (P120). Every number is read
from the database; where there is none, the page says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from starlette.responses import Response

from activities.model_turns import spent_by
from api.breakers import close_by_hand
from api.dashboard.frame import show
from api.dashboard.health_numbers import Measure, measures
from api.dashboard.visit import Visit
from api.errors import ApiError, not_found
from domain.breakers import BreakerKind
from domain.budget.spend import WARNING_SHARE
from domain.metrics import FAILED_CALLS, WINDOW, window_of

SPANS = {"day": (timedelta(hours=24), 2 * WINDOW), "week": (timedelta(days=7), timedelta(hours=1))}


@dataclass(frozen=True)
class Ceiling:
    """What was spent of one ceiling; `level` as the pipeline judges it."""

    name: str
    spent: Decimal
    limit: Decimal | None

    @property
    def share(self) -> int | None:
        """Per cent of it; 100 where the ceiling is zero."""
        if self.limit is None:
            return None
        return int(100 * self.spent / self.limit) if self.limit else 100

    @property
    def level(self) -> str:
        """hold, warning or ok."""
        if self.limit is None:
            return "ok"
        if self.spent >= self.limit:
            return "hold"
        return "warning" if self.spent >= self.limit * WARNING_SHARE else "ok"


@dataclass(frozen=True)
class Health:
    """Everything the page shows of one mailbox."""

    breakers: Sequence[Any]
    holds: Sequence[Any]
    ceilings: tuple[Ceiling, ...]
    measures: list[Measure]
    costs: Sequence[Any]
    trail: Sequence[Any]
    flags: frozenset[str]

    def costs_by(self, what: str) -> list[Any]:
        """The rows of the costs by `step` or by `model`."""
        return [row for row in self.costs if row["by"] == what]

    @property
    def queue(self) -> Any:
        """What waits for nothing but its turn, or None."""
        return next((row for row in self.holds if not row["reason"]), None)

    @property
    def held(self) -> list[Any]:
        """What holds, by reason."""
        return [row for row in self.holds if row["reason"]]


async def health_page(visit: Visit) -> Response:
    """One mailbox: the one chosen, else the first."""
    mailbox = await _mailbox(visit)
    span = visit.request.query_params.get("span", "day")
    span = span if span in SPANS else "day"
    health = await _read(visit, mailbox, span) if mailbox else None
    return await show(visit, "health.html", box=mailbox, span=span, spans=SPANS, health=health)


async def _mailbox(visit: Visit) -> Any:
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        rows = await tx.rows("api_mailboxes", visit.who.organisation_id)
    inboxes = [row for row in rows if row["kind"] == "inbox"]
    first = sorted(inboxes, key=lambda row: not row["is_default"])
    return next((row for row in first if row["id"] in visit.mailboxes), None)


async def _read(visit: Visit, mailbox: Any, span: str) -> Health:
    length, every = SPANS[span]
    mailbox_id: UUID = mailbox["id"]
    until = window_of(datetime.now(UTC))
    since = until - length
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        breakers = await tx.rows("health_breakers", mailbox_id)
        limit = next((b["threshold"] for b in breakers if b["kind"] == BreakerKind.REJECTION_SPIKE), None)
        rows = await tx.rows("health_series", mailbox_id, Measure.NEEDED, since, until, every)
        return Health(
            breakers=breakers,
            holds=await tx.rows("health_holds", mailbox_id),
            ceilings=await _ceilings(tx, mailbox_id),
            measures=measures(rows, since, until, every, limit),
            costs=await tx.rows("health_costs", mailbox_id, since, [*FAILED_CALLS]),
            trail=await tx.rows("health_trail", mailbox_id, since),
            flags=frozenset(row["flag"] for row in await tx.rows("api_flags", mailbox_id) if row["is_on"]),
        )


async def _ceilings(tx: Any, mailbox_id: UUID) -> tuple[Ceiling, ...]:
    row = await tx.one("health_ceilings", mailbox_id)
    if row is None:
        return ()
    spent = await spent_by(tx, mailbox_id, row)
    return (
        Ceiling("daily", spent.day_usd, row["daily_budget_usd"]),
        Ceiling("monthly", spent.month_usd, row["monthly_budget_usd"]),
    )


async def reset(visit: Visit) -> Response:
    """Closes a breaker by hand; without a note, or when it is closed already, nothing changes and the page says why."""
    kind = visit.request.path_params["kind"]
    if kind not in list(BreakerKind):
        raise not_found("breaker")
    try:
        await close_by_hand(
            visit.services.database, visit.who, visit.path_id("mailbox_id"), BreakerKind(kind), visit.form.get("note")
        )
    except ApiError as error:
        if error.code not in (409, 422):
            raise
        await visit.note(kind="refused", action="breaker", error=f"breaker_{error.error}", message="", by="", fields={})
    else:
        await visit.note(kind="done", action="breaker_reset")
    return visit.back("/dashboard/health")
