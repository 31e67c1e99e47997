"""Calls that a lost worker makes twice although they remember no cause: the row itself must tell that it was done."""

from uuid import UUID, uuid4

import pytest

from activities.follow_up import FollowUp
from contracts.follow_up import FollowUpAct, FollowUpCommand
from tests.faults.house import House

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_send_again_on_a_closed_thread_makes_one_new_order_however_often_it_is_called(house: House) -> None:
    """OB3, P97a: the second call, after a lost commit, finds the next generation made; one row, one start order."""
    outbox = await _ambiguous_follow_up(house)
    command = FollowUpCommand(outbox_id=outbox, act=FollowUpAct.SEND_AGAIN, actor="user:1")
    first, second = [await FollowUp(house.database).apply(command) for _ in range(2)]
    assert first.closed and second.closed
    rows = await house.rows("SELECT id, generation, state FROM outbox WHERE previous_id = $1", outbox)
    assert [(row["generation"], row["state"]) for row in rows] == [(2, "ready")]
    orders = await house.rows("SELECT workflow_id FROM start_queue WHERE workflow_type = 'ReplyWorkflow'")
    assert [order["workflow_id"] for order in orders] == [f"reply/{rows[0]['id']}"]


async def _ambiguous_follow_up(house: House) -> UUID:
    """A sent message, and a follow-up on it whose delivery is in doubt."""
    await house.start_worker()
    message, outbox = await house.accept(), uuid4()
    await house.until(message, "draft_ready")
    await house.approve_by_signal(message)
    await house.until(message, "sent")
    await house.kill(house.worker)
    await house.rows(
        """INSERT INTO outbox (id, mailbox_id, message_id, thread_id, reply_slot, state, automatic, decided_by, revision,
            sender, recipients, recipients_hash, subject, body_sha256, rfc_message_id, send_at)
           SELECT $1, mailbox_id, message_id, thread_id, 'followup:1', 'ambiguous', false, decided_by, revision, sender,
            recipients, recipients_hash, subject, body_sha256, $1::uuid::text || '@shop.example', now() FROM outbox""",
        outbox,
    )
    return outbox
