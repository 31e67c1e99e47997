"""The story under stress: swallowed causes, refused ends, early questions, odd faults, and nothing that spins."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from temporalio import activity
from temporalio.client import WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from contracts.lifecycle import Act, Approve, Archive, Command, Outcome, RequestDraft, ResolveDelivery, WriteReply
from contracts.status import HoldReason, Result, Status, StepKind
from contracts.workflow import (
    DeliverRequest,
    DeliverResult,
    DeliverState,
    HumanRequest,
    MessageStart,
    ParseRequest,
    ParseResult,
    PoisonRequest,
    SignalDecision,
)
from tests.sandbox import sandboxed
from tests.workflows.fake_message import FakeMessage
from workflows.inbound_message import InboundMessageWorkflow

Handle = WorkflowHandle[Any, Any]
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(60)]


@dataclass
class StrictMessage(FakeMessage):
    """Remembers outcomes by cause as the lifecycle does, and fails where a test says so."""

    known: dict[str, Outcome] = field(default_factory=dict)
    held_once: bool = False
    stays_held: bool = False
    refuse_ends: bool = False
    broken: frozenset[str] = frozenset()
    slow_look_s: float = 0
    slow_parse_s: float = 0
    slow_reconcile_s: float = 0

    @activity.defn(name="parse")
    async def parse(self, request: ParseRequest) -> ParseResult:
        """A stub is its own kind of call; "parse again" takes the remote way and its time."""
        if request.stub:
            self.calls.append("stub")
            return ParseResult(message_id=self.message_id, mailbox_id=self.message_id)
        if request.request_id and activity.info().is_local:
            raise ApplicationError("too slow", type="Slow")
        if request.request_id:
            await asyncio.sleep(self.slow_parse_s)
        self.calls.append("parse")
        reason = self.parse_answers.pop(0) if self.parse_answers else ""
        return ParseResult(message_id=self.message_id, mailbox_id=self.message_id, poison_reason=reason)

    @activity.defn(name="lifecycle")
    async def lifecycle(self, command: Command) -> Outcome:
        """The known outcome of a known cause; else the act."""
        kind = command.act.kind
        if kind == "look":
            await asyncio.sleep(self.slow_look_s)
            return Outcome(result=Result.OK, view=await self.view())
        if command.cause_key in self.known:
            repeated = self.known[command.cause_key].model_copy(update={"repeated": True, "view": await self.view()})
            return repeated
        self.calls.append(kind)
        if kind in self.broken:
            raise ApplicationError("lifecycle failed", type="Unexpected.ValueError", non_retryable=True)
        if kind == "end_step" and self.refuse_ends:
            self.seq += 1
            return self._keep(command, Outcome(result=Result.ILLEGAL_EDGE, view=await self.view()))
        before, seq = self.status, self.seq
        await getattr(self, f"_{kind}")(command.act)
        outcome = Outcome(result=Result.OK, from_status=before, to_status=self.status, view=await self.view())
        return self._keep(command, outcome) if self.seq != seq else outcome

    def _keep(self, command: Command, outcome: Outcome) -> Outcome:
        self.known[command.cause_key] = outcome
        return outcome

    async def _enter(self, act: Any) -> None:
        if self.stays_held:
            return
        if self.held_once:
            self.held_once = False
            self.hold, self.hold_until = HoldReason.RATE_BUDGET, await self.now() + timedelta(days=300)
            self.seq += 1
            return
        await super()._enter(act)

    async def _request_draft(self, act: Any) -> None:
        self.hold = self.hold_until = None
        self.seq += 1

    async def _resolve_delivery(self, act: Any) -> None:
        self.hold, self.send_at = None, await self.now() + self.undo
        self.seq += 1

    @activity.defn(name="reconcile")
    async def reconcile(self, request: DeliverRequest) -> DeliverResult:
        """No proof, and it takes its time to find none."""
        self.calls.append("reconcile")
        await asyncio.sleep(self.slow_reconcile_s)
        return DeliverResult(state=DeliverState.AMBIGUOUS)

    async def _receive(self, act: Any) -> None:
        await super()._receive(act)
        if act.reply_note_id is not None:
            self._to(Status.DRAFT_READY)


@pytest_asyncio.fixture(loop_scope="module")
async def strict(environment: WorkflowEnvironment) -> StrictMessage:
    """A strict message in memory."""
    return StrictMessage()


@pytest_asyncio.fixture(loop_scope="module")
async def begin(environment: WorkflowEnvironment, strict: StrictMessage) -> Any:
    """Starts its workflow, resumed if asked, on a worker of its own."""
    queue = f"strict-{strict.message_id}"
    worker = Worker(
        environment.client, task_queue=queue, workflows=[InboundMessageWorkflow], activities=strict.activities(),
        workflow_runner=sandboxed(),
    )  # fmt: skip
    async with worker:

        async def start(resumed: bool = False) -> Handle:
            return await environment.client.start_workflow(
                InboundMessageWorkflow.run, MessageStart(message_id=strict.message_id, resumed=resumed),
                id=f"message/{strict.message_id}", task_queue=queue,
            )  # fmt: skip

        yield start


async def until(message: FakeMessage, status: Status) -> None:
    """Waits for a status; the test's own time limit is the bound."""
    while message.status is not status:
        await asyncio.sleep(0.02)


