"""Arrival under stress: bursts, parallel arrivals, odd bytes, locks (P11, P15a, P46, P48)."""

import asyncio
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from api.webhooks import raw
from contracts.lifecycle import Approve, Enter, Receive, Restore
from contracts.status import ArchiveReason, Status, StepKind
from tests.activities.conftest import World, mail_bytes, scan_output

REPLY = "Re: The broken lamp"


async def test_everyone_absorbed_points_at_the_last_leader(world: World) -> None:
    """A31, A35, P48, P51: the first of three points at the third, so its text is scanned and read with it."""
    await world.configure(coalesce_window_ms=30_000)
    ids = [await world.arrive(mail_bytes(subject=REPLY)) for _ in range(3)]
    pointers = [(await world.row(i))["archived_by_message_id"] for i in ids]
    assert pointers == [ids[2], ids[2], None]
    async with world.database.transaction() as tx:
        assert {r["id"] for r in await tx.rows("scan_siblings", ids[2])} == set(ids[:2])


async def test_a_restored_mail_is_never_absorbed(world: World) -> None:
    """P48: a person brought it back, whatever it had been archived as."""
    spam = await world.arrive(mail_bytes(subject=REPLY))
    await world.enter(spam)
    await world.end(
        spam, StepKind.SECURITY_SCAN, scan_output(spam_score=90), to=Status.ARCHIVED, reason=ArchiveReason.SPAM
    )
    await world.do(spam, Restore(), actor="user:1")
    await world.configure(coalesce_window_ms=30_000)
    await world.arrive(mail_bytes(subject=REPLY))
    assert await world.status(spam) == "received"


async def _approved(world: World, **mail: Any) -> UUID:
    message = await world.arrive(mail_bytes(**mail))
    await world.to_draft_ready(message)
    assert (await world.do(message, Approve(), actor="user:1")).ok
    return message


async def test_a_withdrawn_send_shows_on_its_thread(world: World) -> None:
    """P28, E20: the thread says pending again in the same transaction."""
    message = await _approved(world, message_id="<c1@kunde.example>")
    await world.arrive(mail_bytes(headers="In-Reply-To: <c1@kunde.example>\r\n"))
    thread = (await world.row(message))["thread_id"]
    assert (
        await world.sql.fetchval("SELECT latest_draft_status FROM conversation_threads WHERE id = $1", thread)
        == "pending"
    )


async def test_many_first_mails_at_once_pass_no_budget(world: World) -> None:
    """A27, P46: parallel entries of a sender without a budget row yet are charged one after the other."""
    await world.configure(sender_burst=2)
    ids = [await world.arrive(mail_bytes()) for _ in range(6)]
    await asyncio.gather(*(world.do(i, Enter()) for i in ids))
    statuses = [await world.status(i) for i in ids]
    assert statuses.count("security_check") == 2
    slots = [(await world.row(i))["hold_until"] for i in ids if await world.status(i) == "received"]
    assert len(set(slots)) == 4


async def test_receive_waits_for_a_thread_without_holding_its_contact(world: World, owner_database_url: str) -> None:
    """P15a: the thread's lock comes first; a reply booked on it at that moment can mark the contact as answered."""
    first = await world.arrive(mail_bytes(message_id="<c2@kunde.example>"))
    thread = (await world.row(first))["thread_id"]
    other = await asyncpg.connect(owner_database_url, server_settings={"search_path": "deskhand"})
    held = other.transaction()
    await held.start()
    await other.execute("SET LOCAL deskhand.mailbox = '*'; SET LOCAL lock_timeout = '400ms'")
    await other.execute("SELECT 1 FROM conversation_threads WHERE id = $1 FOR UPDATE", thread)
    second = await world.accept(mail_bytes(headers="In-Reply-To: <c2@kunde.example>\r\n"))
    await world.parse(second)
    arriving = asyncio.create_task(world.do(second, Receive(), "receive"))
    await asyncio.sleep(0.3)
    await other.execute("UPDATE contacts SET answered_at = now() WHERE address = 'anna@kunde.example'")
    await held.commit()
    await other.close()
    assert (await arriving).ok


