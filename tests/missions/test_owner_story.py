"""The life of an owner mission: assign, result, inspection, acknowledgement, explicit completion (M92-M95)."""

from contracts.missions import MissionStatus
from contracts.missions_agent import AgentStep, Role, Seat
from tests.missions.conftest import Desk
from tests.missions.script import DONE, answers, called, delegation, result, say, use, use_results


def assigns_then_completes(*keys: str) -> object:
    """Assigns all keys on the goal, acknowledges each result, completes when the last one is used."""
    used: set[str] = set()

    def rule(seat: Seat) -> AgentStep:
        if seat.inputs and seat.inputs[0].kind == "goal":
            return say("assigned") if called(seat, "assign") else use(*[("assign", delegation(key)) for key in keys])
        if called(seat, "acknowledge"):
            used.update(i.ref for i in seat.inputs if i.kind.endswith("_result"))
            return use(DONE) if len(used) == len(keys) and not called(seat, "complete") else say()
        return use_results(seat)

    return rule


async def test_two_tasks_are_assigned_used_once_and_the_mission_completes(desk: Desk) -> None:
    """Assign goes on, results arrive unpolled, each is used once, and only `complete` ends the mission."""
    # M1 M3 M4 M7 M8 M9 M10 M18 M34 M35 M93 M95 T2 T3
    desk.rules = {Role.SUPERVISOR: assigns_then_completes("refund", "address"), Role.TASK: lambda _: result()}
    story = await desk.begin()
    end = await story.end()
    assert end.status is MissionStatus.COMPLETED
    assert await story.stages() == {"refund": "retired", "address": "retired"}
    effects = await story.effects()
    assert [e for e in effects if e[0] == "complete"] == [("complete", "complete", "completed")]
    assert sorted(e[1] for e in effects if e[0] == "launch") == ["address", "refund"]
    assert sum(e[0] == "acknowledge" and e[2] == "completed" for e in effects) == 2
    assert all(state == "finished" for _, _, state in await story.turns())
    assert answers(desk.seats[-1])[-1].startswith("ok")
