"""The build fence: a worker of an older build that still runs after a promotion claims no send (D8, RS-72)."""

import pytest

from contracts.workflow import Wake
from tests.faults.house import BUILD, House, eventually
from tests.faults.promise import attempts_of, check_promise

pytestmark = pytest.mark.asyncio(loop_scope="module")

STEPS_AND_SEND = 5  # remote activities of a message that was handed over: four steps and `deliver`


async def test_an_old_build_claims_nothing_and_the_new_one_sends_once(house: House) -> None:
    """RS-72: promoted while the old worker runs; its send activity leaves the row `ready`; the new build sends it once."""
    await house.rows("UPDATE current_build SET build_id = 'old-build'")
    await house.start_worker(build_id="old-build")
    message = await house.accept()
    await house.until(message, "draft_ready")
    await house.rows("UPDATE current_build SET build_id = $1", BUILD)
    await house.approve_by_signal(message)

    async def came_back() -> bool:
        history = await house.workflow(message).fetch_history()
        last = [event.event_type for event in history.events if event.HasField("activity_task_completed_event_attributes")]
        return await attempts_of(house, message, "deliver") == 1 and len(last) == STEPS_AND_SEND

    await eventually(came_back, "the old build's send activity came back")
    row = (await house.rows("SELECT state, attempt, rfc_message_id FROM outbox"))[0]
    assert (row["state"], row["attempt"], house.servers.accepted()[row["rfc_message_id"]]) == ("ready", 0, 0)
    await house.kill(house.worker)
    await house.start_worker()
    # The sweep would do this once the send is overdue by 20 s.
    await house.workflow(message).signal("wake", Wake(cause="test"))
    await house.until(message, "sent")
    assert house.servers.accepted()[row["rfc_message_id"]] == 1
    await check_promise(house, [message])
