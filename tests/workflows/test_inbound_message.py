"""The story of one message under a clock that jumps: timers, retries, reviews, doubts."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from temporalio.client import WorkflowHandle, WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment

from contracts.lifecycle import Act, Approve, Archive, Outcome, UndoSend, WriteReply
from contracts.status import ArchiveReason, HoldReason, Result, Status, StepKind
from contracts.workflow import DeliverState, HumanRequest, PoisonRequest, SignalDecision
from tests.workflows.conftest import Tell
from tests.workflows.fake_message import FakeMessage, permanent, transient

Handle = WorkflowHandle[Any, Any]
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(60)]


async def until(message: FakeMessage, status: Status) -> None:
    """Waits for a status; the test's own time limit is the bound."""
    while message.status is not status:
        await asyncio.sleep(0.02)


async def decide(handle: Handle, name: str, act: Act, request_id: str | None = None) -> Outcome:
    """One reviewer's Update."""
    request = HumanRequest(request_id=request_id or uuid4().hex, actor="user:1", act=act)  # type: ignore[arg-type]
    return await handle.execute_update(name, request, result_type=Outcome)


async def test_plain_message_is_reviewed_and_sent(tell: Tell, message: FakeMessage) -> None:
    """P10, P102: five steps, a person, the undo window, one hand-over."""
    handle = await tell(message)
    await until(message, Status.DRAFT_READY)
    assert (await decide(handle, "approve", Approve())).ok
    assert (await handle.result()).status == "sent"
    assert message.calls.count("deliver") == 1
    steps = [c for c in message.calls if c in set(StepKind)]
    assert steps == [str(kind) for kind in StepKind]


async def test_undo_inside_the_window_sends_nothing(
    tell: Tell, message: FakeMessage, environment: WorkflowEnvironment
) -> None:
    """P102, A99: the timer is cancelled, the draft is back in review."""
    message.undo = timedelta(hours=1)
    with environment.with_time_skipping_disabled():
        handle = await tell(message)
    await until(message, Status.DRAFT_READY)
    await decide(handle, "approve", Approve())
    await decide(handle, "undo_send", UndoSend())
    assert message.status is Status.DRAFT_READY and "deliver" not in message.calls
    await decide(handle, "archive", Archive())
    assert (await handle.result()).status == "archived"


async def test_an_exhausted_step_waits_and_resumes_where_it_failed(tell: Tell, message: FakeMessage) -> None:
    """A13, P35: five attempts, 300 s, then the draft step again; earlier steps ran once."""
    message.faults[StepKind.DRAFT] = transient(5)
    await tell(message)
    await until(message, Status.DRAFT_READY)
    assert message.calls.count("draft") == 6
    assert [message.calls.count(k) for k in ("security_scan", "context_retrieval", "classify")] == [1, 1, 1]
    assert message.calls.count("due") == 1


async def test_four_rounds_then_a_person(tell: Tell, message: FakeMessage) -> None:
    """A14, P36: one round and three restarts, twenty attempts, then it stays failed."""
    message.faults[StepKind.CLASSIFY] = transient(100)
    handle = await tell(message)
    while message.calls.count("fail_step") < 4:
        await asyncio.sleep(0.02)
    assert message.calls.count("classify") == 20
    assert message.status is Status.FAILED and message.hold is None
    await decide(handle, "archive", Archive())
    await handle.result()


async def test_a_permanent_fault_is_tried_once(tell: Tell, message: FakeMessage) -> None:
    """A16, P34: one attempt, no timer."""
    message.faults[StepKind.CLASSIFY] = permanent()
    handle = await tell(message)
    await until(message, Status.FAILED)
    assert message.calls.count("classify") == 1 and message.hold is None
    await decide(handle, "archive", Archive())
    await handle.result()


async def test_review_reminder_marks_and_decides_nothing(tell: Tell, message: FakeMessage) -> None:
    """P101: after review_due_after the item is overdue, still in review."""
    handle = await tell(message)
    while not message.overdue:
        await asyncio.sleep(0.02)
    assert message.status is Status.DRAFT_READY
    await decide(handle, "archive", Archive())
    await handle.result()


async def test_automatic_mail_ends_by_itself_after_its_week(tell: Tell, message: FakeMessage) -> None:
    """P45: held, no step runs, archived when the hold ends."""
    message.hold_on_arrival = (HoldReason.AUTOMATIC, timedelta(days=7))
    handle = await tell(message)
    assert (await handle.result()).status == "archived"
    assert message.archive_reason is ArchiveReason.AUTOMATIC
    assert "security_scan" not in message.calls


async def test_coalescing_waits_its_window(tell: Tell, message: FakeMessage) -> None:
    """P49: a durable timer, then the scan."""
    message.hold_on_arrival = (HoldReason.COALESCING, timedelta(seconds=30))
    await tell(message)
    await until(message, Status.DRAFT_READY)
    assert message.calls.index("enter") > message.calls.index("receive")


