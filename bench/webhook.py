"""How fast the door answers while it is kept busy: 50 mails of 100 KiB a second, with the pipelines running (RC19).

Mails leave by the clock, whether or not earlier ones were answered, and each is timed from the moment it was due; a
slow answer therefore cannot hide the waiting of those behind it.
"""

import asyncio
import time
from dataclasses import dataclass, field

from bench.house import House
from bench.mails import large_mail
from bench.outcome import BenchFailed, spread_ms
from bench.posting import Poster
from bench.sizes import Sizes
from bench.warming import warm_up
from bench.watching import how_many_ready

RATE = 50
SIZE_BYTES = 100 * 1024


@dataclass
class Tally:
    """Seconds from due to answered of every mail, the status of those not taken in, and when the last answer came."""

    seconds: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    last: float = 0.0


def run(sizes: Sizes) -> dict[str, float]:
    """`webhook_p50_ms`, `webhook_p99_ms`, `webhook_rate` (answers a second) and `backlog` (taken in, no draft yet)."""
    tally, measured = asyncio.run(_run(sizes))
    if tally.refused:
        raise BenchFailed(f"{len(tally.refused)} mails were not taken in: {tally.refused[0]}", measured)
    return measured


async def _run(sizes: Sizes) -> tuple[Tally, dict[str, float]]:
    async with House() as house:
        await warm_up(house, sizes.warm_up)
        ready_before = await how_many_ready(house.sql)
        async with house.poster() as poster:
            tally, began = Tally(), time.monotonic()
            await _send(poster, tally, int(RATE * sizes.webhook_s), began)
        drafts = await how_many_ready(house.sql) - ready_before
    taken_in = len(tally.seconds) - len(tally.refused)
    measured = spread_ms("webhook", tally.seconds)
    measured |= {"webhook_rate": taken_in / (tally.last - began), "backlog": float(taken_in - drafts)}
    return tally, measured


async def _send(poster: Poster, tally: Tally, count: int, began: float) -> None:
    """Every mail at its time; each is made while there is nothing to do but wait for its time."""
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            mail = large_mail(number, SIZE_BYTES)
            due = began + number / RATE
            await asyncio.sleep(max(due - time.monotonic(), 0))
            group.create_task(_one(poster, tally, mail, due))


async def _one(poster: Poster, tally: Tally, mail: bytes, due: float) -> None:
    try:
        answer = await poster.post(mail)
        if answer.status != 200:
            tally.refused.append(f"status {answer.status}")
    except (OSError, TimeoutError) as fault:
        tally.refused.append(type(fault).__name__)
    tally.last = time.monotonic()
    tally.seconds.append(tally.last - due)
