"""Results: read before use, used once, never invented; capacity, handoffs and recovery on the way (M15-M24, M59)."""

import asyncio
import json
from uuid import uuid4

from contracts.missions import MissionStatus
from contracts.missions_agent import AgentStep, Role, Seat
from tests.missions.conftest import Desk
from tests.missions.script import (
    DONE,
    acknowledgement,
    answers,
    called,
    delegation,
    result,
    say,
    use,
    use_results,
)


def one_task(mode: str = "assign", **more: object) -> object:
    """Delegates one task, uses its result, completes."""

    def rule(seat: Seat) -> AgentStep:
        if any(i.kind.endswith("_result") for i in seat.inputs):
            return use_results(seat, use(DONE))
        return say() if called(seat, mode) else use((mode, delegation("refund", **more)))

    return rule


async def test_acknowledging_needs_reading_and_the_right_digest(desk: Desk) -> None:
    """Before reading, with a wrong digest, twice, for another's result, and completing early: each refused by name."""
    # M20 M76 M96 M101 M102 T11 T12 T13 T14 T15
    def rule(seat: Seat) -> AgentStep:
        if not any(i.kind.endswith("_result") for i in seat.inputs):
            return say() if called(seat, "assign") else use(("assign", delegation("refund")))
        ref = seat.inputs[0].ref
        if not called(seat, "acknowledge"):
            return use(
                ("acknowledge", {"result_id": ref, "digest": "0" * 64}),
                ("acknowledge", {"result_id": str(uuid4()), "digest": "0" * 64}),
            )
        if not called(seat, "read_result"):
            return use(("read_result", {"result_id": ref}))
        read = json.loads(answers(seat, "read_result")[0])
        if len(called(seat, "acknowledge")) == 2:
            return use(("acknowledge", acknowledgement(read) | {"digest": "0" * 64}))
        if not called(seat, "complete"):
            return use(DONE)
        if len(called(seat, "acknowledge")) == 3:
            return use(("acknowledge", acknowledgement(read)), ("acknowledge", acknowledgement(read)))
        return use(DONE)

    desk.rules = {Role.SUPERVISOR: rule, Role.TASK: lambda _: result()}
    story = await desk.begin()
    assert (await story.end()).status is MissionStatus.COMPLETED
    told = [body for body in answers(desk.seats[-1]) if not body.startswith("{")]
    assert told == [
        "refused: not_read", "refused: no_such_result", "refused: wrong_digest", "refused: tasks_not_acknowledged",
        "ok: acknowledged", "refused: duplicate",
    ]  # fmt: skip
    row = (await desk.rows("SELECT verified, used, acknowledged_by_turn FROM task_results"))[0]
    assert (row["verified"], row["used"]) == (False, "used")


async def test_an_unusable_result_is_refused_until_there_is_one(desk: Desk) -> None:
    """Unknown fields, NUL, too large, progress only, cut off: told to the task by name; words alone are no result."""
    # M19 M104 M105 M106 T4 T17a
    tries = iter(
        [
            use(("submit_result", {"summary": "x", "mood": "good"})),
            use(("submit_result", {"summary": "a\x00b"})),
            use(("submit_result", {"summary": "x", "fragments": [{"text": "y" * 70_000}]})),
            use(("submit_result", {"summary": "still working on it"})),
            use(("submit_result", {"summary": "Here is the list,"})),
            say("I am done."),
            result("The refund is due."),
        ]
    )
    desk.rules = {Role.SUPERVISOR: one_task("handoff"), Role.TASK: lambda _: next(tries)}  # type: ignore[dict-item]
    story = await desk.begin()
    await story.end()
    task = [seat for seat in desk.seats if seat.role is Role.TASK]
    codes = [body for body in answers(task[5]) if body.startswith("refused")]
    assert [code.split(": ")[1] for code in codes] == [
        "unknown_field", "nul_character", "too_large", "progress_only", "truncated",
    ]  # fmt: skip
    turns = await desk.rows("SELECT kind FROM mission_turns WHERE scope LIKE '%/task/%' ORDER BY turn_no")
    assert [row["kind"] for row in turns] == ["owner_input", "continuation"]


