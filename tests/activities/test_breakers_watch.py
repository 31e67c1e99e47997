"""The breakers in the database: what trips them, what half-opens and closes them, and at whose instant (P93-P96)."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest

from activities.breakers import Breakers, charge_probes, probe_objection
from adapters.llm.ledger import CallOutcome, MeteredUsage
from adapters.usage import UsageLedger
from contracts.llm import ModelTask, UsageContext
from domain.metrics import FAILED_CALLS, UNFINISHED_CALLS
from tests.activities.conftest import World
from tests.activities.metric_rows import (
    breaker,
    calls,
    confidence,
    half_open_breaker,
    metrics,
    open_breaker,
    reviews,
    roll,
    set_breaker,
)


def minutes(count: float) -> timedelta:
    """So many minutes."""
    return timedelta(minutes=count)


@pytest.mark.parametrize(
    ("good", "bad", "state"),
    [(0, 1, "closed"), (8, 2, "closed"), (7, 3, "open"), (0, 9, "closed"), (40, 10, "closed"), (39, 11, "open")],
)
async def test_failed_calls_trip_strictly_above_the_share(world: World, good: int, bad: int, state: str) -> None:
    """P93, A90: more than a fifth of at least ten finished calls."""
    await calls(world, "ok", good)
    await calls(world, "timeout", bad)
    await Breakers(world.database).evaluate(world.mailbox_id)
    row = await breaker(world)
    assert row["state"] == state and (row["last_bad"], row["last_total"]) == (bad, good + bad)
    assert (row["tripped_at"] is not None) == (state == "open")


async def test_what_says_nothing_about_the_model_is_not_counted(world: World) -> None:
    """P94: cancelled calls and calls made again without a parameter are no samples, a content refusal is no failure."""
    await calls(world, "cancelled", 20)
    await calls(world, "unsupported", 20)
    await calls(world, "refused", 10)
    await Breakers(world.database).evaluate(world.mailbox_id)
    row = await breaker(world)
    assert (row["state"], row["last_bad"], row["last_total"]) == ("closed", 0, 10)


def test_every_outcome_of_a_call_has_its_place() -> None:
    """P93, P110: a new outcome of the ledger must say whether it is a failure; a misspelt one counts nowhere."""
    known = {str(outcome) for outcome in CallOutcome}
    fine = {"ok", "cut", "refused"}
    assert known == fine | FAILED_CALLS | UNFINISHED_CALLS
    assert not fine & FAILED_CALLS and not FAILED_CALLS & UNFINISHED_CALLS


async def test_only_the_window_of_the_row_counts(world: World) -> None:
    """P93, A93: threshold, window and sample on the row are the ones used."""
    await calls(world, "timeout", 10, minutes(16))
    await Breakers(world.database).evaluate(world.mailbox_id)
    assert (await breaker(world))["last_total"] == 0
    await set_breaker(world, window_s=1200, threshold=1)
    await Breakers(world.database).evaluate(world.mailbox_id)
    assert (await breaker(world))["state"] == "closed"
    await set_breaker(world, threshold="0.5")
    await Breakers(world.database).evaluate(world.mailbox_id)
    assert (await breaker(world))["state"] == "open"


async def test_low_confidences_trip(world: World) -> None:
    """P93: four of ten below 0.5 in an hour; an output carried into a later run is not counted again."""
    for value in (0.49, 0.4, 0.1, *[0.5] * 7):
        await confidence(world, value)
    await confidence(world, 0.1, key="7.0/on/x")
    await Breakers(world.database).evaluate(world.mailbox_id)
    row = await breaker(world, "confidence_degradation")
    assert (row["state"], row["last_bad"], row["last_total"]) == ("closed", 3, 10)
    await confidence(world, 0.2)
    await Breakers(world.database).evaluate(world.mailbox_id)
    assert (await breaker(world, "confidence_degradation"))["state"] == "open"


async def test_rejections_trip(world: World) -> None:
    """P93: three of five within a day; older ones do not count."""
    await reviews(world, "rejected", 3)
    await reviews(world, "approved", 1)
    await reviews(world, "approved", 1, timedelta(hours=25))
    await Breakers(world.database).evaluate(world.mailbox_id)
    assert (await breaker(world, "rejection_spike"))["state"] == "closed"
    await reviews(world, "edited", 1)
    await Breakers(world.database).evaluate(world.mailbox_id)
    row = await breaker(world, "rejection_spike")
    assert (row["state"], row["reason"]) == ("open", "3 of 5 bad (0.60) is above 0.40")


async def test_an_idle_breaker_half_opens_and_stays_there(world: World) -> None:
    """P94, P95, A91: the cool-down opens the door a crack; an idle hour is no evidence."""
    await open_breaker(world, ago=minutes(14))
    await roll(world)
    assert (await breaker(world))["state"] == "open"
    await open_breaker(world, ago=minutes(16))
    await roll(world)
    row = await breaker(world)
    assert row["state"] == "half_open" and row["half_open_at"] is not None
    await set_breaker(world, half_open_at=row["half_open_at"] - timedelta(hours=1))
    await roll(world)
    assert (await breaker(world))["state"] == "half_open"


@pytest.mark.parametrize(("good", "bad", "state"), [(10, 0, "closed"), (7, 3, "open"), (9, 0, "half_open")])
async def test_a_half_open_breaker_is_judged_by_what_came_since(world: World, good: int, bad: int, state: str) -> None:
    """P95, A92: bad calls of before do not keep it open; `recovered_at` is stamped."""
    await half_open_breaker(world)
    await calls(world, "timeout", 30, minutes(5))
    await calls(world, "ok", good)
    await calls(world, "server_error", bad)
    await roll(world)
    row = await breaker(world)
    assert row["state"] == state and (row["recovered_at"] is not None) == (state == "closed")


async def test_what_was_recovered_from_is_not_held_against_it_again(world: World) -> None:
    """P95: the day's rejections lie in the window for hours; after recovery or a reset only new ones count."""
    await reviews(world, "rejected", 6, timedelta(hours=3))
    await half_open_breaker(world, "rejection_spike", timedelta(hours=2))
    await reviews(world, "approved", 5, timedelta(hours=1))
    await roll(world)
    await roll(world)
    row = await breaker(world, "rejection_spike")
    assert (row["state"], row["last_total"]) == ("closed", 0)


