"""A signal that was handled after a commit, and comes before it on replay, must not get the other call's outcome (A3a)."""

import json
from uuid import UUID

import pytest
from temporalio.api.enums.v1 import EventType

from contracts.workflow import SignalDecision
from tests.faults.house import House
from tests.faults.promise import check_promise

pytestmark = pytest.mark.asyncio(loop_scope="module")

# receive, enter, and the ends of scan, context and classify; that of draft is in the lost workflow task as well
BEFORE_THE_DRAFT = 5


async def test_each_call_gets_its_own_outcome_whatever_the_order_of_replay(house: House) -> None:
    """A3a, P16: the route's end is committed and lost, the approval signal is first on replay; one event each, sent once."""
    await house.start_worker("after_lifecycle/end_step/route")
    message = await house.accept()
    await house.held("after_lifecycle/end_step/route")
    await house.workflow(message).signal("approve", SignalDecision())
    await house.kill(house.worker)
    assert await house.status(message) == "draft_ready"
    await house.start_worker()
    await house.until(message, "sent")
    assert await _lifecycle_calls_before_the_signal(house, message) == BEFORE_THE_DRAFT
    assert await _outcomes(house, message) == {
        "1.0:route:end": ("drafting", "draft_ready"),
        "signal": ("draft_ready", "approved"),
    }
    await check_promise(house, [message])


async def _lifecycle_calls_before_the_signal(house: House, message: UUID) -> int:
    """Markers of local lifecycle calls that stand before the signal in the history."""
    count = 0
    async for event in house.workflow(message).fetch_history_events():
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
            return count
        details = event.marker_recorded_event_attributes.details
        data = json.loads(details["data"].payloads[0].data) if "data" in details else {}
        count += data.get("activity_type") == "lifecycle"
    raise AssertionError("the signal is not in the history")


async def _outcomes(house: House, message: UUID) -> dict[str, tuple[str, str]]:
    rows = await house.rows(
        """SELECT CASE WHEN outcome ->> 'from_status' = 'draft_ready' THEN 'signal' ELSE cause_key END AS cause,
            outcome ->> 'from_status' AS from_status, outcome ->> 'to_status' AS to_status
           FROM lifecycle_commands WHERE message_id = $1 AND outcome ->> 'from_status' IN ('drafting', 'draft_ready')
            AND outcome ->> 'from_status' <> outcome ->> 'to_status'""",
        message,
    )
    return {row["cause"]: (row["from_status"], row["to_status"]) for row in rows}
