"""Steps that may not ask a model now: one at a time while models fail, none beyond the money; all go on by themselves
(P96, P111)."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from temporalio.exceptions import ApplicationError

from activities.breakers import Breakers
from activities.steps.frame import StepTools, _guarded
from contracts.errors import TransientFault
from contracts.lifecycle import EndStep, Enter
from contracts.llm import Tier
from contracts.outputs import ClassifyOutput
from contracts.status import HoldReason, Status, StepKind
from contracts.steps import Route, RunContext, StepInput, transition
from tests.activities.conftest import World, classify_output, context_output, mail_bytes, scan_output
from tests.activities.metric_rows import breaker, calls, half_open_breaker, open_breaker, roll, set_breaker

Work = Callable[[], Awaitable[None]]


async def nothing() -> None:
    """Work that is done at once."""


async def at_classify(world: World, n: int = 0) -> UUID:
    """A message whose classify step is running."""
    message = await world.arrive(mail_bytes(sender=f"turn{n}@kunde.example"))
    await world.enter(message)
    scanned = {"to": Status.CLASSIFYING, "next_step": StepKind.CONTEXT_RETRIEVAL}
    await world.end(message, StepKind.SECURITY_SCAN, scan_output(), **scanned)
    await world.end(message, StepKind.CONTEXT_RETRIEVAL, context_output(), next_step=StepKind.CLASSIFY)
    return message


async def run_step(world: World, message: UUID, work: Work = nothing, kind: StepKind = StepKind.CLASSIFY) -> Route:
    """The step activity of a step that asks a model, around `work`."""

    async def execute(context: object, step: StepInput) -> ClassifyOutput:
        await work()
        return classify_output()

    def route(output: ClassifyOutput, step: StepInput, row: Any) -> Route:
        return transition(Status.DRAFTING, next_step=StepKind.DRAFT)

    module: Any = SimpleNamespace(KIND=kind, TIER=Tier.FAST, OUTPUT=ClassifyOutput, execute=execute, route=route)
    async with world.database.transaction() as tx:
        row = await tx.must("step_message", message)
    run = RunContext(
        message_id=message, mailbox_id=world.mailbox_id, thread_id=row["thread_id"], run_no=row["run_no"],
        restart_no=row["restart_no"],
    )  # fmt: skip
    tools = StepTools(database=world.database, models=None)  # type: ignore[arg-type]
    return await _guarded(module, tools, StepInput(run=run, step=kind))


async def end(world: World, message: UUID, route: Route, kind: StepKind = StepKind.CLASSIFY) -> None:
    """What the workflow does with a step's route."""
    row = await world.row(message)
    act = EndStep(step=kind, to=route.to, next_step=route.next_step, reason=route.reason, hold=route.hold)
    await world.do(message, act, f"{row['run_no']}.{row['restart_no']}:{kind}:end")


async def held(world: World, n: int = 0) -> UUID:
    """A message that holds because another one has the turn."""
    message = await at_classify(world, n)
    await set_breaker(world, turn_holder="somebody", turn_until=await world.sql.fetchval("SELECT now() + interval '1 min'"))
    route = await run_step(world, message)
    assert route.hold is HoldReason.LLM_BREAKER
    await end(world, message, route)
    return message


async def wakes(world: World) -> list[str]:
    """Whose workflows are to be woken, in order."""
    rows = await world.sql.fetch("SELECT workflow_id FROM wake_queue ORDER BY created_at")
    return [r["workflow_id"].removeprefix("message/") for r in rows]


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
    """P96: an endpoint that is down is asked now and then; the failed step itself holds instead of using up its tries."""
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
    """P96: with nobody before it to wake it, it comes back when the rest is over, not when the breaker has cooled down."""
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
    """P96: a killed worker keeps the turn no longer than a step may take; the rollup wakes the one that waits longest."""
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


# ---------------------------------------------------------------- money


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
    assert (row["processing_status"], row["hold_reason"], row["hold_until"]) == ("classifying", "spend_ceiling", midnight)


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
    assert 1 <= len(let_through) <= 2
    assert [r.hold for r in routes].count(HoldReason.SPEND_CEILING) == 10 - len(let_through)
    late = next(m for m, r in zip(messages, routes, strict=True) if r.hold)
    await end(world, late, routes[messages.index(late)])
    row = await world.row(late)
    assert timedelta(0) < row["hold_until"] - row["changed_at"] <= timedelta(seconds=31)
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
