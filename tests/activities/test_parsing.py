"""From stored bytes to a message, or to the poison lane and out of it again (RC11, RC11a)."""

from typing import Any
from uuid import UUID

from adapters.accounts import read_accounts
from contracts.errors import MalformedMessage
from contracts.lifecycle import Receive
from contracts.reception import Delivery, DoorOutcome, PoisonReason
from tests.activities.conftest import World, mail_bytes


class Unreadable:
    """A parser that gives up."""

    async def parse(self, *args: Any, **more: Any) -> Any:
        """As the sandbox does when its child is killed."""
        raise MalformedMessage("parser_killed")


async def _account(world: World, message: UUID) -> tuple[str, str | None]:
    row = await world.sql.fetchrow("SELECT account, poison_reason FROM accepted_mail WHERE message_id = $1", message)
    return row["account"], row["poison_reason"]


async def test_unreadable_mail_waits_with_its_reason_and_can_be_parsed_again(world: World) -> None:
    """RS-04: poison lane, then "parse again" makes an ordinary message under the same id."""
    message, parser = await world.accept(mail_bytes()), world.parsing.parser
    world.parsing.parser = Unreadable()  # type: ignore[assignment]
    assert (await world.parse(message)).poison_reason == "parser_error"
    assert await _account(world, message) == ("poison", "parser_error")
    world.parsing.parser = parser
    assert (await world.parse(message)).poison_reason == "parser_error"
    assert (await world.parse(message, request_id="again-1", actor="user:1")).poison_reason == ""
    await world.do(message, Receive(), "receive")
    assert await _account(world, message) == ("pipeline", None)
    assert await world.status(message) == "received"


async def test_answer_by_hand_from_the_poison_lane(world: World) -> None:
    """RS-04, P97: stub row and reply are one transaction; the reply has the sender as recipient."""
    message = await world.accept(mail_bytes())
    world.parsing.parser = Unreadable()  # type: ignore[assignment]
    await world.parse(message)
    note = await world.sql.fetchval(
        "INSERT INTO review_notes (mailbox_id, message_id, author, kind, text) "
        "VALUES ($1, $2, 'user:1', 'reply', 'Hello') RETURNING id",
        world.mailbox_id, message,
    )  # fmt: skip
    await world.parse(message, stub=True)
    outcome = await world.do(message, Receive(reply_note_id=note), "req:by-hand", actor="user:1")
    assert outcome.view and outcome.view.status == "draft_ready"
    row = await world.row(message)
    assert (row["draft_response"], list(row["reply_recipients"])) == ("Hello", ["anna@kunde.example"])


async def test_mail_for_nobody_is_delivered_to_a_mailbox_by_a_person(world: World) -> None:
    """RS-05, RC11a: mailbox unassigned, then the chosen one, same id, same workflow; the identity holds."""
    message = await world.accept(mail_bytes(to="nobody@shop.example"))
    assert await _account(world, message) == ("poison", "unknown_recipient")
    assert (await world.parse(message)).poison_reason == "unknown_recipient"
    result = await world.parse(message, deliver_to=world.mailbox_id, request_id="deliver-1", actor="user:1")
    assert (result.poison_reason, result.mailbox_id) == ("", world.mailbox_id)
    await world.do(message, Receive(), "receive")
    assert (await world.row(message))["mailbox_id"] == world.mailbox_id


async def test_delivering_where_it_already_is_keeps_it_in_the_lane(world: World) -> None:
    """RC11a, DK1: judged by the mailbox's own keys."""
    await world.accept(mail_bytes(message_id="<d1@kunde.example>"), **{"x-envelope-to": "support@shop.example"})
    twin = await world.accept(mail_bytes(message_id="<d1@kunde.example>"), **{"x-envelope-to": "old@shop.example"})
    result = await world.parse(twin, deliver_to=world.mailbox_id, request_id="deliver-2", actor="user:1")
    assert result.poison_reason == "duplicate_there"


async def test_two_mailboxes_make_two_linked_messages_on_one_blob(world: World) -> None:
    """C10, RS-15, RC9: only the first mailbox in To owns the reply."""
    second = await world.sql.fetchval(
        "INSERT INTO mailboxes (organisation_id, address, name) "
        "SELECT id, 'hello@shop.example', 'hello' FROM organisations RETURNING id"
    )
    await world.sql.execute("INSERT INTO agent_config (mailbox_id) VALUES ($1)", second)
    await world.sql.execute(
        "INSERT INTO mailbox_addresses SELECT organisation_id, 'hello@shop.example', id FROM mailboxes WHERE id = $1",
        second,
    )
    mail = mail_bytes(to="Support <support@shop.example>", headers="Cc: hello@shop.example\r\n")
    delivery = Delivery(
        source="default",
        raw=mail,
        to="support@shop.example",
        cc="hello@shop.example",
        from_address="anna@kunde.example",
    )
    accepted = await world.reception.accept(delivery)
    rows = await world.sql.fetch("SELECT * FROM accepted_mail ORDER BY message_id")
    assert len(accepted.message_ids) == 2 and rows[0]["blob_sha256"] == rows[1]["blob_sha256"]
    owner = next(r for r in rows if r["mailbox_id"] == world.mailbox_id)
    copy = next(r for r in rows if r["mailbox_id"] == second)
    assert owner["answered_by"] is None and copy["answered_by"] == owner["message_id"]


