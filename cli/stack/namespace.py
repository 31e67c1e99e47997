"""Sees to the Temporal namespace of Deskhand: it exists, keeps closed runs long enough, knows our search attributes.

Everything here may run again and again, at each start and against a server that somebody else set up.
"""

import asyncio
import time
from datetime import timedelta
from typing import Final

from google.protobuf.duration_pb2 import Duration
from temporalio.api.enums.v1 import IndexedValueType, TaskQueueType
from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import (
    DescribeNamespaceRequest,
    DescribeTaskQueueRequest,
    RegisterNamespaceRequest,
    UpdateNamespaceRequest,
)
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from cli.stack.faults import StackFault
from contracts.search_attributes import SEARCH_ATTRIBUTES, AttributeType

MINIMUM_RETENTION: Final = timedelta(days=30)
VISIBLE_TIMEOUT_S: Final = 30
POLL_S: Final = 0.05
INDEXED_TYPES: Final = {
    AttributeType.KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    AttributeType.BOOL: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
    AttributeType.DATETIME: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
}


async def retention_of(client: Client, namespace: str) -> timedelta | None:
    """How long closed runs are kept; None when there is no such namespace."""
    try:
        found = await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=namespace))
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise
    return found.config.workflow_execution_retention_ttl.ToTimedelta()


async def ensure_namespace(client: Client, namespace: str, retention: timedelta) -> None:
    """Make the namespace, or raise a retention under 30 days to `retention` (P31a); a longer one stays."""
    kept = await retention_of(client, namespace)
    if kept is None:
        await _register(client, namespace, retention)
        await _until_visible(client, namespace)
    elif kept < MINIMUM_RETENTION:
        config = NamespaceConfig(workflow_execution_retention_ttl=_duration(retention))
        await client.workflow_service.update_namespace(UpdateNamespaceRequest(namespace=namespace, config=config))


async def _register(client: Client, namespace: str, retention: timedelta) -> None:
    request = RegisterNamespaceRequest(
        namespace=namespace,
        description="Runs of Deskhand",
        workflow_execution_retention_period=_duration(retention),
    )
    try:
        await client.workflow_service.register_namespace(request)
    except RPCError as error:
        if error.status is not RPCStatusCode.ALREADY_EXISTS:
            raise


async def _until_visible(client: Client, namespace: str) -> None:
    """Wait until every part of the server knows a namespace made a moment ago."""
    deadline = time.monotonic() + VISIBLE_TIMEOUT_S
    while await _attributes_when_visible(client, namespace) is None:
        if time.monotonic() > deadline:
            raise StackFault(f"Temporal does not show the namespace {namespace} that it took. See its log.")
        await asyncio.sleep(POLL_S)


def _duration(length: timedelta) -> Duration:
    duration = Duration()
    duration.FromTimedelta(length)
    return duration


async def registered_attributes(client: Client, namespace: str) -> dict[str, int]:
    """The custom search attributes the namespace knows, with their indexed type."""
    listed = await client.operator_service.list_search_attributes(ListSearchAttributesRequest(namespace=namespace))
    return dict(listed.custom_attributes)


def missing_attributes(registered: dict[str, int]) -> dict[str, AttributeType]:
    """The attributes of our registry the namespace lacks; StackFault when one is there under another type."""
    wanted = {name: INDEXED_TYPES[kind] for name, kind in SEARCH_ATTRIBUTES.items()}
    wrong = [name for name, kind in wanted.items() if registered.get(name, kind) != kind]
    if wrong:
        raise StackFault(
            f"The Temporal namespace has the search attributes {', '.join(wrong)} with another type. "
            "Give Deskhand a namespace of its own (TEMPORAL_NAMESPACE)."
        )
    return {name: kind for name, kind in SEARCH_ATTRIBUTES.items() if name not in registered}


async def ensure_search_attributes(client: Client, namespace: str) -> None:
    """Register what is missing of the registry and wait until the server knows it (P31)."""
    deadline = time.monotonic() + VISIBLE_TIMEOUT_S
    while missing := missing_attributes(await _attributes_when_visible(client, namespace) or {}):
        if time.monotonic() > deadline:
            raise StackFault(f"Temporal did not take the search attributes {', '.join(missing)}. See its log.")
        await _add(client, namespace, missing)
        await asyncio.sleep(POLL_S)


async def _attributes_when_visible(client: Client, namespace: str) -> dict[str, int] | None:
    try:
        return await registered_attributes(client, namespace)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise


async def _add(client: Client, namespace: str, missing: dict[str, AttributeType]) -> None:
    attributes = {name: INDEXED_TYPES[kind] for name, kind in missing.items()}
    request = AddSearchAttributesRequest(namespace=namespace, search_attributes=attributes)
    try:
        await client.operator_service.add_search_attributes(request)
    except RPCError as error:
        # A namespace made a moment ago is not known everywhere in the server yet; another starter may have been first.
        if error.status not in (RPCStatusCode.NOT_FOUND, RPCStatusCode.ALREADY_EXISTS):
            raise


async def polls(address: str, namespace: str, task_queue: str, pid: int | None) -> bool:
    """Whether the worker process asks for work of the queue; pollers of an earlier process do not count."""
    request = DescribeTaskQueueRequest(
        namespace=namespace,
        task_queue=TaskQueue(name=task_queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    try:
        client = await Client.connect(address, namespace=namespace)
        found = await client.workflow_service.describe_task_queue(request)
    except (RuntimeError, RPCError):
        return False
    return any(poller.identity.partition("@")[0] == str(pid) for poller in found.pollers)