ODD = {
    "nul in the body": mail_bytes(body="Hello\x00 there, where is it?"),
    "nul in an encoded body": mail_bytes(
        body="SGVsbG8AIHRoZXJl",
        headers="Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n",
    ),
    "nul in the subject": mail_bytes(subject="=?utf-8?q?a=00b?="),
    "nul in a header": mail_bytes(headers="X-Odd: =?utf-8?q?a=00b?=\r\nX-Raw: a\x00b\r\n"),
    "surrogates": mail_bytes(headers="Content-Type: text/plain; charset=utf-7\r\n", body="+2AA- lone"),
    "raw eight bit": mail_bytes().replace(b"Hello", b"H\xe9llo\xff\xfe"),
    "nul in html": mail_bytes(headers="Content-Type: text/html\r\n", body="<p title='a\x00b'>Hello\x00 you</p>"),
    "nul in a file name": mail_bytes(
        headers="Content-Type: multipart/mixed; boundary=b\r\n",
        body="--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b\r\n"
        "Content-Type: text/plain; name*=utf-8''a%00b.txt\r\n"
        "Content-Disposition: attachment; filename*=utf-8''a%00b%ED%A0%80.txt\r\n\r\nx\r\n--b--",
    ),
    "utf-16 surrogate subject": mail_bytes(subject="=?utf-16-be?b?2AAAYQ==?="),
    "nul in the sender": mail_bytes(sender='"A\x00nna" <anna@kunde.example>'),
    "nul in the id": mail_bytes(message_id="<a\x00b@kunde.example>"),
}


@pytest.mark.parametrize("case", list(ODD))
async def test_odd_bytes_become_a_message_or_wait_for_a_person(world: World, case: str) -> None:
    """MI2, RC11, P39: nothing the database cannot hold keeps a mail from being received, or it is poison; never
    neither."""
    message = await world.accept(ODD[case])
    parsed = await world.parse(message)
    if parsed.poison_reason:
        account = await world.sql.fetchval("SELECT account FROM accepted_mail WHERE message_id = $1", message)
        assert account == "poison"
        return
    assert (await world.do(message, Receive(), "receive")).ok
    assert await world.status(message) == "received"


async def test_a_parser_that_breaks_leaves_the_mail_to_a_person(world: World) -> None:
    """RC11, P39: an unexpected fault of ours is poison with a reason, not a workflow that fails for ever."""

    class Broken:
        async def parse(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("secret words of the mail")

    world.parsing.parser = Broken()  # type: ignore[assignment]
    message = await world.accept(mail_bytes())
    assert (await world.parse(message)).poison_reason == "parser_error"
    row = await world.sql.fetchrow("SELECT account, poison_detail FROM accepted_mail WHERE message_id = $1", message)
    assert row["account"] == "poison" and "secret" not in row["poison_detail"]


async def test_a_repeat_of_a_duplicate_names_the_first_message(world: World) -> None:
    """RC7: the second delivery had its own event id and made no message; repeating it names the first one all the
    same."""
    content = mail_bytes()
    first = await world.accept(content)
    for _ in range(2):
        again = await world.reception.accept(raw.translate("default", content, "another-event", {}))
        assert (again.outcome, again.message_ids) == ("duplicate", (first,))


async def test_answering_poison_of_a_blocked_sender_by_hand(world: World) -> None:
    """P4, P97: a person may always write; the block only keeps the agent from drafting."""
    await world.sql.execute(
        "INSERT INTO address_blocks (mailbox_id, address, kind, by)"
        " VALUES ($1, 'anna@kunde.example', 'blocked_sender', 'x')",
        world.mailbox_id,
    )
    message = await world.accept(mail_bytes())
    await world.parse(message, stub=True)
    note = await world.sql.fetchval(
        "INSERT INTO review_notes (mailbox_id, message_id, author, kind, text)"
        " VALUES ($1, $2, 'user:1', 'reply', 'Mine.') RETURNING id",
        world.mailbox_id, message,
    )  # fmt: skip
    outcome = await world.do(message, Receive(reply_note_id=note), "req:stub-1", actor="user:1")
    assert outcome.ok and await world.status(message) == "draft_ready"
    thread = (await world.row(message))["thread_id"]
    assert (
        await world.sql.fetchval("SELECT latest_draft_status FROM conversation_threads WHERE id = $1", thread)
        == "pending"
    )
