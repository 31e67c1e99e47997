"""Owner gates: what opens one, what answers it, and what never does (M36, M45-M58)."""

import asyncio

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

from adapters.missions import MissionRefused
from contracts.missions import MissionStatus
from contracts.missions_agent import AgentStep, Role, Seat
from contracts.missions_calls import CancelOrder, InputAnswer
from tests.faults.looking import eventually
from tests.missions.conftest import Desk, Story
from tests.missions.script import DONE, GATE, answers, called, delegation, result, say, use, use_results


def asks_then_completes(seat: Seat) -> AgentStep:
    """A gate on the goal; completes on the owner's answer."""
    if seat.inputs and seat.inputs[0].kind == "instruct":
        return use(DONE)
    return use(("request_owner_gate", GATE))


def kind_of(error: pytest.ExceptionInfo[WorkflowUpdateFailedError]) -> str | None:
    """The word of a refused update."""
    cause = error.value.cause
    return cause.type if isinstance(cause, ApplicationError) else None


async def gated(desk: Desk) -> Story:
    """A mission at its gate."""
    desk.rules = {Role.SUPERVISOR: asks_then_completes}
    story = await desk.begin()
    await story.until(MissionStatus.OWNER_GATE)
    return story


async def test_a_gate_says_what_is_asked_and_is_answered_once(desk: Desk) -> None:
    """The five things stand on the gate; an input that names it makes exactly one turn, a repeat is the same turn."""
    # M36 M53 M54 M55 M118 M132
    story = await gated(desk)
    gate = await story.gate()
    assert (gate["state"], gate["reason"]) == ("open_visible", "ambiguous_meaning")
    assert gate["decision_wanted"] == "Which week?"
    assert all(gate[name] for name in ("why_not_derived", "finished_meanwhile", "cost_of_waiting", "safe_next_step"))
    one, two = await asyncio.gather(
        story.say("last week", gate_id=gate["gate_id"], request_id="click-0001"),
        story.say("last week", gate_id=gate["gate_id"], request_id="click-0001"),
    )
    assert one.item_id == two.item_id
    assert (await story.end()).status is MissionStatus.COMPLETED
    turns = await story.turns()
    assert [kind for _, kind, _ in turns] == ["owner_input", "owner_input"]
    assert (await story.gate())["state"] == "consumed"
    row = await story.row()
    assert (row["gate_epoch"], row["resumed_from"]) == (1, gate["gate_id"])
    effect = await desk.rows("SELECT gate_id FROM mission_effects WHERE kind = 'complete'")
    assert effect[0]["gate_id"] == gate["gate_id"]


async def test_old_missing_and_changed_answers_are_refused_without_effect(desk: Desk) -> None:
    """No gate named, another gate named, the same id with other words, a closed mission: each its own refusal."""
    # M53 M118 T31
    story = await gated(desk)
    gate = await story.gate()
    for gate_id, word in (("", "gate_required"), ("9.9", "old_gate")):
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await story.say("yes", gate_id=gate_id)
        assert kind_of(refused) == word
    assert (await story.row())["status"] == "owner_gate"
    await story.say("last week", gate_id=gate["gate_id"], request_id="click-0001")
    with pytest.raises(MissionRefused) as conflict:
        await story.say("this week", gate_id=gate["gate_id"], request_id="click-0001")
    assert conflict.value.code == "conflict"
    await story.end()
    await story.until(MissionStatus.COMPLETED)
    with pytest.raises(MissionRefused) as closed:
        await story.say("more")
    assert closed.value.status == 410


async def test_a_failed_check_is_no_reason_for_a_gate(desk: Desk) -> None:
    """A gate is an owner's decision; the supervisor is told so and the mission goes on."""
    # M49 M51 T32
    def rule(seat: Seat) -> AgentStep:
        if called(seat, "request_owner_gate"):
            return use(DONE)
        return use(("request_owner_gate", GATE | {"reason": "check_failed"}))

    desk.rules = {Role.SUPERVISOR: rule}
    story = await desk.begin()
    assert (await story.end()).status is MissionStatus.COMPLETED
    assert any("not_an_owner_decision" in body for seat in desk.seats for body in answers(seat))
    assert await desk.rows("SELECT 1 FROM mission_gates") == []


