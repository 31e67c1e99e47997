"""State, snooze, notes and blocked senders by plain forms, as a browser without a script sends them."""

from uuid import UUID

import pytest_asyncio

from tests.browser.test_without_script import drafted, reader_as, status
from tests.browser.visitors import Reader
from tests.integration.running import Running, mail


@pytest_asyncio.fixture
async def reviewer(pipeline: Running) -> Reader:
    """A reviewer without a script."""
    return await reader_as(pipeline, "reviewer", "Rita")


async def thread_of(pipeline: Running, message_id: UUID) -> UUID:
    """The conversation of a message."""
    found: UUID = await pipeline.value("SELECT thread_id FROM inbound_messages WHERE id = $1", message_id)
    return found


async def test_the_state_of_a_conversation_by_form(pipeline: Running, reviewer: Reader) -> None:  # P115
    """Each state can be chosen, the page says it, and a draft that waits goes on waiting."""
    message_id = await drafted(pipeline, subject="state by hand")
    page = f"/dashboard/inbox/{await thread_of(pipeline, message_id)}"
    for state, told in (("resolved", "Resolved."), ("open", "Open."), ("closed", "Closed."), ("waiting", "waits for")):
        await reviewer.get(page)
        assert (await reviewer.submit("/status", status=state)).headers["location"] == page
        assert told in (await reviewer.get(page)).text, state
    assert await status(pipeline, message_id) == "draft_ready"
    assert (await reviewer.submit("/status", status="sent")).status_code == 404


async def test_putting_off_and_bringing_back_by_form(pipeline: Running, reviewer: Reader) -> None:  # P121
    """A preset, a moment picked in the mailbox's zone, a moment that has passed; the list counts it as snoozed."""
    await pipeline.sql("UPDATE mailboxes SET timezone = 'Europe/Berlin'")
    message_id = await drafted(pipeline, subject="put me off")
    thread_id = await thread_of(pipeline, message_id)
    page = f"/dashboard/inbox/{thread_id}"
    await reviewer.get(page)
    await reviewer.submit("/snooze", preset="next_week")
    assert "Snoozed until" in (await reviewer.get(page)).text
    assert "put me off" in (await reviewer.get("/dashboard/inbox?filter=snoozed")).text
    assert "put me off" not in (await reviewer.get("/dashboard/inbox")).text
    await reviewer.get(page)
    await reviewer.submit("/wake")
    assert "put me off" in (await reviewer.get("/dashboard/inbox")).text
    await reviewer.get(page)
    await reviewer.post(f"/dashboard/threads/{thread_id}/snooze", {"preset": "pick", "until": "2027-02-03T08:30"})
    until = await pipeline.value("SELECT snoozed_until FROM conversation_threads WHERE id = $1", thread_id)
    assert until.isoformat() == "2027-02-03T07:30:00+00:00"
    for wrong, told in (("2020-01-01T00:00", "That moment has passed"), ("soon", "That is no moment.")):
        await reviewer.get(page)
        sent = {"preset": "pick", "until": wrong, "stay": page}
        await reviewer.post(f"/dashboard/threads/{thread_id}/snooze", sent)
        assert told in (await reviewer.get(page)).text
    await pipeline.sql("UPDATE mailboxes SET timezone = 'UTC'")


async def test_the_list_wakes_what_is_due_before_it_reads(pipeline: Running, reviewer: Reader) -> None:  # P121
    """Without waiting for the sweep: open again and marked as returned, until somebody puts it in a state."""
    thread_id = await pipeline.value(
        "INSERT INTO conversation_threads (mailbox_id, subject, status, snoozed_until) "
        "VALUES ($1, 'Back by itself', 'waiting', now() - interval '1 second') RETURNING id",
        pipeline.mailbox_id,
    )
    listed = (await reviewer.get("/dashboard/inbox?sort=newest&q=")).text
    assert "Back by itself" in listed and "returned" in listed
    assert "returned" in (await reviewer.get(f"/dashboard/inbox/{thread_id}")).text
    await reviewer.submit("/status", status="waiting")
    await reviewer.get(f"/dashboard/inbox/{thread_id}")
    await reviewer.submit("/status", status="open")
    row = (await pipeline.rows("SELECT * FROM conversation_threads WHERE id = $1", thread_id))[0]
    assert (row["status"], row["snoozed_until"], row["snooze_returned_at"]) == ("open", None, None)


