"""The other ways as processes of their own, each on a scratch schema, with mail to work on."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import asyncpg

from adapters.settings import PROJECT_ROOT
from bench import common_rows
from bench.house import MODEL_KEY, House, open_pool
from bench.serving import CHANNEL
from bench.watching import until_draft_ready
from cli.stack.children import Child
from cli.stack.postgres import OWNER
from cli.stack.state import StateDir

MODULES = {"floor": "bench.floor", "dbos": "bench.dbos_way", "bare": "bench.bare"}
NAMES = tuple(MODULES)
STOP_WITHIN_S = 5.0


@dataclass(frozen=True)
class Ground:
    """What a variant stands on: our database as its owner, the model endpoint, and a folder for logs."""

    owner_url: str
    sql: asyncpg.Pool
    model_url: str
    state: StateDir


@dataclass(frozen=True)
class Variant:
    """One way of doing the work: its process, and a pool on its schema. `start` and `kill` may be called in turns."""

    name: str
    child: Child
    sql: asyncpg.Pool

    def start(self) -> None:
        """Start the process; it works as soon as it is up."""
        self.child.start()

    async def kill(self) -> int:
        """End it as a power cut would; its exit code, -9."""
        self.child.send(signal.SIGKILL)
        return await self.child.ended()

    async def queue(self, mails: Sequence[bytes]) -> tuple[list[str], float]:
        """Queue mails in one transaction; their message ids, and the clock just before it is committed."""
        async with self.sql.acquire() as connection:
            transaction = connection.transaction()
            await transaction.start()
            ids = [str(await connection.fetchval(common_rows.QUEUE, mail)) for mail in mails]
            await connection.execute(f"NOTIFY {CHANNEL}")
            committed_at = time.time()
            await transaction.commit()
        return ids, committed_at

    async def do(self, mails: Sequence[bytes], within_s: float) -> tuple[list[str], float]:
        """Queue mails and wait until all have a draft; their ids, and the seconds from the queue to the last draft."""
        ids, queued_at = await self.queue(mails)
        ready = await self.until_ready(ids, within_s)
        return ids, max(ready.values()) - queued_at

    async def until_ready(self, ids: Sequence[str], within_s: float) -> dict[str, float]:
        """Wait for these drafts. TooSlow when the time is over, StackFault when the process ended meanwhile."""
        waiting = asyncio.create_task(until_draft_ready(self.sql, ids, within_s))
        ending = asyncio.create_task(self.child.ended())
        done, _ = await asyncio.wait({waiting, ending}, return_when=asyncio.FIRST_COMPLETED)
        if waiting not in done:
            waiting.cancel()
            raise RuntimeError(f"{self.name} ended with {ending.result()}: {self.child.last_words()}")
        ending.cancel()
        return await waiting


@asynccontextmanager
async def variant(ground: Ground, name: str, schema: str) -> AsyncIterator[Variant]:
    """A variant on a new scratch schema; nothing is started yet."""
    async with ground.sql.acquire() as connection:
        await common_rows.make_schema(connection, schema)
    sql = await open_pool(ground.owner_url, schema, 1)
    child = _child(ground, name, schema)
    try:
        yield Variant(name, child, sql)
    finally:
        await child.stop()
        await sql.close()


def ground_of(house: House) -> Ground:
    """The ground that our own pipeline stands on."""
    return Ground(house.services.postgres.url(OWNER), house.sql, house.model_url, house.state)


def _child(ground: Ground, name: str, schema: str) -> Child:
    own = {
        "BENCH_DATABASE_URL": ground.owner_url, "BENCH_SCHEMA": schema,
        "LLM_BASE_URL": ground.model_url, "LLM_API_KEY": MODEL_KEY,
    }  # fmt: skip
    environment = {**os.environ, **own, "PYTHONUNBUFFERED": "1"}
    return Child(
        name, [sys.executable, "-m", MODULES[name]], ground.state.log(schema), environment, PROJECT_ROOT,
        stop_timeout_s=STOP_WITHIN_S,
    )  # fmt: skip
