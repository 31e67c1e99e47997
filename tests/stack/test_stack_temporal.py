"""The embedded Temporal server: its namespace, its search attributes, and what survives `kill -9`."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
from temporalio import workflow
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.client import Client
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from cli.stack.embedded import EmbeddedServices
from cli.stack.faults import PortTaken, StackFault
from cli.stack.namespace import (
    INDEXED_TYPES,
    ensure_namespace,
    ensure_search_attributes,
    polls,
    registered_attributes,
    retention_of,
)
from cli.stack.ports import StackPorts
from cli.stack.state import StateDir
from cli.stack.temporal import Temporal
from contracts.search_attributes import LIMITS, SEARCH_ATTRIBUTES, STAGE


@pytest_asyncio.fixture
async def temporal(state: StateDir, ports: StackPorts) -> AsyncIterator[Temporal]:
    """A server of its own, since these tests kill it."""
    server = Temporal(state, ports.temporal_port, ui_port=None)
    await server.start()
    yield server
    await server.stop(hurry=True)


async def test_the_namespace_keeps_runs_long_enough(services: EmbeddedServices) -> None:  # P31a
    """From the first start closed runs stay for at least 30 days, in a namespace of our own."""
    client = await services.temporal.client()
    kept = await retention_of(client, "deskhand")
    assert kept is not None and kept >= timedelta(days=30)


async def test_every_attribute_of_the_registry_is_registered(services: EmbeddedServices) -> None:  # P31
    """A workflow that sets any of them never meets an unknown one."""
    client = await services.temporal.client()
    registered = await registered_attributes(client, "deskhand")
    assert {name: registered[name] for name in SEARCH_ATTRIBUTES} == {
        name: INDEXED_TYPES[kind] for name, kind in SEARCH_ATTRIBUTES.items()
    }


def test_the_registry_fits_the_server() -> None:  # P31
    """At most 8 Keyword, 3 Datetime and 3 Bool can be registered."""
    counts = {kind: list(SEARCH_ATTRIBUTES.values()).count(kind) for kind in LIMITS}
    assert all(counts[kind] <= most for kind, most in LIMITS.items())
    assert sum(counts.values()) == len(SEARCH_ATTRIBUTES) == 7


async def test_setting_up_again_changes_nothing(services: EmbeddedServices) -> None:
    """Each start goes through the same set-up; a longer retention of the operator stays."""
    client = await services.temporal.client()
    before = await registered_attributes(client, "deskhand"), await retention_of(client, "deskhand")
    await ensure_namespace(client, "deskhand", timedelta(days=30))
    await ensure_search_attributes(client, "deskhand")
    assert (await registered_attributes(client, "deskhand"), await retention_of(client, "deskhand")) == before


async def test_a_namespace_made_by_us_on_a_foreign_server_works(services: EmbeddedServices) -> None:
    """`deskhand setup` makes namespace and attributes on a server that was launched without them."""
    client = await services.temporal.client()
    await ensure_namespace(client, "later", timedelta(days=40))
    await ensure_search_attributes(client, "later")
    assert await retention_of(client, "later") == timedelta(days=40)
    assert set(SEARCH_ATTRIBUTES) <= set(await registered_attributes(client, "later"))


async def test_too_short_a_retention_is_raised(services: EmbeddedServices) -> None:  # P31a
    """A namespace that somebody made with a day of retention is brought to ours."""
    client = await services.temporal.client()
    await ensure_namespace(client, "short", timedelta(days=1))
    await ensure_namespace(client, "short", timedelta(days=90))
    assert await retention_of(client, "short") == timedelta(days=90)


async def test_an_attribute_of_another_type_is_told(services: EmbeddedServices) -> None:
    """A shared namespace with a foreign `Stage` ends in advice, not in workflows that never move."""
    client = await services.temporal.client()
    await ensure_namespace(client, "foreign", timedelta(days=30))
    request = AddSearchAttributesRequest(
        namespace="foreign", search_attributes={STAGE: IndexedValueType.INDEXED_VALUE_TYPE_INT}
    )
    await client.operator_service.add_search_attributes(request)
    with pytest.raises(StackFault, match=r"Stage.*TEMPORAL_NAMESPACE"):
        await ensure_search_attributes(client, "foreign")


@workflow.defn
class Idle:
    """Does nothing; a worker needs one."""

    @workflow.run
    async def run(self) -> None:
        """End at once."""


async def test_a_worker_counts_as_ready_once_it_asks_for_work(services: EmbeddedServices) -> None:
    """Only the process that was started counts, not one that polled the queue before it."""
    where = services.temporal.address, services.temporal.namespace, "readiness"
    assert not await polls(*where, os.getpid())
    client, runner = await services.temporal.client(), UnsandboxedWorkflowRunner()
    async with Worker(client, task_queue="readiness", workflows=[Idle], workflow_runner=runner):
        while not await polls(*where, os.getpid()):
            await asyncio.sleep(0.02)
        assert not await polls(*where, os.getpid() + 1)
    assert not await polls("127.0.0.1:1", "deskhand", "readiness", os.getpid())


def attributes() -> TypedSearchAttributes:
    """Attributes of a run in review."""
    return TypedSearchAttributes(
        [
            SearchAttributePair(SearchAttributeKey.for_keyword(STAGE), "draft_ready"),
            SearchAttributePair(SearchAttributeKey.for_bool("NeedsReview"), True),
        ]
    )


async def start_run(client: Client, run_id: str) -> None:
    """A run that waits for a worker that never comes."""
    await client.start_workflow("Waiting", id=run_id, task_queue="nobody", search_attributes=attributes())


async def test_accepted_runs_survive_kill_9(temporal: Temporal) -> None:
    """What was accepted is in the file: runs, their attributes and the namespace come back."""
    client = await temporal.client()
    for number in range(5):
        await start_run(client, f"run-{number}")
    assert temporal.child.pid is not None
    os.kill(temporal.child.pid, signal.SIGKILL)
    await temporal.child.ended()
    await temporal.start()
    client = await temporal.client()
    for number in range(5):
        found = await client.get_workflow_handle(f"run-{number}").describe()
        assert found.typed_search_attributes == attributes()
    assert await retention_of(client, "deskhand") == timedelta(days=90)


async def test_a_port_in_use_is_in_the_message(temporal: Temporal, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The health of a stranger's server on our port does not pass for our own."""
    other = StateDir(tmp_path_factory.mktemp("other"))
    other.create()
    port = int(temporal.address.rsplit(":", 1)[1])
    with pytest.raises(PortTaken, match=rf"port {port} \(TEMPORAL_PORT\)"):
        await Temporal(other, port, ui_port=None).start()
