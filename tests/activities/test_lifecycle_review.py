"""What people decide: compare-and-set on what they saw, one winner, refusals that say what is there now (P97, P98)."""

import asyncio
from typing import Any
from uuid import UUID

from contracts.lifecycle import (
    Approve,
    Archive,
    EndStep,
    Reassign,
    Reject,
    Release,
    RequestDraft,
    ResolveDelivery,
    Retry,
    SendResult,
    UndoSend,
    Withdraw,
    WriteReply,
)
from contracts.status import Result, Status, StepKind
from tests.activities.conftest import World, draft_output, injection, mail_bytes, scan_output


async def _ready(world: World, **mail: Any) -> UUID:
    message = await world.arrive(mail_bytes(**mail))
    await world.to_draft_ready(message)
    return message


async def _note(world: World, message: UUID, text: str = "A text of mine.") -> UUID:
    return await world.sql.fetchval(
        "INSERT INTO review_notes (mailbox_id, message_id, author, kind, text) "
        "VALUES ($1, $2, 'user:1', 'reply', $3) RETURNING id",
        world.mailbox_id, message, text,
    )  # fmt: skip


async def _outbox(world: World, message: UUID) -> list[Any]:
    return await world.sql.fetch("SELECT * FROM outbox WHERE message_id = $1 ORDER BY created_at", message)


async def test_approval_fixes_everything_in_one_outbox_row(world: World) -> None:
    """E15, OB2: recipients, subject, Message-ID and undo window stand in the row."""
    message = await _ready(world)
    outcome = await world.do(message, Approve(), actor="user:1")
    (row,) = await _outbox(world, message)
    assert outcome.to_status is Status.APPROVED
    assert (row["state"], list(row["recipients"]), row["subject"]) == (
        "ready",
        ["anna@kunde.example"],
        "Re: Where is my order?",
    )
    assert row["rfc_message_id"].startswith(str(row["id"])) and row["rfc_message_id"].endswith("@shop.example")
    assert (row["send_at"] - row["decided_at"]).total_seconds() > 14


async def test_two_reviewers_at_once_one_wins(world: World) -> None:
    """A97, RS-54: one approved, one conflict naming the other; one outbox row."""
    message = await _ready(world)
    one, two = await asyncio.gather(
        world.do(message, Approve(), "req:1", actor="user:1"), world.do(message, Approve(), "req:2", actor="user:2")
    )
    assert {one.result, two.result} == {Result.OK, Result.CONFLICT}
    loser = one if not one.ok else two
    assert loser.refusal and loser.refusal.by in ("user:1", "user:2")
    assert len(await _outbox(world, message)) == 1


async def test_stale_revision_is_refused_and_recorded(world: World) -> None:
    """A96, RS-55: the refusal names the current revision and its author."""
    message = await _ready(world)
    await world.do(message, WriteReply(note_id=await _note(world, message)), actor="user:2")
    outcome = await world.do(message, Approve(revision=0), actor="user:1")
    assert outcome.result is Result.CONFLICT and outcome.refusal
    assert (outcome.refusal.current_revision, outcome.refusal.by) == (1, "user:2")
    assert (await world.events(message))[-1][3] is False


async def test_newer_mail_is_named_and_nothing_is_approved(world: World) -> None:
    """P98, C30: the approver must have seen the newest mail."""
    message = await _ready(world, message_id="<b1@kunde.example>")
    newer = await world.arrive(mail_bytes(headers="In-Reply-To: <b1@kunde.example>\r\n"))
    outcome = await world.do(message, Approve(seen_message_id=message), actor="user:1")
    assert outcome.result is Result.CONFLICT and outcome.refusal and outcome.refusal.newer_message_id == newer
    assert (await world.do(message, Approve(seen_message_id=newer), actor="user:1")).ok


async def test_changed_recipients_need_a_new_look(world: World) -> None:
    """OB1, OB11: a hash that no longer fits is refused."""
    message = await _ready(world)
    outcome = await world.do(message, Approve(recipients_hash="0" * 64), actor="user:1")
    assert outcome.result is Result.CONFLICT


async def test_edit_and_approve_keeps_the_agents_original(world: World) -> None:
    """P78: revision 0 is immutable; the edited text is sent; feedback says edited."""
    message = await _ready(world)
    await world.sql.execute(
        "INSERT INTO draft_revisions (message_id, mailbox_id, revision, author, text) VALUES ($1, $2, 1, 'user:1', $3)",
        message, world.mailbox_id, "Something entirely different.",
    )  # fmt: skip
    outcome = await world.do(message, Approve(edited=True, base_revision=0, revision=1), actor="user:1")
    assert outcome.ok
    (row,) = await _outbox(world, message)
    await _hand_over(world, row["id"])
    await world.do(message, SendResult(outbox_id=row["id"]))
    feedback = await world.sql.fetchrow(
        "SELECT action, similarity FROM autonomy_feedback WHERE message_id = $1", message
    )
    assert feedback["action"] == "edited" and feedback["similarity"] < 1


