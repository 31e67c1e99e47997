"""While models fail, one model step of a mailbox runs at a time; the others hold and go on by themselves (P96)."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest
from temporalio.exceptions import ApplicationError

from activities.breakers import Breakers
from contracts.errors import TransientFault
from contracts.lifecycle import Enter
from contracts.status import HoldReason, Status, StepKind
from tests.activities.conftest import World
from tests.activities.metric_rows import breaker, calls, half_open_breaker, open_breaker, roll, set_breaker
from tests.activities.turns import at_classify, end, run_step, wakes


async def held(world: World, n: int = 0) -> UUID:
    """A message that holds because another one has the turn."""
    message = await at_classify(world, n)
    await set_breaker(
        world, turn_holder="somebody", turn_until=await world.sql.fetchval("SELECT now() + interval '1 min'")
    )
    route = await run_step(world, message)
    assert route.hold is HoldReason.LLM_BREAKER
    await end(world, message, route)
    return message


async def started(world: World, *messages: UUID) -> None:
    """Their workflows run, so that a wake has an address."""
    for message in messages:
        assert await world.sql.fetchval("SELECT count(*) FROM start_queue WHERE workflow_id = $1", f"message/{message}")


async def test_one_model_step_at_a_time_while_the_breaker_is_open(world: World) -> None:
    """P96: the second holds with `llm_breaker` and a time; the first one's end wakes it, and then it goes on."""
    one, two = await at_classify(world, 1), await at_classify(world, 2)
    await open_breaker(world)
    begun, go = asyncio.Event(), asyncio.Event()

    async def slowly() -> None:
        begun.set()
        await go.wait()

    first = asyncio.create_task(run_step(world, one, slowly))
    await begun.wait()
    await end(world, two, await run_step(world, two))
    row = await world.row(two)
    assert (row["processing_status"], row["hold_reason"]) == ("classifying", "llm_breaker")
    assert row["hold_until"] > (await breaker(world))["tripped_at"] + timedelta(seconds=899)
    assert (await world.steps(two))["classify"] == "pending"
    assert (await world.do(two, Enter())).view and (await world.row(two))["hold_reason"] == "llm_breaker"
    go.set()
    assert (await first).to is Status.DRAFTING
    assert await wakes(world) == [str(two)]
    await world.do(two, Enter())
    assert (await world.row(two))["hold_reason"] is None and (await world.steps(two))["classify"] == "running"
    assert (await run_step(world, two)).to is Status.DRAFTING


@pytest.mark.parametrize("state", ["closed", "half_open"])
async def test_nobody_takes_turns_otherwise(world: World, state: str) -> None:
    """P96: closed and half-open, steps run side by side."""
    messages = [await at_classify(world, n) for n in range(3)]
    if state == "half_open":
        await half_open_breaker(world)
    together = asyncio.Barrier(3)

    async def meet() -> None:
        await together.wait()

    routes = await asyncio.wait_for(asyncio.gather(*(run_step(world, m, meet) for m in messages)), 20)
    assert {route.to for route in routes} == {Status.DRAFTING}


async def test_after_a_failure_the_next_turn_waits(world: World) -> None:
    """P96: an endpoint that is down is asked now and then; the failed step holds and uses up no tries."""
    await open_breaker(world)
    waiting = await held(world, 1)
    failing = await at_classify(world, 2)
    await set_breaker(world, turn_holder=None, turn_until=None)

    async def fail() -> None:
        raise TransientFault("down")

    with pytest.raises(ApplicationError):
        await run_step(world, failing, fail)
    assert (await run_step(world, failing)).hold is HoldReason.LLM_BREAKER
    rows = await world.sql.fetch("SELECT workflow_id, next_try_at - created_at AS later FROM wake_queue")
    assert [r["workflow_id"] for r in rows] == [f"message/{waiting}"]
    assert timedelta(seconds=59) < rows[0]["later"] < timedelta(seconds=62)


async def test_a_failure_the_step_swallows_rests_the_turn_too(world: World) -> None:
    """P96, P56: a scan goes on without its guard; the ledger's hook still knows that the call failed."""
    message = await at_classify(world)
    await open_breaker(world)

    async def guard_fails() -> None:
        await Breakers(world.database).model_call_failed(world.mailbox_id)

    assert (await run_step(world, message, guard_fails)).hold is None
    row = await breaker(world)
    assert row["turn_holder"] is None and row["turn_until"] is not None and not row["turn_failed"]


