"""Missions on real Postgres and a real Temporal server, with a worker in this process and rules instead of a model."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest_asyncio
from temporalio.client import Client, WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from activities.missions.effects import Effects
from activities.missions.endings import Endings
from activities.missions.recording import Recording
from activities.missions.turns import Turns
from adapters.missions import Missions
from adapters.postgres import Database
from adapters.relay import Pace, Relay
from cli.stack.embedded import EmbeddedServices
from cli.stack.first_start import set_up
from cli.stack.namespace import ensure_search_attributes
from cli.stack.temporal import program
from contracts.missions import InputKind, MissionStatus
from contracts.missions_agent import AgentStep, Role, Seat
from contracts.missions_calls import InputAnswer, MissionEnd
from domain.keys import Keyring
from tests.faults.looking import eventually
from tests.missions.script import Rule, say
from workflows.missions.mission import MissionWorkflow
from workflows.missions.task import TaskWorkflow

BUILD = "mission-test"
MAILBOX = "support@shop.example"
FAST = (
    "frontend.WorkflowTimeSkippingEnabled=true", "history.transferProcessorMaxPollRPS=200",
    "history.timerProcessorMaxPollRPS=200",
)  # fmt: skip


@dataclass
class Desk:
    """One installation for missions, and shortcuts that read like the story of one."""

    client: Client
    database: Database
    sql: asyncpg.Pool
    mailbox_id: UUID
    queue: str
    doors: Missions
    rules: dict[Role, Rule] = field(default_factory=dict)
    seats: list[Seat] = field(default_factory=list)

    async def think(self, seat: Seat) -> AgentStep:
        """The test's rule for the seat."""
        self.seats.append(seat)
        answer: Any = self.rules.get(seat.role, lambda _: say())(seat)
        return await answer if asyncio.iscoroutine(answer) else answer

    def activities(self) -> list[Callable[..., Any]]:
        """All activities of missions."""
        turns = Turns(self.database, {role: self.think for role in Role}, BUILD)
        endings = Endings(self.database)
        return [
            turns.run, turns.reclaim, Recording(self.database).record,
            Effects(self.database, Keyring(b"k" * 32), BUILD).apply,
            endings.ended, endings.look, endings.give_up,
        ]  # fmt: skip

    async def begin(self, goal: str = "answer the billing threads", **more: Any) -> "Story":
        """An owner mission on its way through the relay."""
        key = str(uuid4())
        started = await self.doors.start(self.mailbox_id, goal, key, actor="user:ada", role="admin", **more)
        story = Story(self, started.mission_id, started.workflow_id)
        sql = "SELECT started_at FROM start_queue WHERE workflow_id = $1"
        await eventually(lambda: self.sql.fetchval(sql, story.workflow_id), "the relay started the mission", 30)
        return story

    async def rows(self, query: str, *values: Any) -> list[asyncpg.Record]:
        """A query as the owner of the database."""
        return await self.sql.fetch(query, *values)


