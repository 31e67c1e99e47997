"""A reply on a closed thread under stress: lost sends, doubts settled at any moment, and nothing that spins (P97a)."""

import asyncio
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from temporalio import activity
from temporalio.client import WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from contracts.follow_up import FollowUpAct, FollowUpCommand, FollowUpSettle, FollowUpView
from contracts.status import OutboxState, Result
from contracts.workflow import DeliverRequest, DeliverResult, DeliverState, ReplyStart, Wake
from tests.sandbox import sandboxed
from workflows.reply import ReplyWorkflow

Handle = WorkflowHandle[Any, Any]
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(60)]


@dataclass
class FakeRow:
    """One outbox row in memory behind the activity names."""

    outbox_id: UUID = field(default_factory=uuid4)
    state: OutboxState = OutboxState.READY
    closed: bool = False
    lost: int = 0
    slow_s: float = 0
    calls: list[str] = field(default_factory=list)

    @activity.defn(name="follow_up")
    async def follow_up(self, command: FollowUpCommand) -> FollowUpView:
        """The acts the tests need."""
        self.calls.append(command.act)
        if command.act is FollowUpAct.CLOSE:
            self.closed = True
        return FollowUpView(result=Result.OK, state=self.state, closed=self.closed)

    @activity.defn(name="deliver")
    async def deliver(self, request: DeliverRequest) -> DeliverResult:
        """Lost as often as laid out, then sent."""
        self.calls.append("deliver")
        if self.lost:
            self.lost -= 1
            raise ApplicationError("deliver failed", type="Unexpected.ValueError")
        self.state = OutboxState.SENT
        return DeliverResult(state=DeliverState.SENT)

    @activity.defn(name="reconcile")
    async def reconcile(self, request: DeliverRequest) -> DeliverResult:
        """Looks at the row."""
        self.calls.append("reconcile")
        await asyncio.sleep(self.slow_s)
        found = DeliverState.SENT if self.state is OutboxState.SENT else DeliverState.AMBIGUOUS
        return DeliverResult(state=found)


@pytest_asyncio.fixture(loop_scope="module")
async def row(environment: WorkflowEnvironment) -> FakeRow:
    """A row in memory."""
    return FakeRow()


@pytest_asyncio.fixture(loop_scope="module")
async def begin(environment: WorkflowEnvironment, row: FakeRow) -> Any:
    """Starts its workflow on a worker of its own."""
    queue = f"reply-{row.outbox_id}"
    worker = Worker(
        environment.client, task_queue=queue, workflows=[ReplyWorkflow],
        activities=[row.follow_up, row.deliver, row.reconcile],
        workflow_runner=sandboxed(),
    )  # fmt: skip
    async with worker:

        async def start() -> Handle:
            order = ReplyStart(outbox_id=row.outbox_id, message_id=row.outbox_id, mailbox_id=row.outbox_id)
            return await environment.client.start_workflow(
                ReplyWorkflow.run, order, id=f"reply/{row.outbox_id}", task_queue=queue
            )

        yield start


async def test_a_send_lost_before_its_claim_is_tried_again_with_pauses(begin: Any, row: FakeRow) -> None:
    """P103, P39: the row stays ready; the next tries wait 10, 20, 40 s and never spin."""
    row.lost = 3
    handle = await begin()
    assert (await handle.result()).state is OutboxState.SENT
    pauses = [
        e.timer_started_event_attributes.start_to_fire_timeout.ToSeconds()
        for e in (await handle.fetch_history()).events
        if e.HasField("timer_started_event_attributes")
    ]
    assert pauses == [10, 20, 40] and row.calls.count("deliver") == 4


async def test_a_doubt_closed_while_proof_is_looked_for_ends_at_once(begin: Any, row: FakeRow) -> None:
    """OB10, P97a: the person's word came during the look-up; the workflow does not wait out its next pause."""
    row.state, row.slow_s = OutboxState.AMBIGUOUS, 1.0
    handle = await begin()
    while "reconcile" not in row.calls:
        await asyncio.sleep(0.02)
    settle = FollowUpSettle(request_id=uuid4().hex, actor="user:1", how=FollowUpAct.CLOSE)
    await handle.execute_update("resolve_delivery", settle, result_type=FollowUpView)
    assert (await handle.result()).closed
    assert row.calls.count("reconcile") == 1


async def test_news_during_a_look_is_not_missed(begin: Any, row: FakeRow) -> None:
    """P20a: a wake that arrives while an activity runs is followed as soon as it ends."""
    row.state, row.slow_s = OutboxState.AMBIGUOUS, 1.0
    handle = await begin()
    while "reconcile" not in row.calls:
        await asyncio.sleep(0.02)
    await handle.signal("wake", Wake(cause="proof"))
    await asyncio.sleep(1.2)
    row.state = OutboxState.SENT
    assert (await handle.result()).state is OutboxState.SENT
    assert row.calls.count("look") >= 1


async def test_a_closed_doubt_stays_closed_after_a_new_start(begin: Any, row: FakeRow) -> None:
    """P30, P97a: the row remembers that a person gave up; a workflow started again ends by itself."""
    row.state, row.closed = OutboxState.AMBIGUOUS, True
    handle = await begin()
    assert (await handle.result()).closed
    assert "reconcile" not in row.calls
