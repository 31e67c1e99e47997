"""What a fault test sees of an installation: SQL as the owner, asked again until it says what was hoped for."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import asyncpg

PATIENCE_S = 120.0


async def eventually(holds: Callable[[], Awaitable[Any]], hope: str, within_s: float = PATIENCE_S) -> Any:
    """The first true answer; a database that is away for a moment counts as "not yet"."""
    until = time.monotonic() + within_s
    while True:
        try:
            if found := await holds():
                return found
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
            pass
        assert time.monotonic() < until, f"still not so after {within_s:g} s: {hope}"
        await asyncio.sleep(0.05)


class Looking:
    """The looking half of a house, which provides the pool."""

    _sql: asyncpg.Pool

    async def rows(self, sql: str, *values: Any) -> list[asyncpg.Record]:
        """A query as the owner, who sees behind the walls."""
        return await self._sql.fetch(sql, *values)

    async def value(self, sql: str, *values: Any) -> Any:
        """Its first column."""
        return await self._sql.fetchval(sql, *values)

    async def config(self, **values: Any) -> None:
        """Changes agent_config."""
        for name, value in values.items():
            await self._sql.execute(f"UPDATE agent_config SET {name} = $1", value)

    async def status(self, message_id: UUID) -> str:
        """`approved/delivery_ambiguous` where there is a hold; empty before it was received."""
        row = await self._sql.fetchrow(
            "SELECT processing_status, hold_reason FROM inbound_messages WHERE id = $1", message_id
        )
        return "/".join(filter(None, row)) if row else ""

    async def until(self, message_id: UUID, *statuses: str) -> None:
        """Waits for one of the statuses."""

        async def there() -> bool:
            return await self.status(message_id) in statuses

        await self._pictured(there, f"{message_id} is {' or '.join(statuses)}")

    async def until_all(self, status: str, count: int) -> None:
        """Waits until exactly so many messages have the status."""

        async def there() -> bool:
            sql = "SELECT count(*) FROM inbound_messages WHERE processing_status = $1 AND hold_reason IS NULL"
            return await self.value(sql, status) == count

        await self._pictured(there, f"{count} messages are {status}")

    async def _pictured(self, holds: Callable[[], Awaitable[bool]], hope: str) -> None:
        try:
            await eventually(holds, hope)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{await self.picture()}") from None

    async def picture(self) -> str:
        """Where every message stands, for the words of a failed test."""
        rows = await self.rows(
            """SELECT m.id, processing_status, current_step, hold_reason, hold_until, failed_step, o.state, o.detail
               FROM inbound_messages m LEFT JOIN outbox o ON o.message_id = m.id ORDER BY m.id"""
        )
        return "\n".join(" ".join(str(value) for value in row.values() if value is not None) for row in rows)
