"""Arrival: threads, coalescing, automatic mail, withdrawn sends, all in one transaction (P11)."""

import asyncio
from datetime import timedelta

from contracts.lifecycle import Approve, Due, Enter, Receive, RequestDraft
from contracts.status import Status
from tests.activities.conftest import World, mail_bytes


async def _thread(world: World, message: object) -> object:
    return (await world.row(message))["thread_id"]  # type: ignore[arg-type]


async def test_answers_join_by_in_reply_to_and_by_references(world: World) -> None:
    """P41, C12, C13, A22: bracketless ids count; our id only at the end of References counts."""
    first = await world.arrive(mail_bytes(message_id="<a1@kunde.example>"))
    second = await world.arrive(
        mail_bytes(subject="AW: Where is my order?", headers="In-Reply-To: a1@kunde.example\r\n")
    )
    third = await world.arrive(
        mail_bytes(headers="In-Reply-To: <rewritten@gw.example>\r\nReferences: <x@y.example> <a1@kunde.example>\r\n")
    )
    assert await _thread(world, first) == await _thread(world, second) == await _thread(world, third)


async def test_answer_to_our_reply_joins(world: World) -> None:
    """P41, RS-39: ids of our own sent mail lead to the thread."""
    first = await world.arrive()
    await world.to_draft_ready(first)
    await world.do(first, Approve(), actor="user:1")
    ours = await world.sql.fetchval("SELECT rfc_message_id FROM outbox WHERE message_id = $1", first)
    answer = await world.arrive(mail_bytes(subject="Re: x", headers=f"In-Reply-To: <{ours}>\r\n"))
    assert await _thread(world, first) == await _thread(world, answer)


async def test_a_stranger_who_quotes_our_id_stays_outside(world: World) -> None:
    """C14, A23, RS-40: own thread, flagged third party, the customer's thread offered as maybe related."""
    first = await world.arrive(mail_bytes(message_id="<a2@kunde.example>"))
    stranger = await world.arrive(mail_bytes(sender="eve@evil.example", headers="In-Reply-To: <a2@kunde.example>\r\n"))
    row = await world.row(stranger)
    assert row["thread_id"] != await _thread(world, first)
    assert "third_party" in row["content_flags"] and row["maybe_related_thread_id"] == await _thread(world, first)


async def test_same_subject_of_another_customer_never_merges(world: World) -> None:
    """C19: never merged across senders by subject."""
    one = await world.arrive(mail_bytes(subject="Re: Invoice 2026"))
    two = await world.arrive(mail_bytes(sender="b@other.example", subject="Re: Invoice 2026"))
    assert await _thread(world, one) != await _thread(world, two)


async def test_two_first_mails_of_one_contact_make_one_thread(world: World) -> None:
    """A33, P11: the contact lock keeps two parallel first answers in one thread."""
    mails = [mail_bytes(subject="Re: The broken lamp", message_id=f"<p{n}@kunde.example>") for n in range(2)]
    ids = [await world.accept(m) for m in mails]
    await asyncio.gather(*(world.parse(i) for i in ids))
    await asyncio.gather(*(world.do(i, Receive(), "receive") for i in ids))
    assert await _thread(world, ids[0]) == await _thread(world, ids[1])


async def test_coalescing_off_by_default(world: World) -> None:
    """A30, P47: three messages, three runs."""
    ids = [await world.arrive(mail_bytes(subject="Re: The broken lamp")) for _ in range(3)]
    assert [await world.status(i) for i in ids] == ["received"] * 3
    assert (await world.row(ids[2]))["hold_reason"] is None


async def test_a_burst_is_led_by_its_newest(world: World) -> None:
    """A31, P48, P49: two archived as coalesced pointing at the third, which waits at most the window."""
    await world.configure(coalesce_window_ms=30_000)
    ids = [await world.arrive(mail_bytes(subject="Re: The broken lamp")) for _ in range(3)]
    rows = [await world.row(i) for i in ids]
    assert [r["archive_reason"] for r in rows] == ["coalesced", "coalesced", None]
    assert rows[2]["hold_reason"] == "coalescing" and rows[1]["archived_by_message_id"] == ids[2]
    assert rows[2]["burst_started_at"] == rows[0]["burst_started_at"]
    assert rows[2]["hold_until"] - rows[2]["received_at"] <= timedelta(seconds=31)


