"""Builds, outages and late words: who is shut out, and what is made good (M68, M70-M72, M79-M81, M103, M119, M133)."""

import asyncio
from datetime import timedelta
from uuid import uuid4

from activities.missions.effects import Effects
from activities.missions.submitting import record
from activities.missions.sweeping import MissionSweep
from adapters.missions import Teller
from contracts.missions import EffectKind, EffectState, InputKind, MissionStatus, ResultStatus
from contracts.missions_agent import AgentStep, Role, Seat
from contracts.missions_calls import CancelOrder, EffectOrder, InputAnswer
from contracts.missions_results import ResultDocument
from contracts.sweep import SweepRequest
from contracts.workflow import Wake
from domain.keys import Keyring
from tests.missions.conftest import BUILD, Desk, worker_of
from tests.missions.script import DONE, GATE, called, delegation, result, say, use, use_results
from tests.missions.test_gates import gated


async def test_another_build_has_no_effect_until_it_is_current_again(desk: Desk) -> None:
    """An effect of a worker whose build is not the promoted one is refused before anything happens, and repeated."""
    # M79 M80 M81 T54 T55 T56
    await desk.sql.execute("UPDATE current_build SET build_id = 'newer' WHERE component = 'worker'")
    desk.rules = {Role.SUPERVISOR: lambda _: use(DONE)}
    story = await desk.begin()
    await story.until_sql("SELECT count(*) = 1 FROM mission_proposals WHERE mission_id = $1", "proposed")
    await asyncio.sleep(1.5)
    assert await story.effects() == [] and (await story.row())["status"] == "open"
    await desk.sql.execute("DELETE FROM current_build WHERE component = 'worker'")
    await asyncio.sleep(1.5)
    assert await story.effects() == []
    promote = "INSERT INTO current_build (component, build_id, promoted_by) VALUES ('worker', $1, 't')"
    await desk.sql.execute(promote, BUILD)
    assert (await story.end()).status is MissionStatus.COMPLETED
    assert await story.effects() == [("complete", "complete", "completed")]


async def test_words_stored_while_nobody_listened_are_applied_once(idle_desk: Desk) -> None:
    """The sweep tells the workflow the stored input for its gate; a second sweep finds nothing to tell."""
    # M59 M70 M71 M72 T37
    async with worker_of(idle_desk):
        story = await gated(idle_desk)
    gate = await story.gate()
    await idle_desk.doors.say(
        story.mission_id, "click-0001", InputKind.INSTRUCT, "last week", actor="user:ada", gate_id=gate["gate_id"]
    )
    async with worker_of(idle_desk):
        sweep = MissionSweep(idle_desk.database, Teller(idle_desk.client), timedelta())
        await sweep.sweep(SweepRequest())
        assert (await story.end()).status is MissionStatus.COMPLETED
        await story.until(MissionStatus.COMPLETED)
        await sweep.sweep(SweepRequest())
    assert [kind for _, kind, _ in await story.turns()] == ["owner_input", "owner_input"]


async def test_a_restarted_worker_goes_on_without_an_extra_turn(idle_desk: Desk) -> None:
    """The same build comes back in the middle of a mission: no refusal, no turn more than without the restart."""
    # M59 M61 M79 T57
    hold = asyncio.Event()

    async def task(seat: Seat) -> AgentStep:
        await hold.wait()
        return result()

    def rule(seat: Seat) -> AgentStep:
        if any(i.kind.endswith("_result") for i in seat.inputs):
            return use_results(seat, use(DONE))
        return use(("handoff", delegation("refund")))

    idle_desk.rules = {Role.SUPERVISOR: rule, Role.TASK: task}  # type: ignore[dict-item]
    async with worker_of(idle_desk, graceful_shutdown_timeout=timedelta()):
        story = await idle_desk.begin()
        await story.until_working()
    hold.set()
    async with worker_of(idle_desk):
        assert (await story.end()).status is MissionStatus.COMPLETED
    assert [kind for _, kind, _ in await story.turns()] == ["owner_input", "handoff_results"]
    assert len(await idle_desk.rows("SELECT 1 FROM task_attempts")) == 1


async def test_late_and_different_results_lose(desk: Desk) -> None:
    """The same content again is the same result; other content is logged and changes nothing."""
    # M23 M68 M103 M107 T10
    desk.rules = {
        Role.SUPERVISOR: lambda s: say() if called(s, "assign") else use(("assign", delegation("refund"))),
        Role.TASK: lambda _: result("The refund is due."),
    }
    story = await desk.begin()
    await story.until_sql("SELECT count(*) = 1 FROM task_results WHERE mission_id = $1", "recorded")
    attempt_id = await desk.sql.fetchval("SELECT attempt_id FROM task_attempts")
    same = ResultDocument(summary="The refund is due.", checks=("looked",))
    async with desk.database.transaction() as tx:
        attempt = await tx.must("effect_attempt", attempt_id)
        again = await record(tx, attempt, same, ResultStatus.COMPLETE)
        late = await record(tx, attempt, ResultDocument(summary="No refund."), ResultStatus.COMPLETE)
    assert (again.state, late.state, late.code) == (EffectState.COMPLETED, EffectState.REJECTED, "other_content")
    assert len(await desk.rows("SELECT 1 FROM task_result_conflicts")) == 1
    assert len(await desk.rows("SELECT 1 FROM mission_inbox WHERE kind = 'assigned_result'")) == 1


