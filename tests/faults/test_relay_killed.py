"""The relay dies between telling Temporal and noting that it did; what it tells twice must count once (RC13, P20a)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest
import pytest_asyncio
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.service import RPCError, RPCStatusCode

from contracts.lifecycle import Approve
from tests.faults.conftest import Build
from tests.faults.house import House
from tests.faults.looking import eventually
from tests.faults.promise import check_accounts, check_promise, check_sent_once
from tests.faults.side_by_side import told

pytestmark = pytest.mark.asyncio(loop_scope="module")

STARTED = "SELECT started_at IS NOT NULL FROM start_queue WHERE workflow_id = 'message/' || $1::uuid"
THROW_SWITCH = """
INSERT INTO kill_switches (mailbox_id, thrown_by, cause) SELECT id, 'test', 'test' FROM mailboxes WHERE is_default
"""
EVENTS = "SELECT count(*) FROM lifecycle_events WHERE message_id = $1"


async def runs_of(house: House, message: UUID, more: str = "") -> int:
    """Runs of the message's workflow that Temporal lists."""
    return len([run async for run in house.client.list_workflows(f"WorkflowId = 'message/{message}'{more}")])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stories(build: Build) -> AsyncIterator[list["asyncio.Task[None]"]]:
    """Both, at the same time."""
    async with told(build, [("smtp", start_without_stamp), ("smtp", dying_after_a_kill_switch)]) as tasks:
        yield tasks


async def test_a_start_that_was_not_noted_starts_nothing_twice(stories: list["asyncio.Task[None]"]) -> None:
    """RS-09: killed between start and stamp, the restarted relay stamps; one run, one message, one reply."""
    await stories[0]


async def test_a_kill_switch_reaches_every_workflow_though_the_relay_dies_twice(
    stories: list["asyncio.Task[None]"],
) -> None:
    """A8b, RS-57: killed between two withdrawals, before a wake, before its stamp; each workflow moved, none sent."""
    await stories[1]


async def start_without_stamp(house: House) -> None:
    """The relay is killed when Temporal knows and the row does not."""
    await house.start_worker("after_start")
    message = await house.accept()
    await house.held("after_start")
    await house.kill(house.worker)
    assert await house.value(STARTED, message) is False
    await house.start_worker()
    await house.until(message, "draft_ready")
    await house.approve_by_signal(message)
    await house.until(message, "sent")
    assert await house.value(STARTED, message) is True and await runs_of(house, message) == 1
    await check_promise(house, [message])
    await _start_rows_stay_harmless_after_retention(house, message)


async def _start_rows_stay_harmless_after_retention(house: House, message: UUID) -> None:
    """RS-09: with the closed run forgotten, a stamped row starts nothing; one that lost its stamp answers nobody."""
    await _forget_run(house, message)
    later = await house.accept()
    await house.until(later, "draft_ready")
    assert await runs_of(house, message) == 0
    events = await house.value(EVENTS, message)
    await house.rows("UPDATE start_queue SET started_at = NULL WHERE workflow_id = 'message/' || $1::uuid", message)
    await eventually(lambda: house.value(STARTED, message), "the row is stamped again")
    await asyncio.wait_for(house.workflow(message).result(), 60)
    assert (await house.status(message), await house.value(EVENTS, message)) == ("sent", events)
    assert await house.value("SELECT count(*) FROM outbox WHERE message_id = $1", message) == 1
    await check_sent_once(house)


async def _forget_run(house: House, message: UUID) -> None:
    """What retention does after 90 days. A run not yet listed as closed would be forgotten half a minute later."""
    closed = " AND ExecutionStatus = 'Completed'"
    await eventually(lambda: runs_of(house, message, closed), "the run is listed as closed")
    run = await house.workflow(message).describe()
    await house.client.workflow_service.delete_workflow_execution(
        DeleteWorkflowExecutionRequest(
            namespace=house.name, workflow_execution=WorkflowExecution(workflow_id=run.id, run_id=run.run_id)
        )
    )

    async def forgotten() -> bool:
        try:
            await house.workflow(message).describe(rpc_timeout=timedelta(seconds=10))
        except RPCError as error:
            return error.status is RPCStatusCode.NOT_FOUND
        return False

    await eventually(forgotten, "Temporal forgot the run")


async def dying_after_a_kill_switch(house: House) -> None:
    """Three replies are taken back by a relay that has to be started three times.

    Without its wake a workflow would sleep in the undo window for an hour and refuse the new approval.
    """
    await house.rows("ALTER TABLE agent_config DROP CONSTRAINT agent_config_human_undo_ms_check")
    await house.config(human_undo_ms=3_600_000)
    await house.start_worker("after_withdraw", "before_wake")
    messages = await house.accept_many(3)
    await _approve_all(house, messages)
    await house.rows(THROW_SWITCH)
    assert await house.held("before_wake") == f"message/{await house.held('after_withdraw')}"
    await house.kill(house.worker)
    await house.start_worker("after_wake")
    await house.held("after_wake")
    await house.kill(house.worker)
    await house.start_worker()
    await _until_switched_off(house)
    await house.config(human_undo_ms=0)
    for message in messages:
        await _approve_once_told(house, message)
    await house.until_all("sent", 3)
    await check_accounts(house, messages)


async def _approve_once_told(house: House, message: UUID) -> None:
    """The workflow refuses until it has read what its wake is about."""

    async def approved() -> bool:
        try:
            return (await house.ask(message, "approve", Approve())).ok
        except WorkflowUpdateFailedError as refusal:
            assert "not possible in approved" in str(refusal.cause)
            return False

    await eventually(approved, "the workflow was told that the reply was taken back")


async def _approve_all(house: House, messages: list[UUID]) -> None:
    await house.until_all("draft_ready", len(messages))
    for message in messages:
        await house.approve_by_signal(message)
    await house.until_all("approved", len(messages))


async def _until_switched_off(house: House) -> None:
    await house.until_all("draft_ready", 3)
    await eventually(lambda: house.value("SELECT withdrawn_at IS NOT NULL FROM kill_switches"), "the switch is done")
    await eventually(lambda: house.value("SELECT bool_and(delivered_at IS NOT NULL) FROM wake_queue"), "all are woken")
    rows = await house.rows("SELECT state, cancel_reason FROM outbox")
    assert [tuple(row) for row in rows] == [("cancelled", "kill_switch")] * 3
