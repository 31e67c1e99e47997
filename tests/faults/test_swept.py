"""Workflows that ended although their message goes on: the sweep starts them again, and leaves completed ones alone (A8a).

The sweep activity is called here directly instead of waiting for its minute, and rows are made old enough by hand.
"""

from uuid import UUID, uuid4

import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.converter import DefaultPayloadConverter
from temporalio.testing import ActivityEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities.sweep import Sweep
from adapters.engine import Engine
from contracts.sweep import SweepReport, SweepRequest
from tests.faults.house import House, eventually
from tests.faults.promise import check_accounts
from workflows.policies import TASK_QUEUE

pytestmark = pytest.mark.asyncio(loop_scope="module")

AGED_START = "UPDATE start_queue SET started_at = now() - interval '2 minutes' WHERE started_at IS NOT NULL"
AGED_MESSAGE = "UPDATE inbound_messages SET changed_at = now() - interval '2 minutes'"
_ = DefaultPayloadConverter


@workflow.defn(name="ForeignWorkflow", sandboxed=False)
class ForeignWorkflow:
    """Ends at once, under an id that is not its own."""

    @workflow.run
    async def run(self) -> None:
        """Nothing."""


async def sweep(house: House) -> SweepReport:
    """What the schedule does every minute."""
    report: SweepReport = await ActivityEnvironment().run(
        Sweep(house.database, Engine(house.client)).sweep, SweepRequest()
    )
    return report
