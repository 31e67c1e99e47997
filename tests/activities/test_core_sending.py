"""Sending under stress: nothing is answered twice, and no doubt is opened again but by a person (OB3, OB6-OB10)."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from activities.kill_switch import SwitchedOff
from activities.sending import Delivery
from contracts.delivery import HandOver, HandOverReport, Outgoing
from contracts.errors import LockTimeout
from contracts.lifecycle import (
    Approve,
    Archive,
    EndStep,
    Outcome,
    ResolveDelivery,
    SendResult,
    UndoSend,
    Withdraw,
    WriteReply,
)
from contracts.status import Result, Status, StepKind
from contracts.workflow import DeliverRequest, DeliverState
from domain.keys import Keyring
from tests.activities.conftest import World, mail_bytes, route_output

KEYS = Keyring(b"k" * 32)


class Letterbox:
    """A channel that keeps what it gets and answers as told."""

    name = "letterbox"
    recognises_repeats = False

    def __init__(self, answer: HandOver = HandOver.SENT) -> None:
        self.answer = answer
        self.mails: list[Outgoing] = []

    async def hand_over(
        self, mail: Outgoing, *, deadline: datetime, unproven_since: datetime | None = None,
        on_data_started: Callable[[], None] | None = None,
    ) -> HandOverReport:  # fmt: skip
        """Takes the mail."""
        self.mails.append(mail)
        return HandOverReport(result=self.answer)


async def ready(world: World, **mail: Any) -> UUID:
    """A message in review."""
    message = await world.arrive(mail_bytes(**mail))
    await world.to_draft_ready(message)
    return message


async def approved(world: World, **mail: Any) -> tuple[UUID, UUID]:
    """A message approved by a person with no undo window, and its outbox row."""
    await world.configure(human_undo_ms=0)
    message = await ready(world, **mail)
    assert (await world.do(message, Approve(), actor="user:1")).ok
    return message, await live(world, message)


async def live(world: World, message: UUID) -> UUID:
    """The newest outbox row."""
    return await world.sql.fetchval(
        "SELECT id FROM outbox WHERE message_id = $1 ORDER BY created_at DESC LIMIT 1", message
    )


async def state(world: World, outbox: UUID) -> str:
    """State of a row."""
    return str(await world.sql.fetchval("SELECT state FROM outbox WHERE id = $1", outbox))


async def put(world: World, outbox: UUID, to: str) -> None:
    """Sets a row's state as a worker elsewhere would have."""
    await world.sql.execute(
        "UPDATE outbox SET state = $2, sent_at = now(), claimed_at = now() WHERE id = $1", outbox, to
    )


async def note(world: World, message: UUID) -> UUID:
    """A stored text of a reviewer."""
    return await world.sql.fetchval(
        "INSERT INTO review_notes (mailbox_id, message_id, author, kind, text)"
        " VALUES ($1, $2, 'user:1', 'reply', 'Mine.') RETURNING id",
        world.mailbox_id, message,
    )  # fmt: skip


async def deliver(world: World, message: UUID, outbox: UUID, channel: Letterbox | None = None) -> DeliverState:
    """The send activity."""
    delivery = Delivery(world.database, channel or Letterbox(), KEYS, "test")
    request = DeliverRequest(outbox_id=outbox, message_id=message, mailbox_id=world.mailbox_id)
    return (await delivery.deliver(request)).state


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("sent", Result.ALREADY_SENT),
        ("bounced", Result.ALREADY_SENT),
        ("ambiguous", Result.ALREADY_SENDING),
        ("sending", Result.ALREADY_SENDING),
    ],
)
async def test_a_text_written_after_hand_over_began_reopens_nothing(world: World, row: str, wanted: Result) -> None:
    """E28, OB3: the row left while the message still says approved; a new text must not lead to a second mail."""
    message, outbox = await approved(world)
    await put(world, outbox, row)
    outcome = await world.do(message, WriteReply(note_id=await note(world, message)), actor="user:1")
    assert outcome.result is wanted
    assert await world.status(message) == "approved"


