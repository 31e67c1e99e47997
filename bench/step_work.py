"""The work of one message as the other ways do it: our own five steps between statements of `common_rows`.

Steps read, think and call the model exactly as in Deskhand, for they are the same functions. What is left out is what
surrounds them there: the engine, the lifecycle with its rules and locks, budgets, threading, the parser's sandbox, and
a transaction of its own for each row of the usage ledger. Whatever a step writes is written once, at its end.
"""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import orjson

from activities.steps import classify, context_retrieval, draft, route, security_scan
from activities.steps.frame import StepTools, step_activity
from adapters.llm.client import Models
from adapters.llm.embeddings import embedder_for
from adapters.llm.ledger import MeteredUsage
from adapters.postgres import QUERIES, Transaction
from adapters.settings import Settings
from bench import common_rows
from contracts.llm import UsageContext
from contracts.mail import ParsedMail
from contracts.status import StepKind
from contracts.steps import Route, RunContext, StepInput
from domain.mail.parse import parse_rfc822

MODULES = (security_scan, context_retrieval, classify, draft, route)
ENTERED = "INSERT 0 1"
Statement = tuple[str, tuple[Any, ...]]
_writes: ContextVar[list[Statement]] = ContextVar("writes")


def writes_of_step() -> list[Statement]:
    """What the step under way wants to write so far."""
    return _writes.get()


class NotDue(Exception):
    """The message does not stand at this step: it was done before, or its turn has not come."""


class LateTransaction(Transaction):
    """Reads at once and keeps what a step wants to write for the one transaction at its end."""

    async def run(self, name: str, *values: Any) -> int:
        """Keep a writing statement."""
        writes_of_step().append((QUERIES[name], values))
        return 1


class PlainDatabase:
    """The database door of the steps, without scope and without transactions around reads."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool

    @asynccontextmanager
    async def transaction(
        self, mailboxes: UUID | str | Iterable[UUID] = "*", *, lifecycle: bool = False, timeout_s: float = 10
    ) -> AsyncIterator[Transaction]:
        """A connection to read with."""
        async with self.pool.acquire() as connection:
            yield LateTransaction(connection)


class StepLedger:
    """Keeps the usage of model calls until the end of the step, which writes it with its other rows."""

    def __init__(self) -> None:
        self._kept: dict[str | None, list[MeteredUsage]] = defaultdict(list)

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
        """Keep one row."""
        self._kept[context.message_id].append(usage)

    def of(self, message_id: str) -> list[MeteredUsage]:
        """The rows of a message since its last step."""
        return self._kept[message_id]

    def taken(self, message_id: str) -> list[dict[str, Any]]:
        """The same as JSON; they are forgotten here."""
        return [usage.model_dump(mode="json") for usage in self._kept.pop(message_id, [])]


class StepWork:
    """What each way calls: `receive`, then `step` until it names no next one. Both may be repeated."""

    def __init__(self, pool: asyncpg.Pool, tools: StepTools, ledger: StepLedger) -> None:
        self.pool = pool
        self.ledger = ledger
        self._steps = {str(module.KIND): step_activity(module, tools) for module in MODULES}

    async def receive(self, message_id: str) -> str | None:
        """Parse and enter; the step that is due."""
        row = await self.pool.fetchrow(common_rows.RAW, UUID(message_id))
        mail = _parsed(row["bytes"], row["received_at"])
        await self.pool.execute(common_rows.RECEIVE, UUID(message_id), *_arrival(mail))
        return await self.enter(message_id)

    async def enter(self, message_id: str) -> str | None:
        """Leave `received`; the step that is due, None when the message is done."""
        if await self.pool.execute(common_rows.ENTER, UUID(message_id)) == ENTERED:
            return StepKind.SECURITY_SCAN
        return await self.due(message_id)

    async def due(self, message_id: str) -> str | None:
        """The step the message stands at, None when it is done."""
        step: str | None = await self.pool.fetchval(common_rows.CURRENT_STEP, UUID(message_id))
        return step

    async def step(self, message_id: str, kind: str) -> str | None:
        """Do one step and write its rows in one transaction; the next step. Out of turn or again, it writes nothing."""
        _writes.set([])
        taken = await self.work(message_id, kind)
        try:
            async with self.pool.acquire() as connection, connection.transaction():
                for statement, values in writes_of_step():
                    await connection.execute(statement, *values)
                await self._end(connection, message_id, kind, taken)
        except NotDue:
            return await self.due(message_id)
        return taken.next_step

    async def work(self, message_id: str, kind: str) -> Route:
        """What the step itself does."""
        return await self._steps[kind](StepInput(run=await self._run(message_id), step=StepKind(kind)))

    async def _run(self, message_id: str) -> RunContext:
        place = await self.pool.fetchrow(common_rows.PLACE, UUID(message_id))
        return RunContext(message_id=UUID(message_id), run_no=1, **dict(place))

    async def _end(self, connection: asyncpg.Connection, message_id: str, kind: str, taken: Route) -> None:
        usage = self.ledger.taken(message_id)
        values = (UUID(message_id), kind, taken.to, taken.next_step, taken.reason, usage)
        if not await connection.fetchval(common_rows.END_STEP, *values):
            raise NotDue


MakeWork = Callable[[asyncpg.Pool, StepTools, StepLedger], StepWork]


@asynccontextmanager
async def step_work(
    database_url: str, schema: str, connections: int, make: MakeWork = StepWork
) -> AsyncIterator[StepWork]:
    """The work over a scratch schema, with the model endpoint that the environment names."""
    settings = Settings(_env_file=None, database_url=database_url, organisation_key="00" * 32)
    pool = await asyncpg.create_pool(
        database_url, min_size=1, max_size=connections, init=_speak_json, reset=_leave_as_is,
        server_settings={"search_path": f"{schema},public", "timezone": "UTC"},
    )  # fmt: skip
    ledger = StepLedger()
    async with pool, Models(settings, ledger) as models:
        yield make(pool, StepTools(PlainDatabase(pool), models, embedder_for(settings, ledger)), ledger)


async def _leave_as_is(connection: asyncpg.Connection) -> None:
    """Nothing is left behind on a connection, so the usual reset round trip is not needed."""


async def _speak_json(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec("jsonb", encoder=_encoded, decoder=orjson.loads, schema="pg_catalog")


def _encoded(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _parsed(raw: bytes, received_at: datetime) -> ParsedMail:
    return parse_rfc822(raw, received_at=received_at, envelope_sender=None, envelope_recipients=())[0]


def _arrival(mail: ParsedMail) -> tuple[Any, ...]:
    sender = mail.from_
    assert sender is not None
    parties = sorted({sender.identity, *(a.identity for a in (*mail.to, *mail.cc))})
    return (
        sender.identity, sender.name, mail.subject, mail.text, mail.language, mail.message_id,
        mail.model_dump_json(), parties, [list(header) for header in mail.headers],
    )  # fmt: skip
