"""Automatic model work stops at a ceiling, whatever is under way, and goes on with new money (P111, HW10)."""

import asyncio
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from contracts.lifecycle import Enter
from contracts.status import HoldReason, Status
from contracts.steps import Route
from tests.activities.conftest import World
from tests.activities.metric_rows import roll
from tests.activities.turns import at_classify, end, run_step, wakes


async def spend(world: World, usd: str, step: str = "classify", ago: timedelta = timedelta()) -> None:
    """One call of a step."""
    await world.sql.execute(
        "INSERT INTO llm_usage (mailbox_id, step, task, model, outcome, cost_usd, created_at)"
        " VALUES ($1, $2, 'classify', 'm', 'ok', $3, now() - $4::interval)", world.mailbox_id, step, Decimal(usd), ago,
    )  # fmt: skip


async def test_a_step_under_way_holds_at_the_ceiling(world: World) -> None:
    """P111, A95: not only mail that just came; until the local midnight at which there is money again."""
    message = await at_classify(world)
    await world.configure(daily_budget_usd=1)
    await spend(world, "1.00")
    route = await run_step(world, message)
    assert route.hold is HoldReason.SPEND_CEILING
    await end(world, message, route)
    row = await world.row(message)
    midnight = await world.sql.fetchval("SELECT date_trunc('day', now(), 'UTC') + interval '1 day'")
    assert (row["processing_status"], row["hold_reason"], row["hold_until"]) == (
        "classifying",
        "spend_ceiling",
        midnight,
    )


async def test_steps_at_the_same_moment_cannot_pass_the_ceiling(world: World) -> None:
    """P111, HW10: ten steps of 0.30 each find 0.70 left; two are let through, the rest comes back in a moment."""
    messages = [await at_classify(world, n) for n in range(10)]
    await world.configure(daily_budget_usd=1)
    await world.sql.execute("UPDATE contacts SET answered_at = now()")
    await spend(world, "0.30")
    let_through: list[UUID] = []

    async def run(message: UUID) -> Route:
        async def work() -> None:
            let_through.append(message)
            await asyncio.sleep(0.5)

        return await run_step(world, message, work)

    routes = await asyncio.gather(*(run(m) for m in messages))
    assert len(let_through) == 2
    assert [r.hold for r in routes].count(HoldReason.SPEND_CEILING) == 10 - len(let_through)
    late = next(m for m, r in zip(messages, routes, strict=True) if r.hold)
    await end(world, late, routes[messages.index(late)])
    row = await world.row(late)
    assert timedelta(0) < row["hold_until"] - row["changed_at"] <= timedelta(minutes=5, seconds=1)
    assert (await run_step(world, late)).to is Status.DRAFTING


async def test_strangers_stop_at_four_fifths(world: World) -> None:
    """HW10: the last fifth of a ceiling is for senders we have answered."""
    message = await at_classify(world)
    await world.configure(monthly_budget_usd=10)
    await spend(world, "8.50", step="draft")
    assert (await run_step(world, message)).hold is HoldReason.SPEND_CEILING
    await world.sql.execute("UPDATE contacts SET answered_at = now()")
    assert (await run_step(world, message)).hold is None


async def test_a_draft_a_person_asked_for_is_made(world: World) -> None:
    """P4, P111: the ceiling stops automatic work alone."""
    message = await at_classify(world)
    await world.configure(daily_budget_usd=1)
    await spend(world, "2")
    await world.sql.execute("UPDATE inbound_messages SET requested_by_person = true WHERE id = $1", message)
    assert (await run_step(world, message)).to is Status.DRAFTING


@pytest.mark.parametrize("where", ["received", "classifying"])
async def test_a_raised_ceiling_lets_held_mail_go_on(world: World, where: str) -> None:
    """P111: nobody waits for midnight once there is money; below the ceiling again, the rollup wakes what holds."""
    await world.configure(daily_budget_usd=1)
    message = await world.arrive() if where == "received" else await at_classify(world)
    await spend(world, "1.00")
    if where == "received":
        await world.enter(message)
    else:
        await end(world, message, await run_step(world, message))
    assert (await world.row(message))["hold_reason"] == "spend_ceiling"
    charged = await world.sql.fetch("SELECT sender, next_slot_at FROM rate_budgets ORDER BY sender")
    assert (await roll(world)).woken == 0
    await world.do(message, Enter())
    assert (await world.row(message))["hold_reason"] == "spend_ceiling"
    await world.configure(daily_budget_usd=5)
    assert (await roll(world)).woken == 1 and await wakes(world) == [str(message)]
    await world.do(message, Enter())
    row = await world.row(message)
    assert row["hold_reason"] is None and row["processing_status"] != "received"
    if where == "classifying":  # P46: what was paid is not paid again
        assert await world.sql.fetch("SELECT sender, next_slot_at FROM rate_budgets ORDER BY sender") == charged


async def test_four_fifths_and_the_end_are_told_once_a_day(world: World) -> None:
    """P111: the warning at 80 %, then the stop; a second look says nothing new."""
    await world.configure(daily_budget_usd=10)
    for usd, told in (("7.99", []), ("0.02", ["spend_warning"]), ("2", ["spend_warning", "spend_hold"])):
        await spend(world, usd)
        for _ in range(2):
            await roll(world)
        rows = await world.sql.fetch("SELECT action FROM audit_log WHERE subject = 'ceiling/daily' ORDER BY id")
        assert [r["action"] for r in rows] == told
