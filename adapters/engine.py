"""The Temporal client: connecting with our converter, asking which workflows are open, and keeping the schedules."""

from collections.abc import Iterable
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

from contracts.base import Contract

IDS_PER_QUERY = 50


async def connect(address: str, namespace: str, runtime: Runtime | None = None) -> Client:
    """A client whose payloads are our pydantic models."""
    return await Client.connect(address, namespace=namespace, data_converter=pydantic_data_converter, runtime=runtime)


class Engine:
    """What the sweep asks of the engine."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def open_among(self, message_ids: list[UUID]) -> set[UUID]:
        """Those whose workflow is running, by a few visibility queries over exact ids."""
        found: set[UUID] = set()
        for batch in _batches([f"message/{m}" for m in message_ids]):
            query = f"ExecutionStatus = 'Running' AND WorkflowId IN ({', '.join(_names(batch))})"
            async for execution in self.client.list_workflows(query):
                found.add(UUID(execution.id.split("/")[1]))
        return found


def _names(ids: list[str]) -> Iterable[str]:
    for workflow_id in ids:
        yield f"'{workflow_id}'"
        yield from (f"'{workflow_id}/run/{n}'" for n in range(2, 8))


def _batches(ids: list[str]) -> Iterable[list[str]]:
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