async def test_unreadable_mail_waits_in_the_poison_lane(tell: Tell, message: FakeMessage) -> None:
    """RC11, RS-04: the workflow stays open; "parse again" makes it an ordinary message in the same run."""
    message.parse_answers = ["parser_error", "parser_error"]
    handle = await tell(message)
    while message.calls.count("parse") < 1:
        await asyncio.sleep(0.02)
    request = PoisonRequest(request_id=uuid4().hex, actor="user:1")
    still = await handle.execute_update("parse_again", request, result_type=dict)
    assert still["poison_reason"] == "parser_error" and message.status is None
    again = PoisonRequest(request_id=uuid4().hex, actor="user:1")
    await handle.execute_update("parse_again", again, result_type=dict)
    await until(message, Status.DRAFT_READY)


async def test_a_doubtful_delivery_is_never_sent_again(tell: Tell, message: FakeMessage) -> None:
    """OB8, OB10: looked into four times, then a person; one hand-over in all."""
    message.deliveries = [DeliverState.AMBIGUOUS]
    handle = await tell(message)
    await until(message, Status.DRAFT_READY)
    await decide(handle, "approve", Approve())
    while message.calls.count("reconcile") < 4:
        await asyncio.sleep(0.02)
    assert message.calls.count("deliver") == 1
    assert (message.status, message.hold) == (Status.APPROVED, HoldReason.DELIVERY_AMBIGUOUS)
    await decide(handle, "archive", Archive())
    await handle.result()


async def test_proof_of_delivery_settles_the_doubt(tell: Tell, message: FakeMessage) -> None:
    """OB10: proof -> sent, without a second hand-over."""
    message.deliveries = [DeliverState.AMBIGUOUS]
    message.proofs = [DeliverState.AMBIGUOUS, DeliverState.SENT]
    handle = await tell(message)
    await until(message, Status.DRAFT_READY)
    await decide(handle, "approve", Approve())
    assert (await handle.result()).status == "sent"
    assert message.calls.count("deliver") == 1


async def test_temporary_refusals_back_off(tell: Tell, message: FakeMessage) -> None:
    """OB9: refused safely twice, then sent."""
    message.deliveries = [DeliverState.FAILED_SAFE, DeliverState.FAILED_SAFE]
    handle = await tell(message)
    await until(message, Status.DRAFT_READY)
    await decide(handle, "approve", Approve())
    assert (await handle.result()).status == "sent"
    assert message.calls.count("deliver") == 3


async def test_a_person_who_writes_stops_the_running_step(tell: Tell, message: FakeMessage) -> None:
    """A101, P4: write_reply while drafting; the step is cancelled and its late end moves nothing."""
    message.faults[StepKind.DRAFT] = transient(2)
    handle = await tell(message)
    await until(message, Status.DRAFTING)
    outcome = await decide(handle, "write_reply", WriteReply(note_id=uuid4()))
    assert outcome.ok and message.status is Status.DRAFT_READY
    await asyncio.sleep(0.3)
    assert message.status is Status.DRAFT_READY and "fail_step" not in message.calls


async def test_validators_refuse_without_a_trace(tell: Tell, message: FakeMessage) -> None:
    """P97: approving an archived message is refused by state and leaves no Update in the history."""
    message.faults[StepKind.SECURITY_SCAN] = permanent()
    handle = await tell(message)
    await until(message, Status.FAILED)
    before = len((await handle.fetch_history()).events)
    with pytest.raises(WorkflowUpdateFailedError):
        await decide(handle, "approve", Approve())
    events = (await handle.fetch_history()).events
    assert not any(e.HasField("workflow_execution_update_accepted_event_attributes") for e in events)
    assert len(events) - before <= 3


async def test_twin_signals(tell: Tell, message: FakeMessage) -> None:
    """A98, P99: signal approve -> approved; a late one is refused and harmless."""
    handle = await tell(message)
    await until(message, Status.DRAFT_READY)
    await handle.signal("approve", SignalDecision())
    assert (await handle.result()).status == "sent"


async def test_no_mail_text_and_few_events(tell: Tell, message: FakeMessage) -> None:
    """P23: at most 45 events from start to draft_ready, each with a summary."""
    handle = await tell(message)
    await until(message, Status.DRAFT_READY)
    await asyncio.sleep(0.2)
    events = (await handle.fetch_history()).events
    assert len(events) <= 45


async def test_same_request_id_twice_is_one_effect(tell: Tell, message: FakeMessage) -> None:
    """A96, P97: the engine gives the first answer again."""
    message.undo = timedelta(hours=1)
    handle = await tell(message)
    await until(message, Status.DRAFT_READY)
    request = HumanRequest(request_id="same-request", actor="user:1", act=Approve())
    one = await handle.execute_update("approve", request, id="same-request", result_type=Outcome)
    two = await handle.execute_update("approve", request, id="same-request", result_type=Outcome)
    assert one.result is two.result is Result.OK
    assert message.calls.count("approve") == 1