async def test_a_note_stands_among_the_mails(pipeline: Running, reviewer: Reader) -> None:
    """With its author and without effect on any markup; an empty one is refused and a repeated form keeps it once."""
    message_id = await drafted(pipeline, subject="to be noted")
    thread_id = await thread_of(pipeline, message_id)
    page = f"/dashboard/inbox/{thread_id}"
    await reviewer.get(page)
    text = "<b>Careful</b>: she called twice & was right"
    await reviewer.submit("/note", text=text, request_id="note-form-1")
    await reviewer.get(page)
    await reviewer.submit("/note", text=text, request_id="note-form-1")
    shown = (await reviewer.get(page)).text
    assert shown.count("Note by Rita") == 1 and "&lt;b&gt;Careful&lt;/b&gt;: she called twice &amp; was right" in shown
    await reviewer.submit("/note", text="   ")
    assert "Something is missing or too long." in (await reviewer.get(page)).text
    assert await pipeline.value("SELECT count(*) FROM thread_notes WHERE thread_id = $1", thread_id) == 1


async def test_a_sender_is_blocked_with_a_reason_and_let_in_again(pipeline: Running, reviewer: Reader) -> None:  # P119
    """The message is archived too where that is ticked, the next mail at once; unblocked, mail is drafted again."""
    sender = "nag@pest.example"
    message_id = await drafted(pipeline, sender=sender, subject="first of many")
    await reviewer.get(f"/dashboard/inbox/review?at={message_id}")
    await reviewer.submit("/senders/block", reason="sends ten a day", archive="yes")
    assert await status(pipeline, message_id) == "archived"
    second = await pipeline.arrive(mail(sender=sender))
    assert await _archived_as(pipeline, second) == "sender_blocked"
    listed = (await reviewer.get("/dashboard/senders")).text
    assert all(word in listed for word in (sender, "sends ten a day", "blocked by Rita", "2 mails archived"))
    await reviewer.submit("/senders/unblock")
    assert "Nobody is blocked." in (await reviewer.get("/dashboard/senders")).text
    third = await drafted(pipeline, sender=sender)
    assert await status(pipeline, third) == "draft_ready"
    rows = await pipeline.rows("SELECT action FROM audit_log WHERE subject = $1 ORDER BY id", f"sender/{sender}")
    assert [row["action"] for row in rows] == ["block_sender", "unblock_sender"]


async def test_an_address_is_blocked_by_hand(pipeline: Running, reviewer: Reader) -> None:  # P119, AM8
    """In the form that senders are compared in; what is no address is refused and what was typed stays."""
    await reviewer.get("/dashboard/senders")
    await reviewer.submit("/senders/block", address="Loud@Bücher.example", reason="too loud")
    assert "loud@xn--bcher-kva.example" in (await reviewer.get("/dashboard/senders")).text
    await reviewer.submit("/senders/block", address="no address", reason="my long reason")
    refused = (await reviewer.get("/dashboard/senders")).text
    assert "That is no mail address." in refused and 'value="my long reason"' in refused
    await reviewer.submit("/senders/block", address="x@y.example", reason="")
    assert await pipeline.value("SELECT count(*) FROM address_blocks WHERE address = 'x@y.example'") == 0


async def test_a_viewer_reads_the_list_of_blocked_senders(pipeline: Running) -> None:  # P97
    """Without a form, and a made-up one is refused."""
    viewer = await reader_as(pipeline, "viewer")
    await viewer.get("/dashboard/senders")
    assert viewer.forms() == {"preferences", "sign-out"}
    sent = {"mailbox_id": str(pipeline.mailbox_id), "address": "a@b.example", "reason": "x"}
    await viewer.post("/dashboard/senders/block", {**sent, "stay": "/dashboard/senders"})
    assert "Your role does not allow this." in (await viewer.get("/dashboard/senders")).text
    assert await pipeline.value("SELECT count(*) FROM address_blocks WHERE address = 'a@b.example'") == 0


async def _archived_as(pipeline: Running, message_id: UUID) -> str:
    await pipeline.until(message_id, "archived")
    found: str = await pipeline.value("SELECT archive_reason FROM inbound_messages WHERE id = $1", message_id)
    return found


async def test_a_nul_in_an_address_is_no_fault(pipeline: Running, reviewer: Reader) -> None:
    """What the database cannot hold is refused or ignored, on pages and by REST."""
    box = pipeline.mailbox_id
    for path in (f"senders?after={box}/%00a", "palette?q=a%00b", "inbox?q=%00", "inbox/review?category=%00&owner=%00"):
        assert (await reviewer.get(f"/dashboard/{path}")).status_code == 200, path
    assert (await pipeline.get(f"/api/senders/blocked?cursor={box}/%00a")).status_code == 422
    for path, body in (
        ("failures/retry", {"failed_step": "\x00", "error_type": "x"}),
        ("senders/unblock", {"mailbox_id": str(box), "address": "a\x00@b.example"}),
        ("senders/block", {"mailbox_id": str(box), "address": "a\x00@b.example", "reason": "x"}),
        (f"threads/{box}/notes", {"text": "\x00"}),
    ):
        assert (await pipeline.post(f"/api/{path}", body)).status_code == 422, path
