"""The other ways must survive what Deskhand survives before they are timed: `kill -9` in the middle, nothing twice."""

import asyncio
import time

from bench.mails import plain_mail
from bench.outcome import BenchFailed
from bench.same_rows import Shape, difference, shapes_of
from bench.variants import Ground, Variant, variant
from bench.watching import TooSlow

KILL_AT_SHARE = 0.4
STEPS_DONE = "SELECT count(*) FROM agent_actions WHERE status = 'completed'"
UNDER_WAY = """
SELECT count(*) FILTER (WHERE processing_status NOT IN ('received', 'draft_ready')) AS middle,
    count(*) FILTER (WHERE processing_status = 'draft_ready') AS finished
FROM inbound_messages
"""
PATIENCE_S = 120.0
LOOK_EVERY_S = 0.002
STEPS = 5


async def survives(ground: Ground, name: str, wanted: Shape, messages: int) -> None:
    """Kill it in the middle of its work and start it again; BenchFailed unless every message has the wanted shape."""
    async with variant(ground, name, f"kill_{name}") as way:
        way.start()
        ids, _ = await way.queue([plain_mail(number) for number in range(messages)])
        await _until_share_done(way, messages)
        code = await way.kill()
        await check_killed_in_the_middle(way, code, messages)
        way.start()
        await _finish(way, ids)
        if wrong := difference(wanted, await shapes_of(way.sql, ids)):
            raise BenchFailed(f"{name} left other rows after kill -9: {wrong}")


async def _until_share_done(way: Variant, messages: int) -> None:
    deadline, wanted = time.monotonic() + PATIENCE_S, KILL_AT_SHARE * STEPS * messages
    while (done := await way.sql.fetchval(STEPS_DONE)) < wanted:
        if not way.child.is_alive():
            raise BenchFailed(f"{way.name} ended by itself ({way.child.ending()}): {way.child.last_words()}")
        if time.monotonic() > deadline:
            raise BenchFailed(f"{way.name} did {done} steps in {PATIENCE_S:g} s, so it could not be killed half-way")
        await asyncio.sleep(LOOK_EVERY_S)


async def check_killed_in_the_middle(way: Variant, code: int, messages: int) -> None:
    """A kill that came too early or too late proves nothing."""
    row = await way.sql.fetchrow(UNDER_WAY)
    if code != -9 or not row["middle"] or row["finished"] >= messages:
        raise BenchFailed(
            f"{way.name} was to die of kill -9 in the middle; exit code {code}, {row['middle']} messages under way, "
            f"{row['finished']} of {messages} finished"
        )


async def _finish(way: Variant, ids: list[str]) -> None:
    try:
        await way.until_ready(ids, PATIENCE_S)
    except (TooSlow, RuntimeError) as fault:
        raise BenchFailed(f"{way.name} did not finish after kill -9: {fault}") from fault