async def test_no_message_id_twice_is_two_and_again_still_two(world: World) -> None:
    """C9: known by content."""
    one = await world.accept(mail_bytes(message_id=None, body="one"))
    two = await world.accept(mail_bytes(message_id=None, body="two"))
    again = await world.accept(mail_bytes(message_id=None, body="one"))
    assert one != two and again == one


async def test_a_deleted_mail_stays_deleted(world: World) -> None:
    """RS-14, DK5: the tombstone answers success and resurrects nothing."""
    mail = mail_bytes(message_id="<t1@kunde.example>")
    message = await world.accept(mail)
    await world.sql.execute(
        "UPDATE accepted_mail SET account = 'deleted', blob_sha256 = NULL WHERE message_id = $1", message
    )
    again = await world.reception.accept(
        Delivery(source="default", provider_event_id="fresh", raw=mail, **_identity(mail))
    )
    assert again.outcome is DoorOutcome.DUPLICATE_OF_DELETED
    assert await world.sql.fetchval("SELECT count(*) FROM start_queue") == 1


def _identity(mail: bytes) -> dict[str, str]:
    from api.webhooks.raw import translate

    d = translate("default", mail, "x", {})
    names = ("message_id", "from_address", "date", "to", "cc", "subject", "body_digest")
    return {name: getattr(d, name) for name in names}


async def test_an_event_id_with_other_content_is_kept_and_flagged(world: World) -> None:
    """DK4: a known event id with other content is a new event, flagged."""
    await world.reception.accept(Delivery(source="default", provider_event_id="e", raw=b"a", to="support@shop.example"))
    await world.reception.accept(Delivery(source="default", provider_event_id="e", raw=b"b", to="support@shop.example"))
    flags = await world.sql.fetch("SELECT flags FROM inbound_events ORDER BY received_at")
    assert [list(f["flags"]) for f in flags] == [[], ["event_id_reused"]]


async def test_poison_reasons_of_the_door_are_stored(world: World) -> None:
    """RC11: the reason and where reading failed."""
    accepted = await world.reception.accept(
        Delivery(source="default", raw=b"{", raw_kind="provider_json", poison=PoisonReason.BAD_JSON, detail="byte 1")
    )
    row = await world.sql.fetchrow("SELECT * FROM accepted_mail WHERE message_id = $1", accepted.message_ids[0])
    assert (row["account"], row["poison_reason"], row["poison_detail"]) == ("poison", "bad_json", "byte 1")


async def test_the_copy_in_the_other_mailbox_cannot_be_answered_too(world: World) -> None:
    """C10, RC9: answered once; the refusal names the mailbox that owns the reply."""
    from contracts.lifecycle import Approve
    from contracts.status import Result

    first, second = await world.arrive(), await world.arrive(mail_bytes(sender="b@kunde.example"))
    await world.to_draft_ready(first)
    await world.to_draft_ready(second)
    await world.sql.execute("UPDATE accepted_mail SET answered_by = $1 WHERE message_id = $2", first, second)
    outcome = await world.do(second, Approve(), actor="user:1")
    assert outcome.result is Result.CONFLICT and outcome.refusal and "another mailbox" in outcome.refusal.message
    assert (await world.do(first, Approve(), actor="user:1")).ok


async def _ledger(world: World, message: UUID) -> list[tuple[str, str, UUID]]:
    rows = await world.sql.fetch("SELECT * FROM ledger_entries WHERE message_id = $1 ORDER BY id", message)
    return [(r["from_account"], r["to_account"], r["mailbox_id"]) for r in rows]


async def _balances(world: World) -> bool:
    accounts = await read_accounts(world.database)
    assert [(d.check, d.what) for d in accounts.differences] == []
    return accounts.balances


async def test_delivering_poison_books_the_move_at_once(world: World) -> None:
    """GL1, GL2, RC11a: between "deliver to" and the message row the mail is in no lane of poison any more, and the
    accounts balance at each moment."""
    message = await world.accept(mail_bytes(to="nobody@shop.example"))
    unassigned = await world.sql.fetchval("SELECT mailbox_id FROM accepted_mail WHERE message_id = $1", message)
    assert await _balances(world)
    await world.parse(message, deliver_to=world.mailbox_id, request_id="deliver-1", actor="user:1")
    assert await _account(world, message) == ("accepted", None)
    assert await _balances(world)
    await world.parse(message)
    await world.do(message, Receive(), "receive")
    assert await _balances(world)
    own = world.mailbox_id
    moves = [("", "poison", unassigned), ("poison", "accepted", own), ("accepted", "pipeline", own)]
    assert await _ledger(world, message) == moves


async def test_parsing_again_books_the_move_at_once(world: World) -> None:
    """GL2, RC11: the same for mail that a newer parser can read."""
    message, parser = await world.accept(mail_bytes()), world.parsing.parser
    world.parsing.parser = Unreadable()  # type: ignore[assignment]
    await world.parse(message)
    world.parsing.parser = parser
    await world.parse(message, request_id="again-2", actor="user:1")
    assert await _account(world, message) == ("accepted", None)
    assert await _balances(world)


async def test_a_stub_alone_frees_no_poison(world: World) -> None:
    """P97: what is answered by hand leaves the lane with its reply, in one transaction, and not before."""
    message = await world.accept(mail_bytes())
    world.parsing.parser = Unreadable()  # type: ignore[assignment]
    await world.parse(message)
    await world.parse(message, stub=True)
    assert await _account(world, message) == ("poison", "parser_error")
    assert await _balances(world)
