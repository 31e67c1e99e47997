"""What people do with a conversation by REST: state, snooze, owner and notes; and that a snooze ends by itself."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from activities.sweep import Sweep
from contracts.sweep import SweepRequest
from tests.integration.running import Running, mail


class NobodyOpen:
    """An engine that is not asked here."""

    async def open_among(self, message_ids: list[UUID]) -> set[UUID]:
        """All of them."""
        return set(message_ids)


async def conversation(running: Running, status: str = "open", **columns: Any) -> UUID:
    """A conversation without mail."""
    names = ["mailbox_id", "subject", "status", *columns]
    marks = ", ".join(f"${n}" for n in range(1, len(names) + 1))
    return await running.value(
        f"INSERT INTO conversation_threads ({', '.join(names)}) VALUES ({marks}) RETURNING id",
        running.mailbox_id, "Putting it off", status, *columns.values(),
    )  # fmt: skip


async def row_of(running: Running, thread_id: UUID) -> dict[str, Any]:
    """The conversation as it is stored."""
    return dict((await running.rows("SELECT * FROM conversation_threads WHERE id = $1", thread_id))[0])


async def trail(running: Running, thread_id: UUID) -> list[tuple[str, str]]:
    """Who did what with it."""
    rows = await running.rows(
        "SELECT split_part(actor, ':', 1) AS actor, action FROM audit_log WHERE subject = $1 ORDER BY id",
        f"thread/{thread_id}",
    )
    return [(row["actor"], row["action"]) for row in rows]


async def test_the_state_is_set_by_hand(api_only: Running) -> None:  # P115
    """Every state; resolving notes when and ends a snooze; the same again changes nothing and is not in the trail."""
    thread_id = await conversation(api_only, snoozed_until=datetime.now(UTC) + timedelta(days=1))
    for status in ("waiting", "resolved", "closed", "open"):
        answer = await api_only.post(f"/api/threads/{thread_id}/status", {"status": status})
        assert answer.status_code == 200 and answer.json()["changed"] and answer.json()["status"] == status
        row = await row_of(api_only, thread_id)
        assert (row["resolved_at"] is not None) == (status in ("resolved", "closed"))
        assert (row["snoozed_until"] is not None) == (status == "waiting")
    again = await api_only.post(f"/api/threads/{thread_id}/status", {"status": "open"})
    assert again.json()["changed"] is False
    assert await trail(api_only, thread_id) == [("user", "thread_status")] * 4
    assert (await api_only.post(f"/api/threads/{thread_id}/status", {"status": "sent"})).status_code == 422
    assert (await api_only.post(f"/api/threads/{uuid4()}/status", {"status": "open"})).status_code == 404


async def test_a_snooze_is_meant_in_the_zone_of_the_mailbox(api_only: Running) -> None:  # P121
    """Tomorrow is nine o'clock there; a moment of one's own is taken as it is."""
    mailbox_id = await api_only.mailbox("auckland@shop.example")
    await api_only.sql("UPDATE mailboxes SET timezone = 'Pacific/Auckland' WHERE id = $1", mailbox_id)
    thread_id = await conversation(api_only)
    await api_only.sql("UPDATE conversation_threads SET mailbox_id = $2 WHERE id = $1", thread_id, mailbox_id)
    answer = await api_only.post(f"/api/threads/{thread_id}/snooze", {"preset": "tomorrow"})
    there = datetime.fromisoformat(answer.json()["snoozed_until"]).astimezone(ZoneInfo("Pacific/Auckland"))
    assert (there.hour, there.minute) == (9, 0) and timedelta() < there - datetime.now(UTC) < timedelta(days=2)
    own = "2027-03-01T07:15:00+00:00"
    await api_only.sql("UPDATE conversation_threads SET snooze_returned_at = now() WHERE id = $1", thread_id)
    answer = await api_only.post(f"/api/threads/{thread_id}/snooze", {"until": own})
    assert datetime.fromisoformat(answer.json()["snoozed_until"]) == datetime.fromisoformat(own)
    assert (await row_of(api_only, thread_id))["snooze_returned_at"] is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"preset": "someday"},
        {"preset": "tomorrow", "until": "2027-01-01T00:00:00Z"},
        {"until": "2020-01-01T00:00:00Z"},
        {"until": "2999-01-01T00:00:00Z"},
        {"until": "2027-01-01T00:00:00"},
    ],
)
async def test_only_a_moment_ahead_can_be_named(api_only: Running, body: dict[str, str]) -> None:  # P121
    """422, and the conversation stays as it was."""
    thread_id = await conversation(api_only)
    assert (await api_only.post(f"/api/threads/{thread_id}/snooze", body)).status_code == 422
    assert (await row_of(api_only, thread_id))["snoozed_until"] is None and await trail(api_only, thread_id) == []


async def test_what_is_over_is_not_put_off(api_only: Running) -> None:  # P121
    """409 names the state; open again, it can be."""
    thread_id = await conversation(api_only, "resolved")
    answer = await api_only.post(f"/api/threads/{thread_id}/snooze", {"preset": "next_week"})
    assert answer.status_code == 409 and answer.json()["status"] == "resolved"
    await api_only.post(f"/api/threads/{thread_id}/status", {"status": "open"})
    assert (await api_only.post(f"/api/threads/{thread_id}/snooze", {"preset": "next_week"})).status_code == 200
    assert (await api_only.post(f"/api/threads/{thread_id}/wake")).json()["snoozed_until"] is None
    assert (await row_of(api_only, thread_id))["snooze_returned_at"] is None


async def test_the_sweep_brings_back_what_is_due(api_only: Running) -> None:  # P121
    """Marked as returned, a waiting one as open; what is not due sleeps on; it is in the trail once."""
    past, ahead = datetime.now(UTC) - timedelta(seconds=5), datetime.now(UTC) + timedelta(hours=1)
    due = await conversation(api_only, "waiting", snoozed_until=past)
    later = await conversation(api_only, snoozed_until=ahead)
    sweep = Sweep(api_only.app.state.services.database, NobodyOpen())
    for _ in range(2):
        await api_only.call(sweep.sweep(SweepRequest()))
    back, asleep = await row_of(api_only, due), await row_of(api_only, later)
    assert (back["status"], back["snoozed_until"], back["snooze_returned_at"]) == ("open", None, past)
    assert (asleep["snoozed_until"], asleep["snooze_returned_at"]) == (ahead, None)
    assert await trail(api_only, due) == [("system", "wake")] and await trail(api_only, later) == []


async def test_a_new_mail_brings_it_back_early(pipeline: Running) -> None:  # P121
    """The customer writes again before the time is up."""
    sender, first_id = "early@kunde.example", "<early-1@kunde.example>"
    first = await pipeline.arrive(mail(sender=sender, message_id=first_id))
    thread_id = UUID((await pipeline.until(first, "draft_ready"))["message"]["thread_id"])
    await pipeline.post(f"/api/threads/{thread_id}/snooze", {"preset": "next_week"})
    second = await pipeline.arrive(mail(sender=sender, In_Reply_To=first_id, subject="Re: Where is my order?"))
    await pipeline.until(second, "draft_ready")
    row = await row_of(pipeline, thread_id)
    assert row["snoozed_until"] is None and row["snooze_returned_at"] is not None


async def test_an_owner_is_a_member(api_only: Running) -> None:  # P121
    """Set, cleared, and refused for somebody unknown."""
    thread_id = await conversation(api_only)
    member = await api_only.value("SELECT id FROM users ORDER BY id LIMIT 1")
    answer = await api_only.post(f"/api/threads/{thread_id}/assign", {"to_user": str(member)})
    assert answer.json()["assigned_to"] == str(member) and answer.json()["changed"]
    assert (await api_only.post(f"/api/threads/{thread_id}/assign", {"to_user": str(uuid4())})).status_code == 422
    assert (await api_only.post(f"/api/threads/{thread_id}/assign", {"to_user": None})).json()["assigned_to"] is None
    assert await trail(api_only, thread_id) == [("user", "assign")] * 2


async def test_a_note_is_kept_once(api_only: Running) -> None:
    """With author and time; the same request id again is the same note, and 409 with another text."""
    thread_id = await conversation(api_only)
    body = {"text": "Called her; she will send the receipt.", "request_id": "note-0001"}
    first = (await api_only.post(f"/api/threads/{thread_id}/notes", body)).json()
    assert (await api_only.post(f"/api/threads/{thread_id}/notes", body)).json() == first
    other = await api_only.post(f"/api/threads/{thread_id}/notes", {**body, "text": "Something else"})
    assert other.status_code == 409
    found = (await api_only.get(f"/api/threads/{thread_id}/notes")).json()["notes"]
    assert found == [first] and first["text"] == body["text"]
    assert await trail(api_only, thread_id) == [("user", "thread_note")]
    logged = await api_only.value("SELECT after::text FROM audit_log WHERE subject = $1", f"thread/{thread_id}")
    assert "receipt" not in logged


async def test_notes_reach_no_prompt_and_no_reply(pipeline: Running) -> None:
    """A word that only a note holds is in no request to a model and in no mail that left, though both came after it."""
    await pipeline.config(human_undo_ms=0)
    message_id = await pipeline.arrive(mail(sender="noted@kunde.example"))
    thread_id = (await pipeline.until(message_id, "draft_ready"))["message"]["thread_id"]
    await pipeline.post(f"/api/threads/{thread_id}/notes", {"text": "She is a quixotryl customer."})
    asked_before = len(pipeline.model.calls)
    assert (await pipeline.act(message_id, "request_draft", instructions="shorter")).status_code == 200
    await pipeline.eventually(lambda: _drafts(pipeline, message_id, 2))
    await pipeline.until(message_id, "draft_ready")
    assert (await pipeline.approve(message_id)).status_code == 200
    await pipeline.until(message_id, "sent")
    asked = pipeline.model.calls[asked_before:]
    assert asked and not any("quixotryl" in str(request) for request in asked)
    assert pipeline.sent() and not any(b"quixotryl" in file.read_bytes() for file in pipeline.sent())
    kept = await pipeline.value("SELECT count(*) FROM step_outputs WHERE output::text LIKE '%quixotryl%'")
    assert kept == 0


async def _drafts(running: Running, message_id: UUID, count: int) -> bool:
    found = await running.value(
        "SELECT count(*) FROM draft_revisions WHERE message_id = $1 AND author = 'agent'", message_id
    )
    return bool(found >= count)


async def test_who_may_only_read_changes_nothing(api_only: Running) -> None:  # P97, HU8
    """403 for a viewer, notes can be read; another installation's walls hold for conversations of unseen mailboxes."""
    thread_id = await conversation(api_only)
    viewer = await api_only.person("viewer", "read")
    for act, body in (
        ("status", {"status": "closed"}), ("snooze", {"preset": "tomorrow"}), ("wake", None),
        ("assign", {"to_user": None}), ("notes", {"text": "x"}),
    ):  # fmt: skip
        answer = await api_only.post(f"/api/threads/{thread_id}/{act}", body, token=viewer)
        assert answer.status_code == 403, act
    assert (await api_only.get(f"/api/threads/{thread_id}/notes", token=viewer)).status_code == 200
    assert await trail(api_only, thread_id) == []