@pytest.mark.parametrize(
    ("row", "wanted"), [("sent", Result.ALREADY_SENT), ("ambiguous", Result.OK), ("sending", Result.ALREADY_SENDING)]
)
async def test_archiving_tells_the_truth_about_the_reply(world: World, row: str, wanted: Result) -> None:
    """E27: a doubtful row stays doubtful, one that went out is not hidden under "dismissed"."""
    message, outbox = await approved(world)
    await put(world, outbox, row)
    assert (await world.do(message, Archive(), actor="user:1")).result is wanted


async def test_a_late_withdrawal_leaves_a_newer_approval_alone(world: World) -> None:
    """E20, P92: the row it meant was undone and decided anew; the new row keeps its message."""
    message, old = await approved(world)
    await world.do(message, UndoSend(), actor="user:1")
    await world.do(message, Approve(), actor="user:1")
    await world.do(message, Withdraw(outbox_id=old, reason="kill_switch"), "kill_switch/x", actor="kill_switch")
    assert await world.status(message) == "approved"
    assert await deliver(world, message, await live(world, message)) is DeliverState.SENT


async def test_proof_that_comes_before_the_persons_word_wins(world: World) -> None:
    """OB10, RS-62: "send again" and "close" are refused once the mail is proved sent; "went out" agrees."""
    message, outbox = await approved(world)
    await put(world, outbox, "ambiguous")
    await world.do(message, SendResult(outbox_id=outbox))
    await put(world, outbox, "sent")
    for how in ("send_again", "close"):
        assert (await world.do(message, ResolveDelivery(how=how), actor="user:1")).result is Result.ALREADY_SENT  # type: ignore[arg-type]
    assert (await world.do(message, ResolveDelivery(how="went_out"), actor="user:1")).to_status is Status.SENT


async def test_proof_in_the_second_undo_window_stops_the_second_mail(world: World) -> None:
    """OB3, OB10: sent again under doubt, then the first is proved: nothing leaves and the message is sent."""
    message, first = await approved(world)
    await put(world, first, "ambiguous")
    await world.do(message, SendResult(outbox_id=first))
    await world.do(message, ResolveDelivery(how="send_again"), actor="user:1")
    second = await live(world, message)
    await put(world, first, "sent")
    box = Letterbox()
    assert await deliver(world, message, second, box) is DeliverState.WITHDRAWN
    assert (box.mails, await world.status(message), await state(world, second)) == ([], "sent", "cancelled")


async def test_an_answered_slot_is_never_approved_again(world: World) -> None:
    """OB3: "send again" undone, the first mail proved sent meanwhile: no approval, by a person or by the agent."""
    message, first = await approved(world)
    await put(world, first, "ambiguous")
    await world.do(message, SendResult(outbox_id=first))
    await world.do(message, ResolveDelivery(how="send_again"), actor="user:1")
    await world.do(message, UndoSend(), actor="user:1")
    await put(world, first, "sent")
    assert (await world.do(message, Approve(), actor="user:1")).result is Result.ALREADY_SENT
    assert (await world.do(message, Archive(), actor="user:1")).ok


async def test_an_approval_over_a_doubt_is_linked_to_it(world: World) -> None:
    """OB3: the new row names the doubtful one, so that nobody counts it as a second reply without a word."""
    message, first = await approved(world)
    await put(world, first, "ambiguous")
    await world.do(message, SendResult(outbox_id=first))
    await world.do(message, ResolveDelivery(how="send_again"), actor="user:1")
    await world.do(message, UndoSend(), actor="user:1")
    assert (await world.do(message, Approve(), actor="user:1")).ok
    assert await world.sql.fetchval("SELECT previous_id FROM outbox WHERE id = $1", await live(world, message)) == first


async def test_a_bounce_that_overtakes_the_report_ends_the_message(world: World) -> None:
    """E19, BO2: the failure notice arrived before the result was booked; the mail went out, so the message is sent."""
    message, outbox = await approved(world)
    await put(world, outbox, "bounced")
    assert (await world.do(message, SendResult(outbox_id=outbox))).to_status is Status.SENT
    delivery = Delivery(world.database, Letterbox(), KEYS, "test")
    request = DeliverRequest(outbox_id=outbox, message_id=message, mailbox_id=world.mailbox_id)
    assert (await delivery.reconcile(request)).state is DeliverState.SENT