async def test_a_burst_ends_after_five_windows(world: World) -> None:
    """A32, P49: the wait shrinks to nothing 5 windows after the burst began."""
    await world.configure(coalesce_window_ms=30_000)
    first = await world.arrive(mail_bytes(subject="Re: The broken lamp"))
    await world.sql.execute(
        "UPDATE inbound_messages SET burst_started_at = now() - interval '140 seconds' WHERE id = $1", first
    )
    second = await world.arrive(mail_bytes(subject="Re: The broken lamp"))
    row = await world.row(second)
    assert row["hold_until"] - row["received_at"] <= timedelta(seconds=11)


async def test_an_auto_reply_never_leads_and_changes_nothing(world: World) -> None:
    """A34, P50, C4: the human message keeps the lead; the vacation reply is held."""
    await world.configure(coalesce_window_ms=30_000)
    human = await world.arrive(mail_bytes(subject="Re: The broken lamp"))
    robot = await world.arrive(mail_bytes(subject="Re: The broken lamp", headers="Auto-Submitted: auto-replied\r\n"))
    assert (await world.row(human))["archive_reason"] is None
    assert (await world.row(robot))["hold_reason"] == "automatic"


async def test_automatic_mail_withdraws_no_send_but_a_persons_mail_does(world: World) -> None:
    """A26, A100, TH9, P102: only a person's mail takes a pending reply back."""
    first = await world.arrive(mail_bytes(message_id="<a3@kunde.example>"))
    await world.to_draft_ready(first)
    await world.configure(human_undo_ms=60_000)
    await world.do(first, Approve(), actor="user:1")
    reply = "In-Reply-To: <a3@kunde.example>\r\n"
    await world.arrive(mail_bytes(headers=f"{reply}Auto-Submitted: auto-replied\r\n"))
    assert await world.status(first) == "approved"
    await world.arrive(mail_bytes(headers=reply))
    assert await world.status(first) == "draft_ready"
    assert (await world.events(first))[-1][2] == "thread_reply"
    assert await world.sql.fetchval("SELECT count(*) FROM wake_queue WHERE workflow_id = $1", f"message/{first}") == 1
    assert await world.sql.fetchval("SELECT state FROM outbox WHERE message_id = $1", first) == "cancelled"


async def test_a_blocked_sender_is_archived_without_a_model_call(world: World) -> None:
    """A29: in mixed case too."""
    await world.sql.execute(
        "INSERT INTO address_blocks (mailbox_id, address, kind, by) "
        "VALUES ($1, 'anna@kunde.example', 'blocked_sender', 'x')",
        world.mailbox_id,
    )
    message = await world.arrive(mail_bytes(sender="Anna@Kunde.Example"))
    assert [e[1:3] for e in await world.events(message)] == [("received", ""), ("archived", "sender_blocked")]


async def test_automatic_mail_is_archived_after_its_week(world: World) -> None:
    """P45: only when the hold is over."""
    message = await world.arrive(mail_bytes(headers="Auto-Submitted: auto-generated\r\n"))
    await world.do(message, Due(what="automatic"))
    assert await world.status(message) == "received"
    await world.sql.execute("UPDATE inbound_messages SET hold_until = now() WHERE id = $1", message)
    await world.do(message, Due(what="automatic"))
    assert (await world.row(message))["archive_reason"] == "automatic"


async def test_a_person_can_have_automatic_mail_drafted(world: World) -> None:
    """P45: request_draft starts its pipeline."""
    message = await world.arrive(mail_bytes(headers="Auto-Submitted: auto-generated\r\n"))
    await world.enter(message)
    assert await world.status(message) == "received"
    await world.do(message, RequestDraft(), actor="user:1")
    assert (await world.enter(message)).to_status is Status.SECURITY_CHECK


async def test_rate_budget_holds_the_21st_and_lets_it_go_later(world: World) -> None:
    """A27, P46: twenty go on, the 21st waits for its slot and is not charged twice."""
    ids = [await world.arrive(mail_bytes()) for _ in range(21)]
    for message in ids:
        await world.enter(message)
    rows = [await world.row(i) for i in ids]
    assert [r["processing_status"] for r in rows[:20]] == ["security_check"] * 20
    assert (rows[20]["processing_status"], rows[20]["hold_reason"]) == ("received", "rate_budget")
    await world.sql.execute("UPDATE inbound_messages SET hold_until = now() WHERE id = $1", ids[20])
    assert (await world.enter(ids[20])).to_status is Status.SECURITY_CHECK