async def test_a_handoff_waits_for_the_answer_and_gets_it_next(desk: Desk) -> None:
    """No step of the supervisor between handoff and answer, owner input included; then the answer is the next input."""
    # M11 M12 M13 M108 M110
    hold = asyncio.Event()

    async def task(seat: Seat) -> AgentStep:
        await hold.wait()
        return result()

    desk.rules = {Role.SUPERVISOR: one_task("handoff"), Role.TASK: task}  # type: ignore[dict-item]
    story = await desk.begin()
    await story.until_working()
    await story.say("are you there?")
    await asyncio.sleep(1)
    assert sum(seat.role is Role.SUPERVISOR for seat in desk.seats) == 1
    hold.set()
    await story.end()
    kinds = [kind for _, kind, _ in await story.turns()]
    assert kinds[:2] == ["owner_input", "handoff_results"]
    row = (await desk.rows("SELECT mode, delegated_by_turn, parent_workflow_id FROM task_attempts"))[0]
    assert tuple(row) == ("handoff", 1, story.workflow_id)


async def test_without_room_a_task_waits_and_is_launched_once(desk: Desk) -> None:
    """A full pool is a recorded `not_admitted`; the identical launch happens when a slot is free, once."""
    # M15 M16 M17 M24 M127 M128 T6 T17
    await desk.sql.execute("UPDATE capacity_pools SET max_leases = 1 WHERE pool = 'work_contexts'")
    hold = asyncio.Event()
    used: set[str] = set()

    async def task(seat: Seat) -> AgentStep:
        await hold.wait()
        return result()

    def rule(seat: Seat) -> AgentStep:
        if seat.inputs and seat.inputs[0].kind == "goal":
            return say() if called(seat, "assign") else use(("assign", delegation("a")), ("assign", delegation("b")))
        used.update(i.ref for i in seat.inputs)
        return use_results(seat, use(DONE) if len(used) == 2 else say())

    desk.rules = {Role.SUPERVISOR: rule, Role.TASK: task}  # type: ignore[dict-item]
    story = await desk.begin()
    await story.until_working()
    assert await story.stages() == {"a": "working", "b": "not_admitted"}
    assert [e for e in await story.effects() if e[1] == "b"] == [("launch", "b", "not_admitted")]
    hold.set()
    assert (await story.end()).status is MissionStatus.COMPLETED
    assert [e for e in await story.effects() if e[1] == "b"] == [("launch", "b", "completed")]
    leases = await desk.rows("SELECT state FROM capacity_leases WHERE pool = 'work_contexts'")
    assert [row["state"] for row in leases] == ["released", "released"]


async def test_the_same_task_twice_is_a_duplicate_and_a_finished_one_is_offered(desk: Desk) -> None:
    """Twice in a turn: duplicate. A further attempt while a complete result stands: refused."""
    # M17 M97 T9 T53
    def rule(seat: Seat) -> AgentStep:
        if any(i.kind.endswith("_result") for i in seat.inputs):
            if not called(seat, "assign"):
                return use(("assign", delegation("refund")))
            return use_results(seat, use(DONE))
        job = ("assign", delegation("refund"))
        return say() if called(seat, "assign") else use(job, job)

    desk.rules = {Role.SUPERVISOR: rule, Role.TASK: lambda _: result()}
    story = await desk.begin()
    await story.end()
    told = [body for seat in desk.seats for body in answers(seat, "assign")]
    assert "refused: duplicate" in told and "refused: earlier_result" in told
    assert len(await desk.rows("SELECT 1 FROM task_attempts")) == 1


