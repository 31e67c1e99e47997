"""A story of a killed worker is mostly waiting for time-outs, so a module tells its stories at the same time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from tests.faults.conftest import Build
from tests.faults.house import House

T = TypeVar("T")
Tale = Callable[[House], Awaitable[T]]


@asynccontextmanager
async def told(build: Build, tales: Sequence[tuple[str, Tale[T]]]) -> AsyncIterator[list["asyncio.Task[T]"]]:
    """Begins (channel, tale) pairs; the tasks in their order. What nobody awaited is broken off at the end."""
    tasks = [asyncio.create_task(_in_a_house(build, channel, tale)) for channel, tale in tales]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)


async def _in_a_house(build: Build, channel: str, tale: Tale[T]) -> T:
    return await tale(await build(channel))
