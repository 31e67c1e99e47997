"""The build fence: a worker of an older build that still runs after a promotion claims no send (D8, RS-72)."""

from uuid import UUID, uuid4

import pytest

from activities.follow_up import FollowUp
from contracts.follow_up import FollowUpAct, FollowUpCommand
from contracts.workflow import Wake
from tests.faults.house import BUILD, House, eventually
from tests.faults.promise import attempts_of, check_promise

pytestmark = pytest.mark.asyncio(loop_scope="module")

STEPS_AND_SEND = 5  # remote activities of a message that was handed over: four steps and `deliver`


async def test_an_old_build_claims_nothing_and_the_new_one_sends_once(house: House) -> None:
    """RS-72: promoted while the old worker runs; its send activity leaves the row `ready`; the new build sends once."""
    await house.rows("UPDATE current_build SET build_id = 'old-build'")
    await house.start_worker(build_id="old-build")
    message = await house.accept()
    await house.until(message, "draft_ready")
    await house.rows("UPDATE current_build SET build_id = $1", BUILD)
    await house.approve_by_signal(message)
    await eventually(lambda: _came_back(house, message), "the old build's send activity came back")
    row = (await house.rows("SELECT state, attempt, rfc_message_id FROM outbox"))[0]
    assert (row["state"], row["attempt"], house.servers.accepted()[row["rfc_message_id"]]) == ("ready", 0, 0)
    await house.kill(house.worker)
    await house.start_worker()
    # The sweep would do this once the send is overdue by 20 s.
    await house.workflow(message).signal("wake", Wake(cause="test"))
    await house.until(message, "sent")
    assert house.servers.accepted()[row["rfc_message_id"]] == 1
    await check_promise(house, [message])
    await _send_again_is_made_once_however_often_it_is_called(house)


async def _came_back(house: House, message: UUID) -> bool:
    history = await house.workflow(message).fetch_history()
    completed = sum(event.HasField("activity_task_completed_event_attributes") for event in history.events)
    return await attempts_of(house, message, "deliver") == 1 and completed == STEPS_AND_SEND


async def _send_again_is_made_once_however_often_it_is_called(house: House) -> None:
    """OB3, P97a: a call lost after its commit is made again and finds the next generation; one row, one start order."""
    await house.kill(house.worker)
    outbox = await _ambiguous_follow_up(house)
    command = FollowUpCommand(outbox_id=outbox, act=FollowUpAct.SEND_AGAIN, actor="user:1")
    assert [(await FollowUp(house.database).apply(command)).closed for _ in range(2)] == [True, True]
    rows = await house.rows("SELECT id, generation, state FROM outbox WHERE previous_id = $1", outbox)
    assert [(row["generation"], row["state"]) for row in rows] == [(2, "ready")]
    orders = await house.rows("SELECT workflow_id FROM start_queue WHERE workflow_type = 'ReplyWorkflow'")
    assert [order["workflow_id"] for order in orders] == [f"reply/{rows[0]['id']}"]


async def _ambiguous_follow_up(house: House) -> UUID:
    """A further reply on the thread of the sent one, whose delivery is in doubt."""
    outbox = uuid4()
    await house.rows(
        """INSERT INTO outbox (id, mailbox_id, message_id, thread_id, reply_slot, state, automatic, decided_by,
            revision, sender, recipients, recipients_hash, subject, body_sha256, rfc_message_id, send_at)
           SELECT $1, mailbox_id, message_id, thread_id, 'followup:1', 'ambiguous', false, decided_by, revision,
            sender, recipients, recipients_hash, subject, body_sha256, $1::uuid::text || '@shop.example', now()
           FROM outbox""",
        outbox,
    )
    return outbox