async def test_a_suppressed_copy_stops_the_send(world: World) -> None:
    """P103, BO4: Cc is written to as well."""
    message, outbox = await approved(world)
    await world.sql.execute("UPDATE outbox SET cc = '{Gone@Kunde.Example}' WHERE id = $1", outbox)
    await world.sql.execute(
        "INSERT INTO address_blocks (mailbox_id, address, kind, by)"
        " VALUES ($1, 'gone@kunde.example', 'suppressed_recipient', 'x')",
        world.mailbox_id,
    )
    assert await deliver(world, message, outbox) is DeliverState.WITHDRAWN
    assert await world.status(message) == "draft_ready"


async def test_a_database_away_for_a_moment_makes_no_doubt(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """OB4: what the channel proved is booked as soon as it can be."""
    monkeypatch.setattr("activities.sending.delivery.BOOK_AGAIN_S", (0, 0))
    message, outbox = await approved(world)
    delivery = Delivery(world.database, Letterbox(), KEYS, "test")
    once, failed = delivery._book_once, []

    async def shaky(*args: Any) -> Any:
        if not failed:
            failed.append(1)
            raise LockTimeout("a row stayed locked")
        return await once(*args)

    monkeypatch.setattr(delivery, "_book_once", shaky)
    request = DeliverRequest(outbox_id=outbox, message_id=message, mailbox_id=world.mailbox_id)
    assert (await delivery.deliver(request)).state is DeliverState.SENT
    assert await state(world, outbox) == "sent"


async def automatic(world: World, **mail: Any) -> tuple[UUID, UUID]:
    """A message approved by the agent, due now."""
    await world.configure(is_auto_reply_enabled=True, auto_send_delay_ms=0)
    message = await world.arrive(mail_bytes(**mail))
    await world.to_drafted(message)
    route = route_output(outcome="auto_approve", charge="global")
    outcome: Outcome = await world.end(message, StepKind.ROUTE, route, to=Status.APPROVED, reason="auto")
    assert outcome.to_status is Status.APPROVED
    return message, await live(world, message)


async def test_fifty_automatic_replies_to_one_sender_at_once_pass_no_cap(world: World) -> None:
    """LO1, RS-50: the caps are charged in the claim; more candidates than the cap claim exactly the cap."""
    pairs = [await automatic(world, subject=f"question number {n}", body=f"{n} " * 40) for n in range(8)]
    states = await asyncio.gather(*(deliver(world, m, o) for m, o in pairs))
    assert states.count(DeliverState.SENT) == 5
    assert [await world.status(m) for m, _ in pairs].count("draft_ready") == 3


async def test_an_open_breaker_stops_an_automatic_reply_at_the_door(world: World) -> None:
    """OB6: breakers are read again in the claim, for automatic rows only."""
    message, outbox = await automatic(world)
    by_hand, row = await approved(world, sender="b@kunde.example")
    await world.sql.execute("UPDATE agent_circuit_breakers SET state = 'open' WHERE mailbox_id = $1", world.mailbox_id)
    assert await deliver(world, message, outbox) is DeliverState.WITHDRAWN
    assert await deliver(world, by_hand, row) is DeliverState.SENT


async def test_the_end_of_the_working_day_stops_an_automatic_reply(world: World) -> None:
    """OB6, gate 4: the hours are read again in the claim."""
    message, outbox = await automatic(world)
    await world.configure(working_hours_enabled=True, working_hours_days=[datetime.now(UTC).isoweekday() % 7 + 1])
    assert await deliver(world, message, outbox) is DeliverState.WITHDRAWN


async def test_a_locked_thread_holds_up_no_other_withdrawal(world: World, owner_database_url: str) -> None:
    """RS-57, P92: one thread is locked; the other is withdrawn in the same pass, the first in the next."""
    await world.configure(human_undo_ms=120_000)
    pairs = []
    for n in range(2):
        message = await ready(world, sender=f"k{n}@kunde.example")
        await world.do(message, Approve(), actor="user:1")
        pairs.append((message, await live(world, message)))
    pairs.sort(key=lambda pair: pair[1])
    first, second = pairs[0][0], pairs[1][0]
    switch = await world.sql.fetchrow(
        "INSERT INTO kill_switches (mailbox_id, thrown_by, cause) VALUES ($1, 'user:1', 'x')"
        " RETURNING id, mailbox_id, thrown_at",
        world.mailbox_id,
    )
    other = await asyncpg.connect(owner_database_url, server_settings={"search_path": "deskhand"})
    held = other.transaction()
    await held.start()
    thread = (await world.row(first))["thread_id"]
    await other.execute("SET LOCAL deskhand.mailbox = '*'")
    await other.execute("SELECT 1 FROM conversation_threads WHERE id = $1 FOR UPDATE", thread)
    switched = SwitchedOff(world.database, KEYS)
    await switched.withdraw_pending(switch)
    assert (await world.status(first), await world.status(second)) == ("approved", "draft_ready")
    assert await world.sql.fetchval("SELECT withdrawn_at FROM kill_switches WHERE id = $1", switch["id"]) is None
    await held.rollback()
    await other.close()
    await switched.withdraw_pending(switch)
    assert await world.status(first) == "draft_ready"
    assert await world.sql.fetchval("SELECT withdrawn_at FROM kill_switches WHERE id = $1", switch["id"]) is not None


async def test_an_edit_without_its_base_overwrites_nothing(world: World) -> None:
    """OB1, P98: who saw no draft may not approve over one that came meanwhile."""
    message = await ready(world)
    await world.sql.execute(
        "INSERT INTO draft_revisions (message_id, mailbox_id, revision, author, text)"
        " VALUES ($1, $2, 1, 'user:1', 'Other.')",
        message, world.mailbox_id,
    )  # fmt: skip
    assert (await world.do(message, Approve(edited=True, revision=1), actor="user:1")).result is Result.CONFLICT


async def test_only_what_would_have_been_sent_counts_as_matched(world: World) -> None:
    """P83: an approved review of a draft the rules would have held is no warm-up for sending."""
    await world.configure(human_undo_ms=0)
    message = await world.arrive()
    await world.to_drafted(message)
    route = route_output(observed=True, would_have_sent=False)
    await world.store(message, StepKind.ROUTE, route)
    await world.do(message, EndStep(step=StepKind.ROUTE, to=Status.DRAFT_READY, reason="x"), "1.0:route:end")
    await world.do(message, Approve(), actor="user:1")
    outbox = await live(world, message)
    await put(world, outbox, "sent")
    await world.do(message, SendResult(outbox_id=outbox))
    assert await world.sql.fetchval("SELECT matched FROM autonomy_decisions WHERE message_id = $1", message) is False


async def test_a_written_newer_reply_supersedes_the_older_draft(world: World) -> None:
    """P52: the newer message becomes draft_ready by a person's text; the older draft gives way."""
    old = await ready(world, message_id="<s1@kunde.example>")
    new = await world.arrive(mail_bytes(headers="In-Reply-To: <s1@kunde.example>\r\n"))
    await world.do(new, WriteReply(note_id=await note(world, new)), actor="user:1")
    assert (await world.row(old))["archive_reason"] == "superseded"


async def test_automation_switched_off_while_a_reply_waits_stops_it(world: World) -> None:
    """P112: off takes effect at once, for what was decided a moment ago too; no kill switch is needed for that."""
    message, outbox = await automatic(world)
    await world.configure(is_auto_reply_enabled=False)
    assert await deliver(world, message, outbox) is DeliverState.WITHDRAWN
    assert await world.status(message) == "draft_ready"
    second = await world.arrive(mail_bytes(sender="b@kunde.example"))
    await world.to_drafted(second)
    route = route_output(outcome="auto_approve", charge="global")
    outcome = await world.end(second, StepKind.ROUTE, route, to=Status.APPROVED, reason="auto")
    assert outcome.to_status is Status.DRAFT_READY
    assert (await world.events(second))[-1][2] == "switched_off"


async def test_news_of_another_organisations_source_reaches_nothing_here(world: World) -> None:
    """AD2, HB1: a source speaks for its own organisation's mail only."""
    message, outbox = await approved(world)
    await put(world, outbox, "ambiguous")
    await world.sql.execute(
        "WITH o AS (INSERT INTO organisations (name) VALUES ('Other') RETURNING id)"
        " INSERT INTO sources (name, organisation_id, kind) SELECT 'foreign', id, 'mta' FROM o"
    )
    news = SimpleNamespace(ids=(str(outbox),), kind="delivered", recipient="")
    await world.reception.news("foreign", news)
    assert await state(world, outbox) == "ambiguous"
    await world.reception.news("default", news)
    assert await state(world, outbox) == "sent"