async def test_a_gate_waits_for_working_tasks(desk: Desk) -> None:
    """A requested gate shows beside the live tasks and opens only when they are resolved."""
    # M5 M52 T33
    hold = asyncio.Event()

    async def working(seat: Seat) -> AgentStep:
        await hold.wait()
        return result()

    def rule(seat: Seat) -> AgentStep:
        if seat.inputs and seat.inputs[0].kind.endswith("_result"):
            return use_results(seat)
        if not called(seat, "assign"):
            return use(("assign", delegation("one")), ("assign", delegation("two")))
        return use(("request_owner_gate", GATE))

    desk.rules = {Role.SUPERVISOR: rule, Role.TASK: working}  # type: ignore[dict-item]
    story = await desk.begin()
    asked = "SELECT count(*) = 1 FROM mission_gates WHERE mission_id = $1 AND state = 'requested'"
    await story.until_sql(asked, "the gate is asked for")
    assert (await story.row())["status"] == "open"
    hold.set()
    await story.until(MissionStatus.OWNER_GATE)
    assert set((await story.stages()).values()) == {"retired"}
    await story.handle.execute_update("cancel", CancelOrder(request_id="cancel-01"), result_type=InputAnswer)
    assert (await story.end()).status is MissionStatus.CANCELLED
    assert (await story.gate())["state"] == "withdrawn"


async def test_cancel_leaves_nothing_deliverable_and_frees_everything(desk: Desk) -> None:
    """Turns, transports, children and leases end in the very step; a second cancel changes nothing."""
    # M28 M32 M37 M77 M78 T20 T23
    async def never(seat: Seat) -> AgentStep:
        await asyncio.sleep(3600)
        return say()

    desk.rules = {
        Role.SUPERVISOR: lambda s: say() if called(s, "assign") else use(("assign", delegation("one"))),
        Role.TASK: never,  # type: ignore[dict-item]
    }
    story = await desk.begin()
    await story.until_working()
    for _ in range(2):
        order = CancelOrder(request_id="cancel-01")
        await story.handle.execute_update("cancel", order, id="x", result_type=InputAnswer)
    assert (await story.end()).status is MissionStatus.CANCELLED
    await story.until(MissionStatus.CANCELLED)
    assert await story.stages() == {"one": "cancelled"}

    async def quiet() -> bool:
        rows = await desk.rows(
            """SELECT (SELECT count(*) FROM mission_inbox WHERE state = 'pending')
                + (SELECT count(*) FROM capacity_leases WHERE state IN ('waiting', 'granted'))
                + (SELECT count(*) FROM mission_turns WHERE state IN ('queued', 'claimed', 'admitted') AND scope = $1)
                AS left""",
            story.workflow_id,
        )
        return rows[0]["left"] == 0

    await eventually(quiet, "nothing is left behind", 30)


async def test_a_final_ends_nothing_and_the_65th_asks_the_owner(quick_desk: Desk) -> None:
    """However often a model says it is done: 64 finals leave it open, the 65th opens the gate of the guard."""
    # M2 M33 M40 M41 M42 M47 M48 M114 T1 T24 T25
    quick_desk.rules = {Role.SUPERVISOR: lambda _: say("Mission complete, all replies sent.")}
    story = await quick_desk.begin()
    await story.until(MissionStatus.OWNER_GATE)
    turns = await story.turns()
    assert len(turns) == 65 and {state for _, _, state in turns} == {"finished"}
    gate = await story.gate()
    assert (gate["reason"], gate["state"]) == ("idle_guard", "open_visible")
    history = [e async for e in story.handle.fetch_history_events()]
    waits = [
        e.timer_started_event_attributes.start_to_fire_timeout.ToSeconds()
        for e in history if e.HasField("timer_started_event_attributes")
    ]  # fmt: skip
    assert waits[:8] == [1, 2, 4, 8, 16, 30, 30, 30] and set(waits[8:]) == {30}


async def test_a_mission_at_its_turn_limit_asks_and_goes_on_with_a_higher_one(desk: Desk) -> None:
    """The limit stops the next model turn, not a later one; the owner raises it and the mission goes on."""
    # M47a T25a
    desk.rules = {Role.SUPERVISOR: lambda s: use(DONE) if s.inputs and s.inputs[0].kind == "instruct" else say()}
    story = await desk.begin(turn_limit=2)
    await story.until(MissionStatus.OWNER_GATE)
    gate = await story.gate()
    assert gate["reason"] == "limit_reached" and len(desk.seats) == 2
    await story.say("go on", gate_id=gate["gate_id"], turn_limit=5)
    assert (await story.end()).status is MissionStatus.COMPLETED
