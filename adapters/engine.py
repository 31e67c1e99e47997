"""The Temporal client: connecting with our converter, asking which workflows are open, and keeping the schedules."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
)
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.runtime import Runtime

from adapters.postgres import Database
from contracts.base import Contract

IDS_PER_QUERY = 50
CONNECT_WITHIN = timedelta(seconds=2)


async def connect(address: str, namespace: str, runtime: Runtime | None = None) -> Client:
    """A client whose payloads are our pydantic models."""
    return await Client.connect(address, namespace=namespace, data_converter=pydantic_data_converter, runtime=runtime)


class Line:
    """A client that opens its line at the first call and again after a loss, so that a process starts without
    Temporal."""

    def __init__(self, address: str, namespace: str) -> None:
        self.address, self.namespace = address, namespace
        self._client: Client | None = None

    async def client(self) -> Client:
        """The one client of this line."""
        if self._client is None:
            self._client = await Client.connect(
                self.address,
                namespace=self.namespace,
                data_converter=pydantic_data_converter,
                lazy=True,
                connect_timeout=CONNECT_WITHIN,
            )
        return self._client


class Engine:
    """What the sweep asks of the engine."""

    def __init__(self, client: Client, database: Database) -> None:
        self.client = client
        self.database = database

    async def open_among(self, message_ids: list[UUID]) -> set[UUID]:
        """Those whose newest workflow is running, by a few visibility queries over exact ids; which is the newest, only
        the database knows (P29)."""
        async with self.database.transaction() as tx:
            newest = {row["workflow_id"]: row["id"] for row in await tx.rows("engine_workflows", message_ids)}
        found: set[UUID] = set()
        for batch in _batches(list(newest)):
            names = ", ".join(f"'{workflow_id}'" for workflow_id in batch)
            async for execution in self.client.list_workflows(
                f"ExecutionStatus = 'Running' AND WorkflowId IN ({names})"
            ):
                found.add(newest[execution.id])
        return found


def _batches(ids: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), IDS_PER_QUERY):
        yield ids[start : start + IDS_PER_QUERY]


async def keep_schedule(
    client: Client, name: str, workflow: str, argument: Contract, every: object, queue: str
) -> None:
    """Creates the schedule if it is missing; an existing one stays as a person left it."""
    action = ScheduleActionStartWorkflow(workflow, argument, id=name, task_queue=queue)
    schedule = Schedule(
        action=action,
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=every)]),  # type: ignore[arg-type]
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP),
    )
    try:
        await client.create_schedule(name, schedule)
    except ScheduleAlreadyRunningError:
        return