async def test_spend_ceiling_holds_automatic_work(world: World) -> None:
    """A95, P111: at 100 % the message waits for the next day."""
    await world.configure(daily_budget_usd=1)
    await world.sql.execute(
        "INSERT INTO llm_usage (mailbox_id, task, model, outcome, cost_usd) VALUES ($1, 'draft', 'm', 'ok', 1.5)",
        world.mailbox_id,
    )
    message = await world.arrive()
    await world.do(message, Enter())
    row = await world.row(message)
    assert (row["processing_status"], row["hold_reason"]) == ("received", "spend_ceiling")
    assert row["hold_until"] > row["received_at"]


async def test_newer_draft_supersedes_the_older_and_offers_its_text(world: World) -> None:
    """A37, P52: in the same commit."""
    old = await world.arrive(mail_bytes(message_id="<a4@kunde.example>"))
    await world.to_draft_ready(old)
    await world.sql.execute(
        "INSERT INTO draft_revisions (message_id, mailbox_id, revision, author, text) "
        "VALUES ($1, $2, 1, 'user:1', 'mine')",
        old, world.mailbox_id,
    )  # fmt: skip
    await world.sql.execute("UPDATE inbound_messages SET draft_revision = 1 WHERE id = $1", old)
    new = await world.arrive(mail_bytes(headers="In-Reply-To: <a4@kunde.example>\r\n"))
    await world.to_draft_ready(new)
    row = await world.row(old)
    assert (row["processing_status"], row["archive_reason"], row["archived_by_message_id"]) == (
        "archived",
        "superseded",
        new,
    )
    assert (await world.row(new))["offered_text_revision_of"] == old


async def test_resolved_thread_reopens_only_after_a_clean_scan(world: World) -> None:
    """A28, TH8, P44: spam on it leaves it resolved."""
    first = await world.arrive(mail_bytes(message_id="<a5@kunde.example>"))
    thread = await _thread(world, first)
    await world.sql.execute(
        "UPDATE conversation_threads SET status = 'resolved', snoozed_until = now() WHERE id = $1", thread
    )
    again = await world.arrive(mail_bytes(headers="In-Reply-To: <a5@kunde.example>\r\n"))
    assert await world.sql.fetchval("SELECT status FROM conversation_threads WHERE id = $1", thread) == "resolved"
    await world.to_drafting(again)
    row = await world.sql.fetchrow("SELECT status, snoozed_until FROM conversation_threads WHERE id = $1", thread)
    assert (row["status"], row["snoozed_until"]) == ("open", None)
    reopened = "SELECT count(*) FROM contact_activities WHERE kind = 'thread_reopened'"
    assert await world.sql.fetchval(reopened) == 1


async def test_forms_without_configuration_are_held_with_the_offer(world: World) -> None:
    """C16, AM5: our own address with a foreign Reply-To."""
    form = mail_bytes(sender="support@shop.example", headers="Reply-To: carla@kunde.example\r\n")
    row = await world.row(await world.arrive(form))
    assert row["hold_reason"] == "automatic" and "form_sender_offer" in row["content_flags"]


async def test_same_message_id_with_another_body_is_kept_and_flagged(world: World) -> None:
    """C11, DK3, RS-13."""
    await world.arrive(mail_bytes(message_id="<a6@kunde.example>", body="one"))
    second = await world.arrive(mail_bytes(message_id="<a6@kunde.example>", body="two"))
    assert "same_id_other_body" in (await world.row(second))["content_flags"]


async def test_a_late_older_draft_gives_way_to_the_newer_one(world: World) -> None:
    """C30, P52: the older mail's draft is ready after the newer one's: one current draft, both moves on record."""
    old = await world.arrive(mail_bytes(message_id="<a7@kunde.example>"))
    new = await world.arrive(mail_bytes(headers="In-Reply-To: <a7@kunde.example>\r\n"))
    await world.to_draft_ready(new)
    outcome = await world.to_draft_ready(old)
    row = await world.row(old)
    assert outcome.view and outcome.view.status == "archived"
    assert (row["processing_status"], row["archive_reason"], row["archived_by_message_id"]) == (
        "archived",
        "superseded",
        new,
    )
    assert [e[1] for e in await world.events(old)][-2:] == ["draft_ready", "archived"]
    assert await world.status(new) == "draft_ready"