@dataclass
class Story:
    """One mission."""

    desk: Desk
    mission_id: UUID
    workflow_id: str

    @property
    def handle(self) -> WorkflowHandle[Any, Any]:
        """Its workflow."""
        return self.desk.client.get_workflow_handle(self.workflow_id, result_type=MissionEnd)

    async def row(self) -> asyncpg.Record:
        """Its row."""
        return (await self.desk.rows("SELECT * FROM missions WHERE id = $1", self.mission_id))[0]

    async def until(self, status: MissionStatus) -> None:
        """Waits for the copied status."""

        async def there() -> bool:
            return (await self.row())["status"] == status

        await eventually(there, f"the mission is {status}", 150)

    async def until_sql(self, query: str, hope: str) -> Any:
        """Waits until the query's first value is true; `$1` is the mission id."""
        return await eventually(lambda: self.desk.sql.fetchval(query, self.mission_id), hope, 60)

    async def until_working(self) -> None:
        """Waits until exactly one task works."""
        sql = "SELECT count(*) = 1 FROM task_attempts WHERE mission_id = $1 AND stage = 'working'"
        await self.until_sql(sql, "a task works")

    async def end(self) -> MissionEnd:
        """Waits for its end."""
        return await asyncio.wait_for(self.handle.result(), 60)

    async def say(self, text: str = "go on", **more: Any) -> InputAnswer:
        """An owner's input, stored and told."""
        stored = await self.desk.doors.say(
            self.mission_id, more.pop("request_id", str(uuid4())), InputKind.INSTRUCT, text, actor="user:ada", **more
        )
        return await self.handle.execute_update(
            "owner_input", stored.given, id=stored.given.request_id, result_type=InputAnswer
        )

    async def gate(self) -> asyncpg.Record:
        """The newest gate."""
        rows = await self.desk.rows(
            "SELECT * FROM mission_gates WHERE mission_id = $1 ORDER BY created_at DESC, gate_id DESC LIMIT 1",
            self.mission_id,
        )
        return rows[0]

    async def stages(self) -> dict[str, str]:
        """Task key to stage."""
        rows = await self.desk.rows("SELECT task_key, stage FROM task_attempts WHERE mission_id = $1", self.mission_id)
        return {row["task_key"]: row["stage"] for row in rows}

    async def effects(self) -> list[tuple[str, str, str]]:
        """(kind, key, state) in order."""
        rows = await self.desk.rows(
            "SELECT kind, stable_key, state FROM mission_effects WHERE mission_id = $1 ORDER BY created_at, effect_id",
            self.mission_id,
        )
        return [tuple(row) for row in rows]

    async def turns(self) -> list[tuple[int, str, str]]:
        """(number, kind, state) of the supervisor's turns."""
        rows = await self.desk.rows(
            "SELECT turn_no, kind, state FROM mission_turns WHERE scope = $1 ORDER BY turn_no", self.workflow_id
        )
        return [tuple(row) for row in rows]


def sandbox() -> SandboxedWorkflowRunner:
    """Workflows in the sandbox, our own modules passed through."""
    return SandboxedWorkflowRunner(
        restrictions=SandboxRestrictions.default.with_passthrough_modules(
            "contracts", "domain", "workflows", "pydantic", "pydantic_core", "annotated_types"
        )
    )


def worker_of(desk: Desk, **more: Any) -> Worker:
    """A worker in this process."""
    return Worker(
        desk.client, task_queue=desk.queue, workflows=[MissionWorkflow, TaskWorkflow], activities=desk.activities(),
        workflow_runner=sandbox(), **more,
    )  # fmt: skip


Run = Callable[[Desk], Awaitable[None]]


async def _start_skipping() -> WorkflowEnvironment:
    return await WorkflowEnvironment.start_time_skipping_v2(
        dev_server_existing_path=str(program()),
        data_converter=pydantic_data_converter,
        dev_server_extra_args=[part for value in FAST for part in ("--dynamic-config-value", value)],
        dev_server_log_level="error",
    )


@pytest_asyncio.fixture
async def idle_desk(
    services: EmbeddedServices, temporal_client: Client, database_url: str, owner_database_url: str
) -> AsyncIterator[Desk]:
    """Everything but a worker; the relay runs."""
    async for desk in _desk(temporal_client, services.temporal.namespace, database_url, owner_database_url):
        yield desk


async def _desk(client: Client, namespace: str, database_url: str, owner_database_url: str) -> AsyncIterator[Desk]:
    await set_up(database_url, MAILBOX, BUILD, True)
    await ensure_search_attributes(client, namespace)
    sql = await asyncpg.create_pool(
        owner_database_url, min_size=1, max_size=3, server_settings={"search_path": "deskhand,public"}
    )
    database = await Database.connect(database_url, most=8)
    mailbox_id = await sql.fetchval("SELECT id FROM mailboxes WHERE is_default")
    queue = f"missions-{uuid4()}"
    relay = Relay(database, client, queue, pace=Pace(1000.0))
    relaying = asyncio.create_task(relay.run())
    yield Desk(client, database, sql, mailbox_id, queue, Missions(database))
    relaying.cancel()
    await asyncio.gather(relaying, return_exceptions=True)
    await database.close()
    sql.terminate()


@pytest_asyncio.fixture
async def desk(idle_desk: Desk) -> AsyncIterator[Desk]:
    """With a worker."""
    async with worker_of(idle_desk):
        yield idle_desk


@pytest_asyncio.fixture
async def quick_desk(database_url: str, owner_database_url: str) -> AsyncIterator[Desk]:
    """With a worker, on a server whose clock jumps over waits."""
    async with await _start_skipping() as environment:
        namespace = environment.client.namespace
        async for desk in _desk(environment.client, namespace, database_url, owner_database_url):
            async with worker_of(desk):
                yield desk
