"""Before a step asks a model: is there money left, and is it this message's turn while models fail? (P96, P111)

A step that may not ask holds where it stands and goes on by itself. Nothing here writes a hold; the lifecycle does.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from temporalio import activity

from activities.breakers import evaluate_in, wake_held
from activities.ports import Database, Row, Transaction
from contracts.errors import DatabaseFault
from contracts.status import HoldReason
from domain.breakers import BreakerKind, BreakerState
from domain.budget.calendar_day import day_start, month_start
from domain.budget.spend import Ceilings, SpendLevel, SpendVerdict, Spent, judge_spend

LONGEST_TURN = timedelta(seconds=240)
REST_AFTER_FAILURE = timedelta(seconds=60)
# What the steps under way in this process may still cost, by mailbox: counted before the money is gone.
_committed: defaultdict[UUID, Decimal] = defaultdict(Decimal)


class ModelHeld(Exception):
    """No model may be asked for this message now; it holds for `reason`."""

    def __init__(self, reason: HoldReason) -> None:
        super().__init__(str(reason))
        self.reason = reason


@asynccontextmanager
async def model_turn(database: Database, facts: Row, message: Row, step: str) -> AsyncIterator[None]:
    """Around the work of a step that asks a model; `facts` is the row of `turn_facts`. Raises ModelHeld instead of
    letting it begin."""
    holder = await _take(database, facts, message["mailbox_id"])
    failed = True
    try:
        async with _paid(database, facts, message, step):
            yield
        failed = False
    except (ModelHeld, asyncio.CancelledError):
        failed = False
        raise
    finally:
        if holder is not None:
            await _pass_on(database, message["mailbox_id"], holder, failed)


@asynccontextmanager
async def _paid(database: Database, facts: Row, message: Row, step: str) -> AsyncIterator[None]:
    """Holds at a ceiling, what other steps under way may cost included; a draft a person asked for is made (P111)."""
    if not _has_ceiling(facts):
        yield
        return
    mailbox_id, answered = message["mailbox_id"], message["contact_answered_at"] is not None
    async with database.transaction(mailbox_id) as tx:
        cost = Decimal(await tx.value("turn_step_cost", mailbox_id, step))
        before = _committed[mailbox_id]
        spent = await spent_by(tx, mailbox_id, facts)
    # No await from here to the booking: of many steps at once each sees those that were let through before it.
    level = judge(facts, spent, answered, max(before, _committed[mailbox_id]) + cost).level
    if level is SpendLevel.HOLD and not message["requested_by_person"]:
        raise ModelHeld(HoldReason.SPEND_CEILING)
    _committed[mailbox_id] += cost
    try:
        yield
    finally:
        _committed[mailbox_id] -= cost


def _has_ceiling(facts: Row) -> bool:
    return facts["daily_budget_usd"] is not None or facts["monthly_budget_usd"] is not None


async def spent_by(tx: Transaction, mailbox_id: UUID, facts: Row) -> Spent:
    """What the mailbox spent since the start of its day and month; `facts` has its time zone."""
    now, zone = await tx.value("clock"), ZoneInfo(facts["timezone"])
    row = await tx.must("enter_spent", mailbox_id, day_start(now, zone), month_start(now, zone))
    return Spent(day_usd=row["today"], month_usd=row["month"])


def judge(facts: Row, spent: Spent, answered_before: bool = True, estimate: Decimal = Decimal(0)) -> SpendVerdict:
    """Where that stands against the ceilings in `facts`."""
    ceilings = Ceilings(daily_usd=facts["daily_budget_usd"], monthly_usd=facts["monthly_budget_usd"])
    return judge_spend(spent, ceilings, answered_before, estimate)


async def _take(database: Database, facts: Row, mailbox_id: UUID) -> str | None:
    """The name under which the turn is ours; None where no breaker is open and nobody takes turns."""
    if facts["state"] != BreakerState.OPEN:
        return None
    holder = str(uuid4())
    async with database.transaction(mailbox_id) as tx:
        if not await still_open(tx, mailbox_id, bool(facts["cooled_down"])):
            return None
        if not await tx.value("turn_take", mailbox_id, holder, _longest()):
            raise ModelHeld(HoldReason.LLM_BREAKER)
    return holder


def _longest() -> timedelta:
    """A turn ends with its activity's time at the latest, so that a killed worker keeps nobody waiting."""
    limit = activity.info().start_to_close_timeout if activity.in_activity() else None
    return min(limit or LONGEST_TURN, LONGEST_TURN)


async def still_open(tx: Transaction, mailbox_id: UUID, cooled_down: bool) -> bool:
    """Whether `llm_failure` is open; one that has cooled down is half-opened by whoever comes first (P95)."""
    if cooled_down:
        await evaluate_in(tx, mailbox_id, [BreakerKind.LLM_FAILURE])
    return bool(await tx.value("breaker_state", mailbox_id, BreakerKind.LLM_FAILURE) == BreakerState.OPEN)


async def _pass_on(database: Database, mailbox_id: UUID, holder: str, failed: bool) -> None:
    """Gives the turn to the one that waits longest. A turn that cannot be given back ends with its time."""
    with suppress(DatabaseFault):
        async with database.transaction(mailbox_id) as tx:
            rests = await tx.value("turn_end", mailbox_id, holder, failed, REST_AFTER_FAILURE)
            if rests is not None:
                later = REST_AFTER_FAILURE + timedelta(seconds=1) if rests else timedelta()
                await wake_held(tx, mailbox_id, HoldReason.LLM_BREAKER, f"turn/{holder}", 1, later)


async def turn_wait(tx: Transaction, mailbox_id: UUID, message_id: UUID, now: datetime) -> datetime | None:
    """Until when a message holds for `llm_breaker`; None as soon as it may ask.

    Locks the breaker's row: whoever passes a turn on or closes the breaker sees the hold, or this sees what they did.
    While nobody has the turn, one that waits alone looks again when it is free; others are woken by those before them.
    """
    row = next(iter(await tx.rows("breaker_lock", mailbox_id, [str(BreakerKind.LLM_FAILURE)])), None)
    if row is None or row["state"] != BreakerState.OPEN:
        return None
    cooled_at: datetime = row["tripped_at"] + timedelta(seconds=row["cool_down_s"])
    if now >= cooled_at and not await still_open(tx, mailbox_id, True):
        return None
    if row["turn_until"] is None or row["turn_until"] < now:
        return None
    alone = row["turn_holder"] is None and not await tx.value("turn_others_wait", mailbox_id, message_id)
    return (row["turn_until"] if alone else max(cooled_at, now)) + timedelta(seconds=1)
