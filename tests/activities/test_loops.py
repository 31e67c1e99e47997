"""Two machines that answer each other stop, and only a person lets them go on (AU11-AU13, LO1, LO2)."""

from typing import Any
from uuid import UUID

import pytest

from activities.steps import route
from activities.steps.frame import StepTools, step_activity
from contracts.lifecycle import Approve, EndStep, SendResult
from contracts.status import Status, StepKind
from contracts.steps import RunContext, StepInput
from contracts.workflow import DeliverState
from tests.activities.conftest import (
    World,
    classify_output,
    context_output,
    draft_output,
    mail_bytes,
    route_output,
    scan_output,
)
from tests.activities.test_core_sending import Letterbox, automatic, deliver, live

TALK = ("alpha beta gamma delta", "one two three four five", "red green blue black white", "iron copper tin lead zinc")
BOT = "robot@answers.example"


@pytest.fixture(autouse=True)
def no_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gate 15 draws by chance."""
    monkeypatch.setattr("activities.steps.route.random.random", lambda: 0.999)


async def on_autopilot(world: World) -> None:
    """Nothing but the gates stands between a draft and its sending."""
    await world.configure(
        is_auto_reply_enabled=True, auto_send_delay_ms=0, human_undo_ms=0, require_sender_auth=False,
        confidence_threshold=0.5,
    )  # fmt: skip


async def routed(world: World, message: UUID, draft: str) -> Status:
    """The message through all steps; scan to draft by hand, the route step itself."""
    await world.enter(message)
    clean = scan_output(guard_unavailable=False, combined_score=0.0)
    await world.end(
        message, StepKind.SECURITY_SCAN, clean, to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL
    )
    briefing = context_output(history_found=True, seen_message_id=message)
    await world.end(message, StepKind.CONTEXT_RETRIEVAL, briefing, next_step=StepKind.CLASSIFY)
    await world.end(message, StepKind.CLASSIFY, classify_output(), to=Status.DRAFTING, next_step=StepKind.DRAFT)
    await world.end(message, StepKind.DRAFT, draft_output(text=draft), next_step=StepKind.ROUTE)
    row = await world.row(message)
    run = RunContext(
        message_id=message, mailbox_id=world.mailbox_id, thread_id=row["thread_id"], run_no=1, restart_no=0,
        agent_on=True,
    )  # fmt: skip
    tools = StepTools(world.database, models=None)  # type: ignore[arg-type]
    found = await step_activity(route, tools)(StepInput(run=run, step=StepKind.ROUTE))
    end = EndStep(step=StepKind.ROUTE, to=found.to, reason=found.reason)
    outcome = await world.do(message, end, "1.0:route:end")
    assert outcome.to_status is not None
    return outcome.to_status


async def from_the_bot(world: World, number: int, text: str, answered: str = "", **headers: str) -> UUID:
    """A mail without a header that admits anything; it answers our mail of that Message-ID."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    reply = f"In-Reply-To: <{answered}>\r\n" if answered else ""
    mail = mail_bytes(sender=BOT, body=text, message_id=f"<bot-{number}@answers.example>", headers=reply + lines)
    return await world.arrive(mail)


async def thread_of(world: World, message: UUID) -> Any:
    """The thread's row."""
    return await world.sql.fetchrow(
        "SELECT t.* FROM conversation_threads t JOIN inbound_messages m ON m.thread_id = t.id WHERE m.id = $1", message
    )


async def codes(world: World, message: UUID) -> set[str]:
    """Codes of the automatic-mail rules that hit."""
    found = await world.sql.fetchval(
        "SELECT array_agg(h ->> 'code') FROM inbound_messages, jsonb_array_elements(automatic_hits) h WHERE id = $1",
        message,
    )
    return set(found or ())


async def ping_pong(world: World, mails: tuple[str, ...], drafts: tuple[str, ...]) -> tuple[list[Status], UUID]:
    """The bot writes, we answer, it answers that at once, and so on; where each message ended."""
    ends, answered, message = [], "", UUID(int=0)
    for number, (text, draft) in enumerate(zip(mails, drafts, strict=True)):
        message = await from_the_bot(world, number, text, answered)
        ends.append(await routed(world, message, draft))
        if ends[-1] is Status.APPROVED:
            outbox = await live(world, message)
            assert await deliver(world, message, outbox) is DeliverState.SENT
            await world.do(message, SendResult(outbox_id=outbox))
            answered = await world.sql.fetchval("SELECT rfc_message_id FROM outbox WHERE id = $1", outbox)
    return ends, message


async def test_two_machines_stop_after_two_automatic_mails(world: World) -> None:
    """LO3, AU11: they never repeat themselves, and still the third answer needs a person."""
    await on_autopilot(world)
    ends, last = await ping_pong(world, TALK, TALK[::-1])
    assert ends == [Status.APPROVED, Status.APPROVED, Status.DRAFT_READY, Status.DRAFT_READY]
    assert (await thread_of(world, last))["loop_suspected"]
    assert "thread_cap" in await codes(world, last)
    gate = await world.sql.fetchval("SELECT gate FROM autonomy_decisions WHERE message_id = $1", last)
    assert gate == "loop_guard"


async def test_a_machine_that_repeats_itself_gets_one_automatic_mail(world: World) -> None:
    """AU12: its second mail says what its first said."""
    await on_autopilot(world)
    same = "Thank you for your message. We received it and will come back to you as soon as possible."
    ends, last = await ping_pong(world, (same, same), TALK[:2])
    assert ends == [Status.APPROVED, Status.DRAFT_READY]
    assert "near_same" in await codes(world, last)
    assert (await world.row(last))["automatic_class"] == "B"


