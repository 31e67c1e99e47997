"""What waits for a person's word after automation went wrong: incidents and suspected loops (P89, LO2)."""

import asyncio
from uuid import UUID, uuid4

from tests.integration.running import Running


async def incident(running: Running) -> tuple[UUID, UUID]:
    """A mail with an automatic reply that came back; the message and the incident."""
    message_id = await running.arrive()
    await running.until(message_id, "draft_ready")
    await running.config(human_undo_ms=0)
    await running.approve(message_id)
    await running.until(message_id, "sent")
    made = await running.value(
        "INSERT INTO incidents (mailbox_id, kind, outbox_id, message_id, sender, category)"
        " SELECT mailbox_id, 'bounced', id, message_id, 'anna@kunde.example', 'support' FROM outbox"
        " WHERE message_id = $1 RETURNING id",
        message_id,
    )
    return message_id, made


async def test_an_incident_is_shown_until_somebody_acknowledges_it(pipeline: Running) -> None:  # P89
    """Once, by whoever came first; its rule is nobody's business here."""
    message_id, made = await incident(pipeline)
    shown = (await pipeline.get("/api/incidents")).json()["incidents"]
    assert [(one["id"], one["kind"], one["message_id"]) for one in shown] == [(str(made), "bounced", str(message_id))]
    answers = await asyncio.gather(*(pipeline.post(f"/api/incidents/{made}/acknowledge") for _ in range(2)))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert (await pipeline.get("/api/incidents")).json()["incidents"] == []
    (kept,) = (await pipeline.get("/api/incidents", params={"acknowledged": True})).json()["incidents"]
    assert kept["acknowledged_by"].startswith("user:")
    audited = "SELECT count(*) FROM audit_log WHERE action = 'acknowledge_incident' AND subject = $1"
    assert await pipeline.value(audited, f"incident/{made}") == 1


async def test_unknown_incidents_and_threads_are_404(pipeline: Running) -> None:  # P89, HB1
    """Nothing is said about whether they exist elsewhere."""
    assert (await pipeline.post(f"/api/incidents/{uuid4()}/acknowledge")).status_code == 404
    assert (await pipeline.post(f"/api/threads/{uuid4()}/lift_loop")).status_code == 404


async def test_a_person_lifts_the_mark_of_a_loop(pipeline: Running) -> None:  # LO2
    """Shown on the thread, lifted once, audited with who did it."""
    message_id = await pipeline.arrive()
    await pipeline.until(message_id, "draft_ready")
    thread = await pipeline.value(
        "UPDATE conversation_threads t SET loop_suspected = true FROM inbound_messages m"
        " WHERE m.id = $1 AND t.id = m.thread_id RETURNING t.id",
        message_id,
    )
    assert (await pipeline.get(f"/api/threads/{thread}")).json()["thread"]["loop_suspected"]
    first = await pipeline.post(f"/api/threads/{thread}/lift_loop")
    again = await pipeline.post(f"/api/threads/{thread}/lift_loop")
    assert (first.json()["lifted"], again.json()["lifted"]) == (True, False)
    assert not (await pipeline.get(f"/api/threads/{thread}")).json()["thread"]["loop_suspected"]
    actor = "SELECT actor FROM audit_log WHERE action = 'lift_loop' AND subject = $1"
    assert [row["actor"][:5] for row in await pipeline.rows(actor, f"thread/{thread}")] == ["user:"]
