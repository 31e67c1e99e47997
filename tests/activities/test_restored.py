"""One workflow tells a message's story at a time, however often the message was restored (P29, P30)."""

import dataclasses
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from temporalio.testing import ActivityEnvironment

from adapters.engine import Engine
from contracts.lifecycle import Act, Archive, Command, Look, Outcome, Restore
from contracts.status import ArchiveReason, Result, Status
from tests.activities.conftest import World


async def ordered(world: World, message: UUID, run: int) -> str:
    """A start order for a run, as the API writes it."""
    name = f"message/{message}/run/{run}"
    await world.sql.execute(
        "INSERT INTO start_queue (workflow_id, workflow_type, reuse_policy, input, started_at)"
        " VALUES ($1, 'InboundMessageWorkflow', 'reject_duplicate', '{}', now())",
        name,
    )
    return name


async def called_by(world: World, workflow_id: str, message: UUID, act: Act, cause: str) -> Outcome:
    """The lifecycle activity as that workflow calls it."""
    environment = ActivityEnvironment()
    environment.info = dataclasses.replace(environment.info, workflow_id=workflow_id)
    command = Command(message_id=message, cause_key=cause, actor="workflow", act=act)
    return await environment.run(world.lifecycle.apply, command)


async def superseded(world: World) -> UUID:
    """A message that gave way to a newer one."""
    message = await world.arrive()
    await world.to_draft_ready(message)
    await world.do(message, Archive(reason=ArchiveReason.SUPERSEDED), actor="workflow")
    return message


async def restored(world: World, message: UUID, run: int) -> str:
    """Restored by the workflow of that run."""
    name = await ordered(world, message, run)
    outcome = await called_by(world, name, message, Restore(), f"restore/{run}")
    assert outcome.to_status is Status.RECEIVED and outcome.view and outcome.view.status is Status.RECEIVED
    return name


async def woken(world: World) -> list[str]:
    """Which workflows have a wake waiting."""
    return [row["workflow_id"] for row in await world.sql.fetch("SELECT workflow_id FROM wake_queue ORDER BY id")]


async def test_the_workflow_left_behind_is_told_that_it_is_over(world: World) -> None:
    """P29: archived by another mail's transaction and restored before its own workflow heard of it: that one is woken,
    reads that its story ended, and closes; the new one goes on."""
    message = await superseded(world)
    new = await restored(world, message, 2)
    old = f"message/{message}"
    assert await woken(world) == [old]
    seen = await called_by(world, old, message, Look(), "look")
    assert seen.view and (seen.view.status, seen.view.archive_reason) == (Status.ARCHIVED, ArchiveReason.SUPERSEDED)
    for caller in (new, "mission/1"):
        looked = await called_by(world, caller, message, Look(), "look")
        assert looked.view and looked.view.status is Status.RECEIVED
    assert await world.status(message) == "received"


async def test_a_restore_that_came_too_late_leaves_one_story(world: World) -> None:
    """P29, E25: a second order finds nothing to restore; its workflow ends instead of telling the same story."""
    message = await superseded(world)
    await restored(world, message, 2)
    late = await ordered(world, message, 3)
    outcome = await called_by(world, late, message, Restore(), "restore/3")
    assert outcome.result is Result.CONFLICT
    assert outcome.view and outcome.view.status is Status.ARCHIVED


class Visibility:
    """A client that knows some running workflows and keeps the questions."""

    def __init__(self, *running: str) -> None:
        self.running, self.queries = running, list[str]()

    def list_workflows(self, query: str) -> AsyncIterator[Any]:
        """Those running among the ids asked for."""
        self.queries.append(query)
        return self._found(query)

    async def _found(self, query: str) -> AsyncIterator[Any]:
        for name in self.running:
            if f"'{name}'" in query:
                yield SimpleNamespace(id=name)


async def test_the_sweep_asks_for_the_newest_run_whatever_its_number(world: World) -> None:
    """P30: of a message restored eleven times, run 12 counts; an earlier one that still runs does not."""
    message, plain, lost = await superseded(world), await world.arrive(), await world.arrive()
    for run in range(2, 13):
        if run > 2:
            await world.do(message, Archive(reason=ArchiveReason.SUPERSEDED), f"archive/{run}")
        await restored(world, message, run)
    names = [f"message/{message}/run/12", f"message/{plain}"]
    engine = Engine(Visibility(*names, f"message/{message}"), world.database)  # type: ignore[arg-type]
    assert await engine.open_among([message, plain, lost]) == {message, plain}
    older = Engine(Visibility(f"message/{message}/run/11"), world.database)  # type: ignore[arg-type]
    assert await older.open_among([message]) == set()


async def test_wakes_and_restarts_reach_the_newest_run(world: World) -> None:
    """P20a, P30: the same name for all three, from the one place that knows it."""
    message = await superseded(world)
    newest = await restored(world, message, 2)
    async with world.database.transaction() as tx:
        await tx.run("wake", f"message/{message}", "wake", {"cause": "x"}, "x")
        await tx.run("wake", f"reply/{message}", "wake", {"cause": "y"}, "y")
        assert await tx.run("sweep_restart", str(message)) == 1
    assert set(await woken(world)) == {f"message/{message}", newest, f"reply/{message}"}
    restarted = await world.sql.fetchval("SELECT workflow_id FROM start_queue WHERE start_no = 1")
    assert restarted == newest