async def _hand_over(world: World, outbox: UUID, state: str = "sent") -> None:
    await world.sql.execute("UPDATE outbox SET state = $2, sent_at = now() WHERE id = $1", outbox, state)


async def test_undo_races_with_the_claim_and_tells_the_truth(world: World) -> None:
    """A99, RS-56, OB5: before the claim undone, during it already_sending, after it already_sent."""
    message = await _ready(world)
    await world.do(message, Approve(), actor="user:1")
    assert (await world.do(message, UndoSend(), actor="user:1")).to_status is Status.DRAFT_READY
    await world.do(message, Approve(), actor="user:1")
    live = (await _outbox(world, message))[-1]["id"]
    await _hand_over(world, live, "sending")
    assert (await world.do(message, UndoSend(), actor="user:1")).result is Result.ALREADY_SENDING
    await _hand_over(world, live)
    await world.do(message, SendResult(outbox_id=live))
    assert (await world.do(message, UndoSend(), actor="user:1")).result is Result.ALREADY_SENT


async def test_processed_at_follows_undo_and_feedback_is_one_row(world: World) -> None:
    """A11, A87: set on approval, cleared by undo; approve, undo, approve gives one feedback row."""
    message = await _ready(world)
    await world.do(message, Approve(), actor="user:1")
    assert (await world.row(message))["processed_at"] is not None
    await world.do(message, UndoSend(), actor="user:1")
    assert (await world.row(message))["processed_at"] is None
    await world.do(message, Approve(), actor="user:1")
    live = (await _outbox(world, message))[-1]["id"]
    await _hand_over(world, live)
    await world.do(message, SendResult(outbox_id=live))
    rows = await world.sql.fetch("SELECT action FROM autonomy_feedback WHERE message_id = $1", message)
    assert [r["action"] for r in rows] == ["approved"]


async def test_resolve_chosen_at_approval(world: World) -> None:
    """A113: the thread is resolved with `sent`; without it, it waits."""
    for resolve, wanted in ((True, "resolved"), (False, "waiting")):
        message = await _ready(world, sender=f"r{resolve}@kunde.example")
        await world.do(message, Approve(resolve=resolve), actor="user:1")
        (row,) = await _outbox(world, message)
        await _hand_over(world, row["id"])
        await world.do(message, SendResult(outbox_id=row["id"]))
        thread = (await world.row(message))["thread_id"]
        found = await world.sql.fetchrow(
            "SELECT status, latest_draft_status FROM conversation_threads WHERE id = $1", thread
        )
        assert (found["status"], found["latest_draft_status"]) == (wanted, "sent")


async def test_delivery_refused_then_retried_keeps_the_text(world: World) -> None:
    """A20, E21, E24: failed with the server's words; retry brings the draft back untouched."""
    message = await _ready(world)
    await world.do(message, Approve(), actor="user:1")
    (row,) = await _outbox(world, message)
    await world.sql.execute(
        "UPDATE outbox SET state = 'failed_safe', detail = '550 no such user' WHERE id = $1", row["id"]
    )
    await world.do(message, SendResult(outbox_id=row["id"]))
    failed = await world.row(message)
    assert (failed["processing_status"], failed["failed_step"], failed["error_message"]) == (
        "failed",
        "send",
        "550 no such user",
    )
    assert (await world.do(message, Retry(), actor="user:1")).to_status is Status.DRAFT_READY
    assert (await world.row(message))["draft_response"] == "Your order is on its way."
    assert (await world.do(message, Approve(), actor="user:1")).ok


async def test_doubtful_delivery_is_settled_by_a_person_only(world: World) -> None:
    """A107, RS-62: refused without the hold; went_out, send_again and close as specified."""
    message = await _ready(world)
    assert (await world.do(message, ResolveDelivery(how="went_out"), actor="user:1")).result is Result.CONFLICT
    await _doubt(world, message)
    assert (await world.row(message))["hold_reason"] == "delivery_ambiguous"
    assert (await world.do(message, ResolveDelivery(how="send_again"), actor="user:1")).ok
    first, second = await _outbox(world, message)
    assert (first["state"], second["state"], second["previous_id"], second["generation"]) == (
        "ambiguous",
        "ready",
        first["id"],
        2,
    )
    other = await _ready(world, sender="c@kunde.example")
    await _doubt(world, other)
    assert (await world.do(other, ResolveDelivery(how="went_out"), actor="user:1")).to_status is Status.SENT
    third = await _ready(world, sender="d@kunde.example")
    await _doubt(world, third)
    await world.do(third, ResolveDelivery(how="close"), actor="user:1")
    assert (await world.row(third))["archive_reason"] == "dismissed"
    assert (await _outbox(world, third))[0]["state"] == "ambiguous"


