"""Causes under stress: a repeat is recognised, a new cause is not swallowed, and a late one never acts on another run
(P16)."""

from uuid import UUID

from activities.steps import security_scan
from activities.steps.frame import StepContext, StepTools
from contracts.lifecycle import (
    Approve,
    Archive,
    EndStep,
    FailStep,
    Reassign,
    Receive,
    RequestDraft,
    Restore,
    Retry,
    WriteReply,
)
from contracts.status import HoldReason, Result, Status, StepKind
from contracts.steps import RunContext, StepInput
from tests.activities.conftest import World, classify_output, context_output, draft_output, mail_bytes, scan_output


async def note(world: World, message: UUID, text: str = "A text of mine.") -> UUID:
    """A stored text of a reviewer."""
    return await world.sql.fetchval(
        "INSERT INTO review_notes (mailbox_id, message_id, author, kind, text)"
        " VALUES ($1, $2, 'user:1', 'reply', $3) RETURNING id",
        world.mailbox_id, message, text,
    )  # fmt: skip


async def agent(world: World, on: bool) -> None:
    """Switches the agent flag of the mailbox."""
    await world.sql.execute(
        "UPDATE feature_flags SET is_on = $1 WHERE flag = 'ai.agent' AND mailbox_id = $2", on, world.mailbox_id
    )


async def test_giving_an_equal_owner_is_no_change_and_no_fault(world: World) -> None:
    """P97: reassign to the present owner, here nobody, answers ok and breaks nothing."""
    message = await world.arrive()
    assert (await world.do(message, Reassign(to_user=None), actor="user:1")).ok
    assert (await world.do(message, Reassign(to_user=None), actor="user:1")).ok


async def test_a_step_that_runs_again_after_a_hold_ends_under_a_new_cause(world: World) -> None:
    """A52, P16, P60: the end of the second execution is another cause than the end that held it."""
    message = await world.arrive()
    await agent(world, False)
    await world.enter(message)
    held = await world.end(
        message, StepKind.SECURITY_SCAN, scan_output(), hold=HoldReason.AGENT_OFF, reason="agent_off"
    )
    assert held.ok and (await world.row(message))["hold_reason"] == "agent_off"
    await agent(world, True)
    await world.enter(message)
    outcome = await world.end(
        message, StepKind.SECURITY_SCAN, scan_output(), to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL
    )
    assert outcome.to_status is Status.CLASSIFYING


async def test_a_flag_turned_on_during_the_scan_is_not_missed(world: World) -> None:
    """P60, P20a: the wake went out before the hold was there; the hold must not be taken any more."""
    message = await world.arrive()
    await agent(world, False)
    await world.enter(message)
    await agent(world, True)
    outcome = await world.end(
        message, StepKind.SECURITY_SCAN, scan_output(), hold=HoldReason.AGENT_OFF, reason="agent_off"
    )
    row = await world.row(message)
    assert outcome.ok and (row["hold_reason"], row["current_step"]) == (None, "security_scan")
    again = await world.end(
        message, StepKind.SECURITY_SCAN, scan_output(), to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL
    )
    assert again.to_status is Status.CLASSIFYING


async def test_a_timed_hold_with_the_agent_off_waits_for_the_flag(world: World) -> None:
    """P60: a rate slot that comes while the agent is off must not be asked for again and again."""
    message = await world.arrive()
    await agent(world, False)
    await world.enter(message)
    await world.end(message, StepKind.SECURITY_SCAN, scan_output(), hold=HoldReason.AGENT_OFF, reason="agent_off")
    await world.sql.execute(
        "UPDATE inbound_messages SET hold_reason = 'rate_budget', hold_until = now() - interval '1 min' WHERE id = $1",
        message,
    )
    await world.enter(message)
    row = await world.row(message)
    assert (row["hold_reason"], row["hold_until"]) == ("agent_off", None)


async def test_the_late_end_of_an_earlier_run_ends_nothing_in_a_later_one(world: World) -> None:
    """P16, P19: a call delayed by a lock arrives when a person has the step running again; the new run stays
    untouched."""
    message = await world.arrive()
    await world.to_drafting(message)
    await world.do(message, WriteReply(note_id=await note(world, message)), actor="user:1")
    await world.do(message, RequestDraft(), actor="user:1")
    late_end = EndStep(step=StepKind.DRAFT, next_step=StepKind.ROUTE)
    assert (await world.do(message, late_end, "1.0:draft:end")).result is Result.ILLEGAL_EDGE
    row = await world.row(message)
    assert (row["processing_status"], row["current_step"], row["run_no"]) == ("drafting", "draft", 2)
    assert (await world.steps(message))["draft"] == "running"