async def test_we_notice_that_we_repeat_ourselves(world: World) -> None:
    """AU12: the draft is compared with our last automatic reply on this thread, before the gates are asked."""
    await on_autopilot(world)
    ours = "Please send us the number of your order, and we look into it at once."
    ends, last = await ping_pong(world, TALK[:2], (ours, ours))
    assert ends == [Status.APPROVED, Status.DRAFT_READY]
    assert "near_same" in await codes(world, last)
    assert (await thread_of(world, last))["loop_suspected"]


async def test_three_answers_within_a_minute_are_no_person(world: World) -> None:
    """AU13: a person sends our replies, and each is answered at once; a slow answer is no reflex."""
    await world.configure(human_undo_ms=0)
    answered, message = "", UUID(int=0)
    for number, text in enumerate(TALK):
        message = await from_the_bot(world, number, text, answered)
        seen = await codes(world, message)
        assert ("reflex" in seen) is (number == 3)
        await world.to_draft_ready(message)
        await world.do(message, Approve(), actor="user:1")
        outbox = await live(world, message)
        await deliver(world, message, outbox)
        await world.do(message, SendResult(outbox_id=outbox))
        answered = await world.sql.fetchval("SELECT rfc_message_id FROM outbox WHERE id = $1", outbox)
    assert (await thread_of(world, message))["loop_suspected"]
    await world.sql.execute(
        "UPDATE outbox SET claimed_at = claimed_at - interval '2 minutes', sent_at = sent_at - interval '2 minutes'"
    )
    slow = await from_the_bot(world, 9, "and now something else entirely", answered)
    assert "reflex" not in await codes(world, slow)


async def test_a_mark_that_comes_while_a_reply_waits_stops_it(world: World) -> None:
    """LO2: automatic mail withdraws nothing by itself (TH8), but the claim sees what it gave away."""
    away = "I am away until Monday and read no mail."
    before = await from_the_bot(world, 1, away)
    message, outbox = await automatic(world, sender=BOT, message_id="<q@answers.example>", body="How much is it?")
    note = {"In-Reply-To": "<q@answers.example>", "Auto-Submitted": "auto-replied"}
    await world.arrive(mail_bytes(sender=BOT, body="How much is it?", headers=_lines(note)))
    assert await world.status(message) == "approved"
    assert (await thread_of(world, message))["loop_suspected"] and before != message
    box = Letterbox()
    assert await deliver(world, message, outbox, box) is DeliverState.WITHDRAWN
    reason = await world.sql.fetchval("SELECT cancel_reason FROM outbox WHERE id = $1", outbox)
    assert (box.mails, reason) == ([], "presend_check:loop_suspected")


def _lines(headers: dict[str, str]) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items())


async def test_a_mark_between_decision_and_approval_means_review(world: World) -> None:
    """E13, LO2: the route step looked too early; the transaction of the approval looks again."""
    await world.configure(is_auto_reply_enabled=True)
    message = await world.arrive()
    await world.to_drafted(message)
    await world.sql.execute("UPDATE conversation_threads SET loop_suspected = true")
    approval = route_output(outcome="auto_approve", charge="global")
    outcome = await world.end(message, StepKind.ROUTE, approval, to=Status.APPROVED, reason="auto")
    assert outcome.to_status is Status.DRAFT_READY
    assert (await world.events(message))[-1][2] == "loop_suspected"


async def test_a_person_lifts_the_mark_and_the_count_begins_anew(world: World) -> None:
    """LO2, AU11: after a person's word two more automatic mails may go out, then it needs a person again."""
    await on_autopilot(world)
    ends, last = await ping_pong(world, TALK[:3], TALK[:3])
    thread = await thread_of(world, last)
    assert ends[-1] is Status.DRAFT_READY and thread["loop_suspected"]
    async with world.database.transaction() as tx:
        assert await tx.value("loop_lift", thread["id"], "user:1") == world.mailbox_id
        assert await tx.value("loop_lift", thread["id"], "user:1") is None
    seen = await thread_of(world, last)
    assert (seen["loop_suspected"], seen["loop_lifted_by"]) == (False, "user:1")
    hour = "interval '1 hour'"
    await world.sql.execute(f"UPDATE outbox SET claimed_at = claimed_at - {hour}, sent_at = sent_at - {hour}")
    answered = await world.sql.fetchval("SELECT rfc_message_id FROM outbox ORDER BY created_at DESC LIMIT 1")
    message = await from_the_bot(world, 20, TALK[3], answered)
    assert await routed(world, message, TALK[3]) is Status.APPROVED


async def test_loop_rules_cannot_be_exempted(world: World) -> None:
    """P45, LO2: an exemption lets automatic mail through; it opens no loop."""
    await world.sql.execute(
        "INSERT INTO automatic_exemptions (mailbox_id, address, added_by) VALUES ($1, $2, 'user:1')",
        world.mailbox_id, BOT,
    )  # fmt: skip
    first = await from_the_bot(world, 1, TALK[0])
    second = await from_the_bot(world, 2, TALK[0], **{"X-Autoreply": "yes"})
    assert await codes(world, first) == set()
    assert "near_same" in await codes(world, second)
    assert (await thread_of(world, second))["loop_suspected"]
