"""What a mission costs in history, and that it stays within it."""

from contracts.missions import MissionStatus
from contracts.missions_agent import Role
from tests.missions.conftest import Desk
from tests.missions.script import result
from tests.missions.test_owner_story import assigns_then_completes

TASKS = 5
MOST_EVENTS = 40
MOST_BYTES = 60_000


async def test_a_task_costs_at_most_forty_events_and_no_text(desk: Desk) -> None:
    """All events of mission and children over the number of tasks; goals and results stand in no history."""
    # M10 V17
    await desk.sql.execute("UPDATE capacity_pools SET max_leases = 10")
    keys = [f"t{n}" for n in range(TASKS)]
    desk.rules = {Role.SUPERVISOR: assigns_then_completes(*keys), Role.TASK: lambda _: result("The secret summary.")}
    story = await desk.begin("The secret goal.")
    assert (await story.end()).status is MissionStatus.COMPLETED
    events, text = 0, ""
    for workflow_id in (story.workflow_id, *(f"{story.workflow_id}/task/{key}/1" for key in keys)):
        history = await desk.client.get_workflow_handle(workflow_id).fetch_history()
        events += len(history.events)
        text += history.to_json()
    print(f"events_per_task: {events / TASKS}")
    assert events / TASKS <= MOST_EVENTS
    assert "secret" not in text and "c2VjcmV0" not in text