async def test_the_late_failure_of_an_earlier_run_fails_nothing_in_a_later_one(world: World) -> None:
    """P19: the same for a failure."""
    message = await world.arrive()
    await world.to_drafting(message)
    await world.do(message, WriteReply(note_id=await note(world, message)), actor="user:1")
    await world.do(message, RequestDraft(), actor="user:1")
    late = FailStep(step=StepKind.DRAFT, error_type="X", permanent=False)
    assert (await world.do(message, late, "1.0:draft:end")).result is Result.ILLEGAL_EDGE
    assert await world.status(message) == "drafting"


async def test_a_failure_that_comes_too_late_closes_its_row(world: World) -> None:
    """P19, P25: no row says running for ever."""
    message = await world.arrive()
    await world.to_drafting(message)
    await world.do(message, WriteReply(note_id=await note(world, message)), actor="user:1")
    other = await world.arrive(mail_bytes(sender="b@kunde.example"))
    await world.to_drafting(other)
    await world.do(other, Archive(), actor="user:1")
    late = FailStep(step=StepKind.DRAFT, error_type="X", permanent=False)
    assert (await world.do(other, late, "1.0:draft:end")).result is Result.TERMINAL
    assert (await world.steps(other))["draft"] == "failed"
    assert (await world.steps(message))["draft"] == "skipped"


async def test_a_second_receive_under_another_cause_is_a_value(world: World) -> None:
    """P16, P17: "answer by hand" and the workflow's own receive may both come; neither may fail for ever."""
    message = await world.arrive()
    again = await world.do(message, Receive(), "another", actor="workflow")
    assert again.ok and again.view and again.view.status is Status.RECEIVED
    by_hand = await world.do(
        message, Receive(reply_note_id=await note(world, message)), "req:by-hand-1", actor="user:1"
    )
    assert by_hand.ok
    row = await world.row(message)
    assert (row["processing_status"], row["draft_response"]) == ("draft_ready", "A text of mine.")


async def test_what_cannot_be_resumed_fails_visibly(world: World) -> None:
    """P30, A4: outputs gone, the edge is illegal; the message fails and a person can have it run from the scan."""
    message = await world.arrive()
    await world.to_drafting(message)
    await world.do(message, FailStep(step=StepKind.DRAFT, error_type="X", permanent=True), "1.0:draft:end")
    await world.do(message, Retry(), actor="user:1")
    await world.sql.execute("DELETE FROM step_outputs WHERE message_id = $1", message)
    assert (await world.enter(message)).result is Result.ILLEGAL_EDGE
    failure = FailStep(step=StepKind.DRAFT, error_type="CannotResume", permanent=True)
    assert (await world.do(message, failure, "1.1:draft:resume")).to_status is Status.FAILED
    assert (await world.do(message, Retry(from_="security_scan"), actor="user:1")).to_status is Status.RECEIVED
    assert (await world.enter(message)).to_status is Status.SECURITY_CHECK


async def test_flags_of_an_earlier_classification_do_not_survive(world: World) -> None:
    """P26: a new run from the scan clears what the classification flagged; the parser's own flags stay."""
    message = await world.arrive()
    await world.enter(message)
    await world.end(
        message, StepKind.SECURITY_SCAN, scan_output(), to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL
    )
    await world.end(message, StepKind.CONTEXT_RETRIEVAL, context_output(), next_step=StepKind.CLASSIFY)
    many = classify_output().model_copy(update={"flags": ("several_intents", "too_many_intents")})
    await world.end(message, StepKind.CLASSIFY, many, to=Status.DRAFT_READY, reason="too_many_intents")
    row = await world.row(message)
    assert {"several_intents", "too_many_intents"} <= set(row["content_flags"])
    assert row["confidence_score"] == 0  # E10
    await world.sql.execute(
        "UPDATE inbound_messages SET content_flags = content_flags || '{parts_differ}'::text[] WHERE id = $1", message
    )
    async with world.database.transaction() as tx:
        await tx.run("step_new_run", message)
    assert (await world.row(message))["content_flags"] == ["parts_differ"]


async def test_a_requested_draft_ends_any_hold_in_received(world: World) -> None:
    """P97: request_draft is allowed on every held mail, not on some."""
    for reason in ("coalescing", "spend_ceiling", "llm_breaker", "rate_budget", "automatic"):
        message = await world.arrive(mail_bytes(sender=f"{reason}@kunde.example"))
        await world.sql.execute(
            "UPDATE inbound_messages SET hold_reason = $2, hold_until = now() + interval '1 hour' WHERE id = $1",
            message,
            reason,
        )
        assert (await world.do(message, RequestDraft(), actor="user:1")).ok, reason
        assert (await world.row(message))["hold_reason"] is None