async def test_every_move_is_in_the_trail(world: World) -> None:
    """P93: who moved it, from where and why; a look that changes nothing writes nothing there."""
    await calls(world, "timeout", 10)
    for _ in range(3):
        await Breakers(world.database).evaluate(world.mailbox_id)
    rows = await world.sql.fetch("SELECT * FROM audit_log WHERE action = 'breaker'")
    assert [(r["actor"], r["subject"]) for r in rows] == [("deskhand", "breaker/llm_failure")]
    assert '"open"' in rows[0]["after"] and '"closed"' in rows[0]["before"]


async def test_an_outage_trips_at_the_tenth_failure_without_a_rollup(world: World) -> None:
    """P93: the ledger's own hook; the calls of the installation itself move nobody's breaker."""
    breakers = Breakers(world.database)
    ledger = UsageLedger(world.database, breakers.model_call_failed)
    bad = MeteredUsage(task=ModelTask.CLASSIFY, model="m", outcome=CallOutcome.UNREACHABLE)
    for _ in range(9):
        await ledger.record(bad, UsageContext(mailbox_id=str(world.mailbox_id)))
    await ledger.record(bad, UsageContext(mailbox_id=""))
    assert (await breaker(world))["state"] == "closed"
    await ledger.record(bad, UsageContext(mailbox_id=str(world.mailbox_id)))
    assert (await breaker(world))["state"] == "open"
    assert await world.sql.fetchval("SELECT count(*) FROM audit_log WHERE action = 'breaker'") == 1


async def test_good_calls_do_not_ask_the_breaker(world: World) -> None:
    """P93: the look costs something and is made for failures alone."""
    asked: list[UUID] = []

    async def note(mailbox_id: UUID) -> None:
        asked.append(mailbox_id)

    ledger = UsageLedger(world.database, note)
    for outcome in CallOutcome:
        usage = MeteredUsage(task=ModelTask.CLASSIFY, model="m", outcome=outcome)
        await ledger.record(usage, UsageContext(mailbox_id=str(world.mailbox_id)))
    assert len(asked) == len(FAILED_CALLS) and set(asked) == {world.mailbox_id}


async def test_at_most_three_probes_pass_at_once(world: World) -> None:
    """P95, A91: ten approvals at the same moment, one door, three get through."""
    await half_open_breaker(world)

    async def approve() -> bool:
        async with world.database.transaction(world.mailbox_id) as tx:
            free = await probe_objection(tx, world.mailbox_id) is None
            if free:
                await charge_probes(tx, world.mailbox_id)
        return free

    passed = await asyncio.gather(*(approve() for _ in range(10)))
    assert sum(passed) == 3 and (await breaker(world))["probes_used"] == 3
    assert (await breaker(world, "rejection_spike"))["probes_used"] == 0


async def test_a_missing_breaker_lets_nothing_through(world: World) -> None:
    """P79: an incomplete registry counts as unreadable."""
    await world.sql.execute("DELETE FROM agent_circuit_breakers WHERE kind = 'rejection_spike'")
    async with world.database.transaction(world.mailbox_id) as tx:
        assert await probe_objection(tx, world.mailbox_id) == "breaker_open"


async def test_the_breakers_of_one_mailbox_are_its_own(world: World) -> None:
    """P93, HB1: another mailbox's failures move nothing here, and its fault stops no rollup."""
    other = await world.sql.fetchval(
        "INSERT INTO mailboxes (organisation_id, address, timezone) SELECT id, 'x@shop.example', 'Not/AZone'"
        " FROM organisations RETURNING id"
    )
    await world.sql.execute("INSERT INTO agent_config (mailbox_id) VALUES ($1)", other)
    await world.sql.execute(
        "INSERT INTO llm_usage (mailbox_id, task, model, outcome) SELECT $1, 'draft', 'm', 'timeout'"
        " FROM generate_series(1, 20)", other,
    )  # fmt: skip
    report = await roll(world)
    assert (report.mailboxes, report.skipped) == (1, 1)
    assert (await breaker(world))["state"] == "closed"
    assert await metrics(world, "queue_depth") == [(0, 0, "")]