async def test_proposals_of_a_turn_that_is_over_have_no_effect(desk: Desk) -> None:
    """A claim for an old turn, and one with another body than was proposed, are refused by the ledger's own look."""
    # M27 M63 M111 T22
    desk.rules = {Role.SUPERVISOR: lambda _: use(("request_owner_gate", GATE))}
    story = await desk.begin()
    await story.until(MissionStatus.OWNER_GATE)
    proposal = (await desk.rows("SELECT * FROM mission_proposals"))[0]
    order = EffectOrder(
        mission_id=story.mission_id, mailbox_id=desk.mailbox_id, scope=story.workflow_id, turn_no=1, gate_epoch=0,
        kind=EffectKind.COMPLETE, key="late", ref=proposal["id"], digest=proposal["digest"], token=str(uuid4()),
    )  # fmt: skip
    effects = Effects(desk.database, Keyring(b"k" * 32), BUILD)
    assert (await effects.apply(order)).code == "mission_not_open"
    assert (await effects.apply(order.model_copy(update={"digest": "0" * 64}))).code == "no_such_proposal"
    await story.say("go on", gate_id=(await story.gate())["gate_id"])
    await story.until_sql("SELECT current_turn_no = 2 FROM missions WHERE id = $1", "the next turn runs")
    late = await effects.apply(order.model_copy(update={"key": "later"}))
    assert late.code in ("turn_not_current", "mission_not_open")


async def test_mail_is_an_item_and_never_the_owners_word(desk: Desk) -> None:
    """It makes a turn of its own kind in an open mission; at a gate it is recorded and lifts nothing."""
    # M27 M53 M133 M134a M135a T63
    def rule(seat: Seat) -> AgentStep:
        if seat.inputs and seat.inputs[0].kind == "mail":
            return use(("request_owner_gate", GATE))
        return say()

    desk.rules = {Role.SUPERVISOR: rule}
    story = await desk.begin()
    message = uuid4()
    await story.handle.signal("mail_followup", Wake(cause=f"mail/{uuid4()}/{message}"))
    await story.until(MissionStatus.OWNER_GATE)
    await story.handle.signal("mail_followup", Wake(cause=f"mail/{uuid4()}/{message}"))
    tree = await story.handle.query("tree")
    assert tree["status"] == "owner_gate" and tree["gate_epoch"] == 0
    seat = next(seat for seat in desk.seats if seat.turn_kind == "inbox_message")
    assert (seat.inputs[0].from_owner, seat.inputs[0].text, seat.inputs[0].ref) == (False, "", str(message))


async def test_untouched_words_go_into_one_successor(desk: Desk) -> None:
    """What the owner said and nobody had touched when the mission completed starts a mission that names this one."""
    # M119 T23
    hold = asyncio.Event()

    async def rule(seat: Seat) -> AgentStep:
        await hold.wait()
        return use(DONE)

    desk.rules = {Role.SUPERVISOR: rule}  # type: ignore[dict-item]
    story = await desk.begin()
    admitted = "SELECT count(*) = 1 FROM mission_turns WHERE mission_id = $1 AND state = 'admitted'"
    await story.until_sql(admitted, "the turn runs")
    await story.say("and then the sales threads")
    hold.set()
    await story.end()
    await story.until_sql("SELECT count(*) = 1 FROM missions WHERE predecessor_id = $1", "a successor")
    row = (await desk.rows("SELECT * FROM missions WHERE predecessor_id = $1", story.mission_id))[0]
    assert row["workflow_id"] == f"{story.workflow_id}/next" and row["goal"] == "and then the sales threads"
    await desk.client.get_workflow_handle(row["workflow_id"]).result()


async def test_a_cancelled_task_cannot_hand_in_late(desk: Desk) -> None:
    """Given up by the owner while it works: its later words are logged and land nowhere."""
    # M68 M87 M88 M97
    hold = asyncio.Event()

    async def task(seat: Seat) -> AgentStep:
        await hold.wait()
        return result()

    desk.rules = {
        Role.SUPERVISOR: lambda s: say() if called(s, "assign") else use(("assign", delegation("refund"))),
        Role.TASK: task,  # type: ignore[dict-item]
    }
    story = await desk.begin()
    await story.until_working()
    order = CancelOrder(request_id="cancel-01", task_key="refund")
    await story.handle.execute_update("cancel", order, result_type=InputAnswer)
    gone = "SELECT count(*) = 1 FROM task_attempts WHERE mission_id = $1 AND stage = 'cancelled'"
    await story.until_sql(gone, "the task is given up")
    hold.set()
    attempt_id = await desk.sql.fetchval("SELECT attempt_id FROM task_attempts")
    async with desk.database.transaction() as tx:
        attempt = await tx.must("effect_attempt", attempt_id)
        late = await record(tx, attempt, ResultDocument(summary="Too late."), ResultStatus.COMPLETE)
    assert (late.state, late.code) == (EffectState.REJECTED, "attempt_cancelled")
    assert await desk.rows("SELECT 1 FROM task_results") == []
    assert (await story.row())["status"] == "open"
