"""Restoring a closed message: a new run of its own, ordered with the command inside, once (P29, E25, A5)."""

import asyncio
import uuid
from uuid import UUID

from tests.integration.running import Running, mail
from tests.peers.model_peer import DEFAULT_ANSWERS

SPAM = {
    "category": "spam", "priority": "low", "sentiment": "neutral", "intent": "information", "confidence": 0.97,
    "intents": [{"key": "offer", "intent": "information", "confidence": 0.9, "label": "an offer"}],
}  # fmt: skip


async def archived_as_spam(pipeline: Running) -> UUID:
    """A mail the classifier took for spam; its workflow has ended."""
    pipeline.model.answer("classify_answer", SPAM)
    message_id = await pipeline.arrive(mail(subject="An offer"))
    found = await pipeline.until(message_id, "archived")
    assert found["work"]["archive_reason"] == "classifier_spam"
    pipeline.model.answer("classify_answer", DEFAULT_ANSWERS["classify_answer"])
    return message_id


async def test_restored_mail_runs_again_and_can_be_decided(pipeline: Running) -> None:  # A5, A54, P29
    """Not archived for the same reason again; every later action reaches the new run."""
    await pipeline.config(human_undo_ms=60_000)
    message_id = await archived_as_spam(pipeline)
    request_id = f"restore-{uuid.uuid4()}"
    answer = await pipeline.act(message_id, "restore", request_id=request_id)
    assert answer.status_code == 200 and answer.json()["to_status"] == "received"
    found = await pipeline.until(message_id, "draft_ready")
    assert found["work"]["run_no"] == 2 and found["links"]["temporal"].endswith("%2Frun%2F2")
    repeat = await pipeline.act(message_id, "restore", request_id=request_id)
    assert repeat.status_code == 200 and repeat.json()["repeated"]
    assert (await pipeline.approve(message_id)).status_code == 200
    assert (await pipeline.act(message_id, "undo_send")).status_code == 200
    await pipeline.config(human_undo_ms=0)
    assert (await pipeline.approve(message_id)).status_code == 200
    await pipeline.until(message_id, "sent")


async def test_a_wake_reaches_the_newest_run(pipeline: Running) -> None:  # P20a, P92
    """The kill switch withdraws a restored message's pending send, and its new run hears of it."""
    await pipeline.config(human_undo_ms=60_000)
    message_id = await archived_as_spam(pipeline)
    assert (await pipeline.act(message_id, "restore")).status_code == 200
    await pipeline.until(message_id, "draft_ready")
    assert (await pipeline.approve(message_id)).status_code == 200
    assert (await pipeline.post(f"/api/mailboxes/{pipeline.mailbox_id}/kill_switch")).status_code == 200
    await pipeline.until(message_id, "draft_ready")
    woken = await pipeline.rows(
        "SELECT workflow_id FROM wake_queue WHERE args ->> 'cause' LIKE $1", f"{message_id}:kill%"
    )
    assert {row["workflow_id"] for row in woken} == {f"message/{message_id}/run/2"}
    await pipeline.post(f"/api/mailboxes/{pipeline.mailbox_id}/lift")
    await pipeline.config(human_undo_ms=0)
    assert (await pipeline.approve(message_id)).status_code == 200
    await pipeline.until(message_id, "sent")


async def test_of_two_restores_at_once_one_wins(pipeline: Running) -> None:  # P97, P98
    """One new run; the other caller learns that it is no longer archived."""
    message_id = await archived_as_spam(pipeline)
    answers = await asyncio.gather(*(pipeline.act(message_id, "restore") for _ in range(2)))
    assert sorted(a.status_code for a in answers) == [200, 409]
    starts = await pipeline.rows(
        "SELECT workflow_id FROM start_queue WHERE workflow_id LIKE $1", f"message/{message_id}/run%"
    )
    assert [row["workflow_id"] for row in starts] == [f"message/{message_id}/run/2"]


async def test_a_restore_asked_during_an_outage_happens_once(pipeline: Running) -> None:  # A5a, P29
    """503 while nothing runs; the order is durable, and the same request id finds its outcome."""
    message_id = await archived_as_spam(pipeline)
    request_id = f"restore-{uuid.uuid4()}"
    async with pipeline.without_worker():
        answer = await pipeline.act(message_id, "restore", request_id=request_id)
        assert answer.status_code == 503 and answer.headers["retry-after"]
    await pipeline.until(message_id, "draft_ready")
    again = await pipeline.act(message_id, "restore", request_id=request_id)
    assert again.status_code == 200 and again.json()["repeated"]
    assert (await pipeline.message(message_id))["work"]["run_no"] == 2


async def test_what_was_dismissed_stays_closed(pipeline: Running) -> None:  # A5, P7
    """`terminal`, also for sent and rejected mail; nothing is started."""
    message_id = await pipeline.arrive()
    await pipeline.until(message_id, "draft_ready")
    assert (await pipeline.act(message_id, "restore")).json()["result"] == "conflict"
    assert (await pipeline.act(message_id, "archive")).status_code == 200
    answer = await pipeline.act(message_id, "restore")
    assert (answer.status_code, answer.json()["result"], answer.json()["status"]) == (409, "terminal", "archived")
    assert answer.json()["by_name"] == "Admin"
    starts = await pipeline.value(
        "SELECT count(*) FROM start_queue WHERE workflow_id LIKE $1", f"message/{message_id}/run%"
    )
    assert starts == 0