async def test_a_written_reply_clears_the_failure_it_takes_over(world: World) -> None:
    """P4, E28: a failed message answered by hand no longer says that it failed."""
    message = await world.arrive()
    await world.to_drafting(message)
    await world.do(message, FailStep(step=StepKind.DRAFT, error_type="X", permanent=True), "1.0:draft:end")
    await world.do(message, WriteReply(note_id=await note(world, message)), actor="user:1")
    row = await world.row(message)
    assert (row["processing_status"], row["failed_step"], row["error_message"]) == ("draft_ready", None, None)


async def test_a_draft_of_this_run_is_required_to_end_the_draft_step(world: World) -> None:
    """P24: an end without a stored output of the run would leave a message without a draft and say it has one."""
    message = await world.arrive()
    await world.to_drafting(message)
    await world.store(message, StepKind.DRAFT, draft_output())
    assert (await world.do(message, EndStep(step=StepKind.DRAFT, next_step=StepKind.ROUTE), "1.0:draft:end")).ok


async def test_a_request_id_of_another_message_is_a_conflict(world: World) -> None:
    """P97: request ids are one per mailbox; a second use elsewhere carries nothing out."""
    one, two = await world.arrive(), await world.arrive(mail_bytes(sender="b@kunde.example"))
    assert (await world.do(one, Archive(), "req:same-id-1", actor="user:1", request_id="same-id-1")).ok
    again = await world.do(two, Archive(), "req:same-id-1", actor="user:1", request_id="same-id-1")
    assert again.result is Result.CONFLICT and await world.status(two) == "received"


async def test_who_is_writing_is_named_by_id(world: World) -> None:
    """P98, P23: the refusal travels through workflow history, so it carries the colleague's id and not the name."""
    message = await world.arrive()
    await world.to_draft_ready(message)
    colleague = await world.sql.fetchval(
        "INSERT INTO users (organisation_id, email, name, role) SELECT id, 'c@shop.example', 'Carla', 'reviewer'"
        " FROM organisations RETURNING id"
    )
    thread = (await world.row(message))["thread_id"]
    await world.sql.execute(
        "INSERT INTO thread_presence (thread_id, mailbox_id, user_id, mode) VALUES ($1, $2, $3, 'replying')",
        thread, world.mailbox_id, colleague,
    )  # fmt: skip
    outcome = await world.do(message, Approve(), actor="user:1")
    assert outcome.result is Result.REPLY_IN_PROGRESS and outcome.refusal
    assert outcome.refusal.by == f"user:{colleague}" and "Carla" not in outcome.model_dump_json()


async def test_a_restored_older_mail_is_not_superseded_again(world: World) -> None:
    """P61, P52: a person brought it back; neither its own late draft nor the newer one's puts it away a second time."""
    old = await world.arrive(mail_bytes(message_id="<r1@kunde.example>"))
    await world.to_draft_ready(old)
    new = await world.arrive(mail_bytes(headers="In-Reply-To: <r1@kunde.example>\r\n"))
    await world.to_draft_ready(new)
    assert (await world.row(old))["archive_reason"] == "superseded"
    assert (await world.do(old, Restore(), actor="user:1")).ok
    await world.to_draft_ready(old)
    assert await world.status(old) == "draft_ready"
    await world.do(new, Approve(seen_message_id=new), actor="user:1")
    assert await world.status(old) == "draft_ready"


async def test_a_released_mail_never_looks_untouched_to_the_gates(world: World) -> None:
    """P86 gate 6, P61: a bypass of a phishing hit is a bypass like any other and shows in the next scan."""
    message = await world.arrive()
    await agent(world, False)
    await world.enter(message)
    await world.sql.execute(
        "INSERT INTO scan_bypasses (message_id, mailbox_id, detector, evidence_hash, released_by)"
        " VALUES ($1, $2, 'phishing.login', 'abc', 'user:1')", message, world.mailbox_id,
    )  # fmt: skip
    row = await world.row(message)
    run = RunContext(message_id=message, mailbox_id=world.mailbox_id, thread_id=row["thread_id"], run_no=1)
    async with world.database.transaction() as tx:
        loaded = await tx.must("step_message", message)
    tools = StepTools(database=world.database, models=None)  # type: ignore[arg-type]
    step = StepInput(run=run, step=StepKind.SECURITY_SCAN)
    output = await security_scan.execute(StepContext(tools=tools, run=run, message=loaded), step)
    assert output.flags.bypassed == ("phishing.login",)