async def test_a_terminated_child_is_recovered_twice_and_then_incomplete(desk: Desk) -> None:
    """Same attempt and result id through /r1 and /r2; then one incomplete notice, and no success is made up."""
    # M64 M65 M66 M67 M69 M122 T51 T52
    async def never(seat: Seat) -> AgentStep:
        await asyncio.sleep(3600)
        return say()

    desk.rules = {Role.SUPERVISOR: one_task(), Role.TASK: never}  # type: ignore[dict-item]
    story = await desk.begin()
    attempt = f"{story.workflow_id}/task/refund/1"
    for number, suffix in enumerate(("", "/r1", "/r2")):
        await story.until_sql(
            f"SELECT count(*) = {number + 1} FROM mission_turns WHERE mission_id = $1 AND scope LIKE '%/task/%' "
            "AND receipt_at IS NOT NULL",
            f"execution {number} works",
        )
        await desk.client.get_workflow_handle(f"{attempt}{suffix}").terminate("test")
    assert (await story.end()).status is MissionStatus.COMPLETED
    query = "SELECT r.*, a.recovery_used FROM task_results r JOIN task_attempts a ON attempt_id = result_id"
    row = (await desk.rows(query))[0]
    assert (row["status"], row["recovery_used"]) == ("incomplete", 2)
    assert "No result" in row["document"]
    notices = await desk.rows("SELECT 1 FROM mission_inbox WHERE kind = 'assigned_result'")
    assert len(notices) == 1


async def test_a_raising_turn_is_carried_on_by_a_new_one(desk: Desk) -> None:
    """After the receipt the same turn is never run again: a resume turn goes on, and effects done stay done."""
    # M73 M74 M75 M116 M117 T41
    failed: list[int] = []

    def rule(seat: Seat) -> AgentStep:
        if any(i.kind.endswith("_result") for i in seat.inputs):
            return use_results(seat, use(DONE))
        if not called(seat, "assign"):
            return use(("assign", delegation("refund")))
        if not failed:
            failed.append(seat.turn_no)
            raise ValueError("cut off")
        return use(("assign", delegation("refund"))) if len(called(seat, "assign")) == 1 else say()

    desk.rules = {Role.SUPERVISOR: rule, Role.TASK: lambda _: result()}
    story = await desk.begin()
    assert (await story.end()).status is MissionStatus.COMPLETED
    rows = await desk.rows(
        "SELECT turn_no, kind, outcome, continues_turn_no, resume_token_digest FROM mission_turns WHERE scope = $1 "
        "ORDER BY turn_no LIMIT 2",
        story.workflow_id,
    )
    assert [tuple(row)[:4] for row in rows] == [(1, "owner_input", "interrupted", None), (2, "resume", "final", 1)]
    assert rows[0]["resume_token_digest"] is None and rows[1]["resume_token_digest"]
    assert len(await desk.rows("SELECT 1 FROM task_attempts")) == 1


async def test_a_fault_that_stays_is_put_before_the_owner(desk: Desk) -> None:
    """The mission is neither closed nor hung: the recovery path is limited, then a gate names the fault."""
    # M38 M39 T23a
    desk.rules = {Role.SUPERVISOR: lambda _: 1 / 0}  # type: ignore[dict-item,return-value]
    story = await desk.begin()
    await story.until(MissionStatus.OWNER_GATE)
    gate = await story.gate()
    assert (gate["reason"], gate["detail"]) == ("fault", "Unexpected.ZeroDivisionError")
    assert [kind for _, kind, _ in await story.turns()] == ["owner_input", "resume", "resume"]


async def test_wrong_tools_are_told_counted_and_bounded(desk: Desk) -> None:
    """Unknown tools and wrong arguments go back to the model as errors; a turn that only does that ends."""
    # M14 M120 T5
    bad = [("send_mail", {"to": "x"}), ("assign", {"task_key": "NO!"}), ("complete", {}), ("submit_result", {})]

    def rule(seat: Seat) -> AgentStep:
        return use(DONE) if seat.turn_no > 1 else use(*bad)

    desk.rules = {Role.SUPERVISOR: rule}
    story = await desk.begin()
    await story.end()
    told = answers(desk.seats[-2]) if len(desk.seats) > 1 else []
    assert told[:2] == ["refused: unknown_tool", "refused: wrong_arguments: goal, task_key"]
    row = (await desk.rows("SELECT tool_faults, model_calls, outcome FROM mission_turns WHERE turn_no = 1"))[0]
    assert tuple(row) == (12, 3, "final")