async def ask(handle: Handle, name: str, act: Act) -> Outcome:
    """One reviewer's Update."""
    request = HumanRequest(request_id=uuid4().hex, actor="user:1", act=act)  # type: ignore[arg-type]
    return await handle.execute_update(name, request, result_type=Outcome)


async def test_a_hold_ended_by_a_person_is_left_for_good(begin: Any, strict: StrictMessage) -> None:
    """P45, P16: the first Enter put it on hold; after request_draft the second Enter is another cause, not a repeat."""
    strict.held_once = True
    with_hold = await begin()
    while strict.hold is None:
        await asyncio.sleep(0.02)
    await ask(with_hold, "request_draft", RequestDraft())
    await until(strict, Status.DRAFT_READY)
    assert strict.calls.count("enter") == 2


async def test_an_end_that_is_refused_fails_visibly(begin: Any, strict: StrictMessage) -> None:
    """P39, P30: nobody overtook the step, and its end is refused: the message fails, the workflow does not spin."""
    strict.refuse_ends = True
    handle = await begin()
    await until(strict, Status.FAILED)
    assert strict.calls.count("end_step") == 1
    await ask(handle, "archive", Archive())
    await handle.result()


async def test_an_end_that_breaks_fails_visibly(begin: Any, strict: StrictMessage) -> None:
    """P39: a fault of ours in the lifecycle is a failed step with its timer, not an endless task."""
    strict.broken = frozenset({"end_step"})
    handle = await begin()
    await until(strict, Status.FAILED)
    strict.broken = frozenset()
    await until(strict, Status.DRAFT_READY)
    await ask(handle, "archive", Archive())
    await handle.result()


async def test_a_question_before_the_first_look_is_answered(begin: Any, strict: StrictMessage) -> None:
    """P97, P29: a workflow that was continued or started again does not refuse what it has not looked at yet."""
    strict.status, strict.seq, strict.slow_look_s = Status.DRAFT_READY, 7, 1.0
    strict.undo = timedelta(hours=1)
    handle = await begin(resumed=True)
    assert (await ask(handle, "approve", Approve())).ok
    assert strict.status is Status.APPROVED


async def test_a_reply_written_before_the_first_look_is_no_stub(begin: Any, strict: StrictMessage) -> None:
    """RC11, P97: only mail in the poison lane is answered from its headers."""
    strict.status, strict.seq, strict.slow_look_s = Status.DRAFT_READY, 7, 1.0
    handle = await begin(resumed=True)
    assert (await ask(handle, "write_reply", WriteReply(note_id=uuid4()))).ok
    assert "stub" not in strict.calls and "receive" not in strict.calls