async def _doubt(world: World, message: UUID) -> None:
    await world.do(message, Approve(), actor="user:1")
    (row,) = await _outbox(world, message)
    await _hand_over(world, row["id"], "ambiguous")
    await world.do(message, SendResult(outbox_id=row["id"]))


async def test_withdrawal_by_rule_cancels_the_row(world: World) -> None:
    """E20: presend_check and kill_switch take the reply back, never one being handed over."""
    message = await _ready(world)
    await world.do(message, Approve(), actor="user:1")
    (row,) = await _outbox(world, message)
    outcome = await world.do(message, Withdraw(outbox_id=row["id"], reason="kill_switch"))
    assert outcome.to_status is Status.DRAFT_READY
    assert (await _outbox(world, message))[0]["cancel_reason"] == "kill_switch"


async def test_write_reply_in_every_open_status(world: World) -> None:
    """P4, E28, A101, A110a: a person's text becomes current whatever the agent does; the running row is skipped."""
    message = await world.arrive()
    await world.to_drafting(message)
    outcome = await world.do(message, WriteReply(note_id=await _note(world, message)), actor="user:1")
    row = await world.row(message)
    assert outcome.to_status is Status.DRAFT_READY
    assert (row["draft_response"], row["confidence_score"]) == ("A text of mine.", None)
    assert (await world.steps(message))["draft"] == "skipped"
    late = await world.end(message, StepKind.DRAFT, draft_output(), next_step=StepKind.ROUTE)
    assert late.result is Result.ILLEGAL_EDGE
    assert (await world.row(message))["draft_response"] == "A text of mine."
    assert (await world.steps(message))["draft"] == "skipped"


async def test_request_draft_needs_its_preparation_and_never_sends(world: World) -> None:
    """A71, E17, P79: not_prepared without scan and context; a requested draft is marked."""
    early = await world.arrive()
    await world.do(early, WriteReply(note_id=await _note(world, early)), actor="user:1")
    assert (await world.do(early, RequestDraft(), actor="user:1")).result is Result.NOT_PREPARED
    message = await _ready(world, sender="e@kunde.example")
    outcome = await world.do(message, RequestDraft(), actor="user:1")
    row = await world.row(message)
    assert outcome.to_status is Status.DRAFTING
    assert (row["run_no"], row["requested_by_person"], row["confidence_score"]) == (2, True, None)
    assert (await world.end(message, StepKind.DRAFT, draft_output(), next_step=StepKind.ROUTE)).ok


async def test_release_exempts_exactly_what_was_found(world: World) -> None:
    """A53, P61: a bypass per hit, a new run from the scan."""
    message = await world.arrive()
    await world.enter(message)
    output = scan_output(injection_detected=True, combined_score=0.85, evidence=(injection(),))
    await world.end(message, StepKind.SECURITY_SCAN, output, to=Status.QUARANTINED, reason="injection")
    assert (await world.do(message, Release(), actor="user:1")).to_status is Status.RECEIVED
    bypasses = await world.sql.fetch("SELECT detector, released_by FROM scan_bypasses WHERE message_id = $1", message)
    assert [tuple(b) for b in bypasses] == [("en.override", "user:1")]
    assert (await world.row(message))["run_no"] == 2


async def test_archiving_the_only_draft_clears_the_threads_projection(world: World) -> None:
    """A10, P28."""
    message = await _ready(world)
    await world.do(message, Archive(), actor="user:1")
    thread = (await world.row(message))["thread_id"]
    assert (
        await world.sql.fetchval("SELECT latest_draft_status FROM conversation_threads WHERE id = $1", thread) is None
    )


async def test_reject_writes_feedback_at_once(world: World) -> None:
    """E16, P88."""
    message = await _ready(world)
    assert (await world.do(message, Reject(), actor="user:1")).to_status is Status.REJECTED
    assert await world.sql.fetchval("SELECT action FROM autonomy_feedback WHERE message_id = $1", message) == "rejected"


async def test_reassign_only_to_members(world: World) -> None:
    """P97: a stranger is no owner."""
    message = await _ready(world)
    admin = await world.sql.fetchval("SELECT id FROM users LIMIT 1")
    assert (await world.do(message, Reassign(to_user=admin), actor="user:1")).ok
    assert (await world.row(message))["assigned_to"] == admin
    assert (await world.do(message, Reassign(to_user=message), actor="user:1")).result is Result.CONFLICT


async def test_a_second_outbox_row_for_a_slot_is_impossible(world: World) -> None:
    """OB3: the database refuses a second live row of a slot."""
    message = await _ready(world)
    await world.do(message, Approve(), actor="user:1")
    act = EndStep(step=StepKind.ROUTE, to=Status.APPROVED)
    assert not (await world.do(message, act, "late")).ok
    assert len(await _outbox(world, message)) == 1
