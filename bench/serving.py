"""The loop around the other ways: it is woken by NOTIFY, takes waiting messages in order and works on some at once."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from bench import common_rows
from bench.step_work import MakeWork, StepWork, step_work

CHANNEL = "bench_queue"
AT_ONCE = 16
# Fewer than could be of use one day, but the Postgres of the stack has 60 for all who are measured side by side.
CONNECTIONS = 6
BATCH = 400
POLL_S = 2.0

One = Callable[[str], Awaitable[None]]
Begin = Callable[[StepWork], Awaitable[One]]


async def serve(begin: Begin, make: MakeWork = StepWork) -> None:
    """Work on what waits until SIGTERM. `begin` does what comes first and gives the function for one message."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with step_work(os.environ["BENCH_DATABASE_URL"], os.environ["BENCH_SCHEMA"], CONNECTIONS, make) as work:
        loop = asyncio.create_task(Loop(work, await begin(work)).run())
        ended = asyncio.create_task(stop.wait())
        await asyncio.wait({loop, ended}, return_when=asyncio.FIRST_COMPLETED)
        loop.cancel()
        if not stop.is_set():
            await loop


class Loop:
    """One process is the only worker on its schema, so a set in memory is enough to know what is under way."""

    def __init__(self, work: StepWork, one: One) -> None:
        self._work, self._one = work, one
        self._woken = asyncio.Event()
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._under_way: set[str] = set()

    async def run(self) -> None:
        """Until cancelled; a message that fails ends the loop with its error, so that no fault stays unseen."""
        async with self._work.pool.acquire() as listener, asyncio.TaskGroup() as group:
            await listener.add_listener(CHANNEL, self._wake)
            while True:
                self._woken.clear()
                for message_id in await self._waiting():
                    await self._at_once.acquire()
                    group.create_task(self._do(message_id))
                await self._rest()

    async def _waiting(self) -> list[str]:
        rows = await self._work.pool.fetch(common_rows.WAITING, BATCH)
        new = [row[0] for row in rows if row[0] not in self._under_way]
        self._under_way.update(new)
        return new

    async def _do(self, message_id: str) -> None:
        try:
            await self._one(message_id)
        finally:
            self._under_way.discard(message_id)
            self._at_once.release()

    async def _rest(self) -> None:
        try:
            await asyncio.wait_for(self._woken.wait(), POLL_S)
        except TimeoutError:
            return

    def _wake(self, *_: Any) -> None:
        self._woken.set()
