"""Postgres behind one small door: named statements from `queries/`, and transactions that say for whom they work
(HB1)."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import orjson

from contracts.errors import DatabaseAway, LockTimeout, LostRace

EVERY_MAILBOX = "*"
LOST_RACE = (asyncpg.UniqueViolationError, asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
AWAY = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.DiskFullError,
    asyncpg.QueryCanceledError,
    asyncpg.InterfaceError,
    OSError,
    TimeoutError,
)
LIFECYCLE_LOCK_TIMEOUT_MS = 2_000


def _load_queries() -> dict[str, str]:
    named: dict[str, list[str]] = {}
    current: list[str] = []
    for file in sorted((Path(__file__).parent / "queries").glob("*.sql")):
        for line in file.read_text().splitlines():
            if line.startswith("-- name: "):
                current = named.setdefault(line.removeprefix("-- name: ").strip(), [])
                if current:
                    raise ValueError(f"{line} stands twice")
            elif not line.startswith("--"):
                current.append(line)
    return {name: "\n".join(lines).strip().rstrip(";") for name, lines in named.items()}


QUERIES = _load_queries()


class Transaction:
    """One open transaction; statements go by name, values by position."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    async def one(self, name: str, *values: Any) -> asyncpg.Record | None:
        """First row or None."""
        return await self.connection.fetchrow(QUERIES[name], *values)

    async def must(self, name: str, *values: Any) -> asyncpg.Record:
        """The one row that has to be there; LookupError names the statement if it is not."""
        row = await self.one(name, *values)
        if row is None:
            raise LookupError(f"{name} found no row")
        return row

    async def rows(self, name: str, *values: Any) -> list[asyncpg.Record]:
        """All rows; every list statement is bounded in its own text."""
        return await self.connection.fetch(QUERIES[name], *values)

    async def value(self, name: str, *values: Any) -> Any:
        """First column of the first row, or None."""
        return await self.connection.fetchval(QUERIES[name], *values)

    async def run(self, name: str, *values: Any) -> int:
        """Executes and returns the number of rows touched."""
        status = await self.connection.execute(QUERIES[name], *values)
        tail = status.rsplit(" ", 1)[-1]
        return int(tail) if tail.isascii() and tail.isdigit() else 0

    async def run_many(self, name: str, values: Iterable[tuple[Any, ...]]) -> None:
        """Executes once per tuple in one round trip."""
        await self.connection.executemany(QUERIES[name], values)


def scope_of(mailboxes: UUID | str | Iterable[UUID]) -> str:
    """The value of deskhand.mailbox: '*', one id, or ids joined by commas; anything else is refused by UUID()."""
    if isinstance(mailboxes, str) and mailboxes == EVERY_MAILBOX:
        return EVERY_MAILBOX
    if isinstance(mailboxes, (str, UUID)):
        return str(UUID(str(mailboxes)))
    return ",".join(str(UUID(str(m))) for m in mailboxes)


class Database:
    """The pool of the application role."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool

    @classmethod
    async def connect(
        cls, url: str, *, most: int = 12, least: int = 1, name: str = "deskhand", statement_timeout_ms: int = 30_000
    ) -> "Database":
        """Opens a pool of `least` to `most` connections; prepared statements are cached per connection."""
        pool = await asyncpg.create_pool(
            url,
            min_size=least,
            max_size=most,
            init=_prepare,
            reset=_leave_as_is,
            timeout=5,
            server_settings={
                "search_path": "deskhand,public",
                "application_name": name,
                "statement_timeout": str(statement_timeout_ms),
                "idle_in_transaction_session_timeout": "60000",
                "timezone": "UTC",
            },
        )
        return cls(pool)

    async def close(self) -> None:
        """Waits up to 5 s for running statements, then drops the pool."""
        try:
            await asyncio.wait_for(self.pool.close(), 5)
        except TimeoutError:
            self.pool.terminate()

    @asynccontextmanager
    async def transaction(
        self, mailboxes: UUID | str | Iterable[UUID] = EVERY_MAILBOX, *, lifecycle: bool = False, timeout_s: float = 10
    ) -> AsyncIterator[Transaction]:
        """BEGIN and the scope in one round trip, COMMIT at the end, ROLLBACK on any exception."""
        settings = f"BEGIN; SET LOCAL deskhand.mailbox = '{scope_of(mailboxes)}'"
        if lifecycle:
            settings += (
                f"; SET LOCAL deskhand.writer = 'lifecycle'; SET LOCAL lock_timeout = {LIFECYCLE_LOCK_TIMEOUT_MS}"
            )
        try:
            async with self.pool.acquire(timeout=timeout_s) as connection:
                await connection.execute(settings)
                try:
                    yield Transaction(connection)
                except BaseException:
                    await _rollback(connection)
                    raise
                await connection.execute("COMMIT")
        except LOST_RACE as error:
            raise LostRace(f"another transaction was first ({type(error).__name__})") from error
        except asyncpg.LockNotAvailableError as error:
            raise LockTimeout("a row stayed locked; the same call may be repeated") from error
        except AWAY as error:
            raise DatabaseAway(f"Postgres cannot be reached or has no room ({type(error).__name__})") from error


async def _rollback(connection: Any) -> None:
    if not connection.is_closed():
        try:
            await connection.execute("ROLLBACK")
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            await connection.close(timeout=1)


async def _leave_as_is(connection: asyncpg.Connection) -> None:
    """Settings are SET LOCAL and transactions end here, so the usual reset round trip is not needed."""


async def _prepare(connection: asyncpg.Connection) -> None:
    for name in ("jsonb", "json"):
        await connection.set_type_codec(name, encoder=_encode, decoder=orjson.loads, schema="pg_catalog")


def _encode(value: Any) -> str:
    return json.dumps(value, default=str) if not isinstance(value, str) else value
