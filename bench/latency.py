"""How long one message takes from the sender's POST until its draft is ready, on a warm and otherwise idle machine.

The end is `lifecycle_events.at` of `draft_ready`, which Postgres sets at the start of the transaction that makes the
draft visible; the commit follows a few milliseconds later. Sender and Postgres read the same clock.
"""

import asyncio

from bench.house import House
from bench.mails import plain_mail
from bench.outcome import spread_ms
from bench.posting import Poster
from bench.sizes import Sizes
from bench.warming import warm_up
from bench.watching import until_draft_ready

PATIENCE_S = 60.0
BREATH_S = 0.1


def run(sizes: Sizes) -> dict[str, float]:
    """`pipeline_p50_ms` and `pipeline_p99_ms` over sequential messages."""
    return spread_ms("pipeline", asyncio.run(_run(sizes)))


async def _run(sizes: Sizes) -> list[float]:
    async with House() as house:
        await warm_up(house, sizes.warm_up)
        async with house.poster() as poster:
            return [await _one(house, poster, number) for number in range(sizes.sequential)]


async def _one(house: House, poster: Poster, number: int) -> float:
    await asyncio.sleep(BREATH_S)
    message_id, answer = await poster.accepted(plain_mail(number))
    ready = await until_draft_ready(house.sql, [message_id], PATIENCE_S)
    return ready[message_id] - answer.sent_at