async def test_parse_again_and_an_answer_by_hand_at_once(begin: Any, strict: StrictMessage) -> None:
    """RC11: the mail became readable meanwhile: the answer is an ordinary reply, no stub replaces what was read."""
    strict.parse_answers, strict.slow_parse_s = ["parser_error"], 0.5
    handle = await begin()
    while "parse" not in strict.calls:
        await asyncio.sleep(0.02)
    again = PoisonRequest(request_id=uuid4().hex, actor="user:1")
    parsing = asyncio.create_task(handle.execute_update("parse_again", again, result_type=dict))
    await asyncio.sleep(0.2)
    outcome = await ask(handle, "write_reply", WriteReply(note_id=uuid4()))
    assert (await parsing)["poison_reason"] == ""
    assert outcome.ok and strict.status is Status.DRAFT_READY
    assert "stub" not in strict.calls and strict.calls.count("receive") == 1


async def test_two_answers_by_hand_make_one_message(begin: Any, strict: StrictMessage) -> None:
    """RC11, P97: the second is a newer text of the same reply."""
    strict.parse_answers = ["parser_error"]
    handle = await begin()
    while "parse" not in strict.calls:
        await asyncio.sleep(0.02)
    writes = [ask(handle, "write_reply", WriteReply(note_id=uuid4())) for _ in range(2)]
    assert all(o.ok for o in await asyncio.gather(*writes))
    assert (strict.calls.count("receive"), strict.calls.count("stub"), strict.calls.count("write_reply")) == (1, 1, 1)


async def test_a_round_without_effect_slows_down(begin: Any, strict: StrictMessage) -> None:
    """P39: whatever keeps a message where it is, the pauses double and the history grows by its logarithm."""
    strict.stays_held = True
    handle = await begin()
    while strict.calls.count("enter") < 6:
        await asyncio.sleep(0.02)
    timers = [
        e.timer_started_event_attributes.start_to_fire_timeout.ToTimedelta()
        for e in (await handle.fetch_history()).events
        if e.HasField("timer_started_event_attributes")
    ]
    assert [t.total_seconds() for t in timers[:5]] == [2, 4, 8, 16, 32]
    strict.stays_held = False


async def test_a_signal_that_breaks_harms_nothing(begin: Any, strict: StrictMessage) -> None:
    """P99: a signal whose call fails leaves the workflow open."""
    handle = await begin()
    await until(strict, Status.DRAFT_READY)
    strict.broken = frozenset({"approve"})
    await handle.signal("approve", SignalDecision())
    while "approve" not in strict.calls:
        await asyncio.sleep(0.02)
    strict.broken = frozenset()
    assert (await ask(handle, "archive", Archive())).ok
    await handle.result()


async def test_a_step_is_known_by_its_kind(begin: Any, strict: StrictMessage) -> None:
    """P16: five steps end under five causes of the first run."""
    handle = await begin()
    await until(strict, Status.DRAFT_READY)
    ends = {c for c in strict.known if c.endswith(":end")}
    assert ends == {f"1.0:{kind}:end" for kind in StepKind}
    await ask(handle, "archive", Archive())


async def test_a_reply_sent_again_waits_for_its_own_window_only(begin: Any, strict: StrictMessage) -> None:
    """OB10, P102: "send again" came while proof was looked for; its undo window starts at once."""
    strict.status, strict.seq, strict.hold = Status.APPROVED, 7, HoldReason.DELIVERY_AMBIGUOUS
    strict.slow_reconcile_s = 1.0
    handle = await begin(resumed=True)
    while "reconcile" not in strict.calls:
        await asyncio.sleep(0.02)
    await ask(handle, "resolve_delivery", ResolveDelivery(how="send_again"))
    assert (await handle.result()).status is Status.SENT
    assert strict.calls.count("reconcile") == 1
