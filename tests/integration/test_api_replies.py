"""Writing on a thread whose messages are all closed: a reply of its own, sent once, no old status touched (P97a)."""

import uuid
from typing import Any
from uuid import UUID

from temporalio.client import WorkflowExecutionStatus

from tests.integration.running import Running


async def closed_thread(pipeline: Running) -> tuple[UUID, str]:
    """A thread with one rejected message: its id and the thread's."""
    message_id = await pipeline.arrive()
    await pipeline.until(message_id, "draft_ready")
    assert (await pipeline.act(message_id, "reject")).status_code == 200
    return message_id, (await pipeline.message(message_id))["message"]["thread_id"]


async def write(pipeline: Running, thread_id: str, **body: Any) -> Any:
    """POST write_reply on the thread."""
    return await pipeline.post(f"/api/threads/{thread_id}/write_reply", {"text": "One more thing.", **body})


async def state(pipeline: Running, outbox_id: str) -> str:
    """The row's state."""
    return str(await pipeline.value("SELECT state FROM outbox WHERE id = $1::uuid", outbox_id))


async def test_a_reply_on_a_closed_thread_is_sent_once(pipeline: Running) -> None:  # A109, RS-70
    """Slot followup:1, then followup:2; the old message's status and events stay as they were."""
    await pipeline.config(human_undo_ms=0)
    message_id, thread_id = await closed_thread(pipeline)
    events = len((await pipeline.message(message_id))["events"])
    request_id = f"write-{uuid.uuid4()}"
    answers = [await write(pipeline, thread_id, request_id=request_id) for _ in range(2)]
    assert [a.status_code for a in answers] == [200, 200] and answers[1].json()["repeated"]
    first = answers[0].json()
    assert first["outbox_id"] == answers[1].json()["outbox_id"] and first["reply_slot"] == "followup:1"
    await pipeline.eventually(lambda: _is(pipeline, first["outbox_id"], "sent"))
    second = (await write(pipeline, thread_id, text="And another.")).json()
    assert second["reply_slot"] == "followup:2"
    await pipeline.eventually(lambda: _is(pipeline, second["outbox_id"], "sent"))
    for answer in (first, second):
        assert len([f for f in pipeline.sent() if answer["outbox_id"] in f.name]) == 1
    found = await pipeline.message(message_id)
    assert found["status"] == "rejected" and len(found["events"]) == events
    replies = (await pipeline.get(f"/api/threads/{thread_id}")).json()["replies"]
    assert {r["text"] for r in replies} == {"One more thing.", "And another."}


async def _is(pipeline: Running, outbox_id: str, wanted: str) -> bool:
    return await state(pipeline, outbox_id) == wanted


async def test_such_a_reply_can_be_undone_in_its_window(pipeline: Running) -> None:  # P97a, P102
    """Its row is cancelled and its text kept; after delivery the caller learns that it is too late."""
    await pipeline.config(human_undo_ms=60_000)
    _, thread_id = await closed_thread(pipeline)
    outbox_id = (await write(pipeline, thread_id)).json()["outbox_id"]
    body = {"request_id": f"undo-{uuid.uuid4()}"}
    answers = [await pipeline.post(f"/api/replies/{outbox_id}/undo_send", body) for _ in range(2)]
    assert [a.status_code for a in answers] == [200, 200] and answers[1].json()["repeated"]
    assert await state(pipeline, outbox_id) == "cancelled"
    await pipeline.config(human_undo_ms=0)
    sent = (await write(pipeline, thread_id)).json()["outbox_id"]
    await pipeline.eventually(lambda: _is(pipeline, sent, "sent"))
    late = await pipeline.post(f"/api/replies/{sent}/undo_send")
    assert (late.status_code, late.json()["result"]) == (409, "already_sent")


async def test_a_doubtful_reply_is_settled_by_a_person(pipeline: Running) -> None:  # A107, P97a
    """Refused while it is not in doubt; "send again" is a linked new row with a workflow of its own."""
    await pipeline.config(human_undo_ms=1500)
    _, thread_id = await closed_thread(pipeline)
    outbox_id = (await write(pipeline, thread_id)).json()["outbox_id"]
    early = await pipeline.post(f"/api/replies/{outbox_id}/resolve_delivery", {"how": "went_out"})
    assert (early.status_code, early.json()["result"]) == (409, "conflict")
    await pipeline.sql("UPDATE outbox SET state = 'sending', deadline = now() WHERE id = $1::uuid", outbox_id)
    await pipeline.eventually(lambda: _is(pipeline, outbox_id, "ambiguous"))
    answer = await pipeline.post(f"/api/replies/{outbox_id}/resolve_delivery", {"how": "send_again"})
    assert answer.status_code == 200, answer.text

    async def sent_again() -> bool:
        again = await pipeline.value("SELECT state FROM outbox WHERE previous_id = $1::uuid", outbox_id)
        return bool(again == "sent")

    await pipeline.eventually(sent_again)
    assert await state(pipeline, outbox_id) == "ambiguous"
    await pipeline.eventually(lambda: _ended(pipeline, f"reply/{outbox_id}"))


async def _ended(pipeline: Running, workflow_id: str) -> bool:
    """A doubt a person closed leaves no workflow waiting."""
    description = await pipeline.call(pipeline.client.get_workflow_handle(workflow_id).describe())
    return bool(description.status == WorkflowExecutionStatus.COMPLETED)


async def test_a_thread_that_holds_something_open_is_answered_there(pipeline: Running) -> None:  # P97a
    """409 names the open message."""
    message_id = await pipeline.arrive()
    found = await pipeline.until(message_id, "draft_ready")
    answer = await write(pipeline, found["message"]["thread_id"])
    assert answer.status_code == 409 and answer.json()["open_message_id"] == str(message_id)
    assert (await write(pipeline, str(uuid.uuid4()))).status_code == 404


async def test_without_a_worker_the_reply_waits_and_is_sent_once(pipeline: Running) -> None:  # A102
    """503; the same id later finds the one reply that was placed meanwhile."""
    await pipeline.config(human_undo_ms=0)
    _, thread_id = await closed_thread(pipeline)
    request_id = f"write-{uuid.uuid4()}"
    async with pipeline.without_worker():
        assert (await write(pipeline, thread_id, request_id=request_id)).status_code == 503
    answer = await write(pipeline, thread_id, request_id=request_id)
    assert answer.status_code == 200
    await pipeline.eventually(lambda: _is(pipeline, answer.json()["outbox_id"], "sent"))
    assert await pipeline.value("SELECT count(*) FROM outbox WHERE thread_id = $1::uuid", thread_id) == 1


async def test_the_reply_of_a_message_is_undone_on_the_message(pipeline: Running) -> None:  # P97a
    """The endpoints of replies know follow-ups only."""
    await pipeline.config(human_undo_ms=60_000)
    message_id = await pipeline.arrive()
    await pipeline.until(message_id, "draft_ready")
    outbox_id = (await pipeline.approve(message_id)).json()["outbox_id"]
    assert (await pipeline.post(f"/api/replies/{outbox_id}/undo_send")).status_code == 404