async def test_one_that_waits_alone_looks_again_soon(world: World) -> None:
    """P96: with nobody before it to wake it, it comes back when the rest is over, long before the cool-down is."""
    await open_breaker(world)
    until = await world.sql.fetchval("SELECT now() + interval '40 s'")
    message = await at_classify(world)
    await set_breaker(world, turn_until=until)
    await end(world, message, await run_step(world, message))
    assert (await world.row(message))["hold_until"] == until + timedelta(seconds=1)


@pytest.mark.parametrize("after", ["closed", "half_open"])
async def test_all_go_on_when_the_breaker_closes_or_half_opens(world: World, after: str) -> None:
    """P96: the holds end by themselves."""
    await open_breaker(world)
    messages = [await held(world, n) for n in range(3)]
    await started(world, *messages)
    if after == "half_open":
        await open_breaker(world, ago=timedelta(minutes=16))
    else:
        await half_open_breaker(world)
        await calls(world, "ok", 10)
    await roll(world)
    assert (await breaker(world))["state"] == after
    assert await wakes(world) == [str(m) for m in messages]
    for message in messages:
        await world.do(message, Enter())
    assert [(await world.row(m))["hold_reason"] for m in messages] == [None] * 3


async def test_a_hold_that_comes_too_late_is_none(world: World) -> None:
    """P96: the breaker closed between the step's answer and its hold; nobody would wake it, so it runs again."""
    await open_breaker(world)
    message = await at_classify(world)
    await set_breaker(world, turn_holder="x", turn_until=await world.sql.fetchval("SELECT now() + interval '1 min'"))
    route = await run_step(world, message)
    await set_breaker(world, state="closed")
    await end(world, message, route)
    assert (await world.row(message))["hold_reason"] is None
    assert (await world.steps(message))["classify"] == "running"


async def test_the_first_after_the_cool_down_half_opens(world: World) -> None:
    """P95, P96: no rollup is needed for a step to go on after the cool-down."""
    message = await at_classify(world)
    await open_breaker(world, ago=timedelta(minutes=16))
    assert (await run_step(world, message)).to is Status.DRAFTING
    row = await breaker(world)
    assert (row["state"], row["turn_holder"]) == ("half_open", None)


async def test_a_turn_dies_with_its_time(world: World) -> None:
    """P96: a killed worker keeps the turn no longer than a step may take; the rollup wakes the longest wait."""
    await open_breaker(world)
    first, second = await held(world, 1), await held(world, 2)
    await started(world, first, second)
    await roll(world)
    assert await wakes(world) == []
    await set_breaker(world, turn_until=await world.sql.fetchval("SELECT now() - interval '1 s'"))
    await roll(world)
    assert await wakes(world) == [str(first)]
    await world.do(first, Enter())
    assert (await run_step(world, first)).to is Status.DRAFTING


async def test_a_held_scan_was_no_scan(world: World) -> None:
    """P96, P44: nothing is taken over from a scan that did not run, and its step is pending."""
    message = await world.arrive()
    await world.enter(message)
    await open_breaker(world)
    await set_breaker(world, turn_holder="x", turn_until=await world.sql.fetchval("SELECT now() + interval '1 min'"))
    route = await run_step(world, message, kind=StepKind.SECURITY_SCAN)
    await end(world, message, route, StepKind.SECURITY_SCAN)
    row = await world.row(message)
    assert (row["processing_status"], row["hold_reason"]) == ("security_check", "llm_breaker")
    assert row["security_flags"] is None and (await world.steps(message))["security_scan"] == "pending"
    assert not await world.sql.fetchval("SELECT permanent FROM contacts LIMIT 1")


async def test_a_step_without_a_model_needs_no_turn(world: World) -> None:
    """P60, P96: with the agent off the scan asks no model and is not held."""
    message = await world.arrive()
    await world.enter(message)
    await world.sql.execute("UPDATE feature_flags SET is_on = false WHERE flag = 'ai.agent'")
    await open_breaker(world)
    await set_breaker(world, turn_holder="x", turn_until=await world.sql.fetchval("SELECT now() + interval '1 min'"))
    assert (await run_step(world, message, kind=StepKind.SECURITY_SCAN)).hold is None
