"""Workflows that ended although their message goes on: the sweep starts them again, but no completed one (A8a).

The sweep activity is called here directly instead of waiting for its minute, and rows are made old enough by hand.
"""

from uuid import UUID

import pytest
from temporalio import workflow
from temporalio.client import WorkflowExecutionStatus
from temporalio.testing import ActivityEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities.sweep import Sweep
from adapters.engine import Engine
from contracts.sweep import SweepReport, SweepRequest
from tests.faults.house import House
from tests.faults.looking import eventually
from tests.faults.mails import PLANTED
from tests.faults.promise import check_sent_once, histories_hold_none_of
from workflows.policies import TASK_QUEUE

pytestmark = pytest.mark.asyncio(loop_scope="module")

AGE_STARTS = "UPDATE start_queue SET started_at = now() - interval '2 minutes' WHERE started_at IS NOT NULL"
AGE_MESSAGES = "UPDATE inbound_messages SET changed_at = now() - interval '2 minutes'"
WAITING = "SELECT count(*) = 0 FROM start_queue WHERE started_at IS NULL"


@workflow.defn(name="ForeignWorkflow")
class ForeignWorkflow:
    """Completes at once, under an id that belongs to a message."""

    @workflow.run
    async def run(self) -> None:
        """Nothing."""


async def test_the_sweep_starts_failed_and_terminated_workflows_again_and_no_completed_one(house: House) -> None:
    """A8a, P30: undecodable input and termination are healed by one further run each; a completed one is reported."""
    undecodable, completed = await house.accept_many(2)
    await _start_undecodable(house, undecodable)
    await _complete_foreign(house, completed)
    await house.start_worker()
    await _until_closed(house, undecodable, WorkflowExecutionStatus.FAILED)
    terminated = await house.accept()
    await house.until(terminated, "draft_ready")
    await house.workflow(terminated).terminate("test")
    assert (await sweep(house)).restarted == 3
    await house.until(undecodable, "draft_ready")
    await eventually(lambda: house.value(WAITING), "every start order was tried")
    for message in (undecodable, terminated):
        await house.approve_by_signal(message)
        await house.until(message, "sent")
        assert await _runs(house, message) == 2
    assert await _runs(house, completed) == 1 and await house.status(completed) == ""
    assert (await sweep(house)).restarted == 1, "the completed one goes on being reported"
    await check_sent_once(house)
    await histories_hold_none_of(house, PLANTED)


async def sweep(house: House) -> SweepReport:
    """What the schedule does every minute, a minute later."""
    await house.rows(AGE_STARTS)
    await house.rows(AGE_MESSAGES)
    report: SweepReport = await ActivityEnvironment().run(
        Sweep(house.database, Engine(house.client, house.database)).sweep, SweepRequest()
    )
    return report


async def _start_undecodable(house: House, message: UUID) -> None:
    await house.client.start_workflow(
        "InboundMessageWorkflow", {"message": "of another age"}, id=f"message/{message}", task_queue=TASK_QUEUE
    )


async def _complete_foreign(house: House, message: UUID) -> None:
    async with Worker(
        house.client, task_queue="foreign", workflows=[ForeignWorkflow], workflow_runner=UnsandboxedWorkflowRunner()
    ):
        await house.client.execute_workflow(ForeignWorkflow.run, id=f"message/{message}", task_queue="foreign")


async def _until_closed(house: House, message: UUID, status: WorkflowExecutionStatus) -> None:
    async def closed() -> bool:
        return (await house.workflow(message).describe()).status is status

    await eventually(closed, f"the workflow is {status.name}")


async def _runs(house: House, message: UUID) -> int:
    return len([run async for run in house.client.list_workflows(f"WorkflowId = 'message/{message}'")])
