"""The floor: our work as a plain asyncio loop over Postgres rows, one transaction per step.

Run as `python -m bench.floor` with BENCH_DATABASE_URL and BENCH_SCHEMA. It resumes from its rows after a crash and does
nothing else an engine would do for it: no timers, no signals, no retries with a back-off, no second process, no history
to look at.
"""

import asyncio
from collections.abc import Awaitable, Callable

from bench import common_rows
from bench.serving import AT_ONCE, serve
from bench.step_work import StepWork


async def main() -> None:
    """Works until it is ended."""
    await serve(begin)


async def begin(work: StepWork) -> Callable[[str], Awaitable[None]]:
    """Takes up what a crash left half done; then the function that does one message."""
    unfinished = [row[0] for row in await work.pool.fetch(common_rows.UNFINISHED)]
    at_once = asyncio.Semaphore(AT_ONCE)

    async def resume(message_id: str) -> None:
        async with at_once:
            await _finish(work, message_id, await _resumed(work, message_id))

    await asyncio.gather(*(resume(message_id) for message_id in unfinished))

    async def one(message_id: str) -> None:
        await _finish(work, message_id, await work.receive(message_id))

    return one


async def _resumed(work: StepWork, message_id: str) -> str | None:
    """Where a message stands. One that was received and not entered yet has no step, so it is entered now."""
    return await work.due(message_id) or await work.enter(message_id)


async def _finish(work: StepWork, message_id: str, step: str | None) -> None:
    while step is not None:
        step = await work.step(message_id, step)


if __name__ == "__main__":
    asyncio.run(main())
