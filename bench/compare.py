"""Our throughput beside a plain loop and DBOS: the same work and rows, on one machine, in one run, in turns.

All use our five steps, the same model client and endpoint, and leave the same rows (checked, not believed).
`docs/benchmarks.md` says what each way does and does not do. No ratio is given if one does not survive `kill -9`.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Final

from bench import our_way
from bench.house import House
from bench.kill_test import survives
from bench.mails import plain_mail
from bench.outcome import BenchFailed, percentile
from bench.race import OURS, Race, Turns
from bench.same_rows import Shape, shapes_of
from bench.sizes import Sizes
from bench.variants import NAMES, ground_of, variant
from bench.warming import warm_up

# Ours runs in each heat. There are two because the Postgres of the stack has 60 connections for all who take part.
HEATS: Final = (("floor", "dbos"), ("bare",))
PATIENCE_S: Final = 300.0


def run(sizes: Sizes) -> dict[str, float]:
    """Messages a second, saturated; CPU per message; and ratios of ours to each way, above 1 where ours takes more."""
    return asyncio.run(_run(sizes))


async def _run(sizes: Sizes) -> dict[str, float]:
    found: dict[str, float] = {}
    async with House() as house:
        await warm_up(house, sizes.warm_up)
        wanted = await _our_shape(house)
        for name in NAMES:
            await survives(ground_of(house), name, wanted, sizes.killed)
        for names in HEATS:
            # What the first heat says of ours stays; the later one has fewer competitors for memory and cache.
            found = await _heat(house, names, wanted, sizes) | found
    return found


async def _heat(house: House, names: Sequence[str], wanted: Shape, sizes: Sizes) -> dict[str, float]:
    ground = ground_of(house)
    async with AsyncExitStack() as stack:
        ways = [await stack.enter_async_context(variant(ground, name, f"timed_{name}")) for name in names]
        for way in ways:
            way.start()
            await way.do([plain_mail(number) for number in range(sizes.warm_up)], PATIENCE_S)
        race = Race(house, ways, wanted)
        return measured(await race.saturated(sizes), await race.idle(sizes), sizes.saturated)


async def _our_shape(house: House) -> Shape:
    ids, _ = await our_way.do(house, [plain_mail(number) for number in range(3)], PATIENCE_S)
    shapes = await shapes_of(house.sql, ids)
    if len(shapes) != 1:
        raise BenchFailed(f"our own pipeline left {len(shapes)} different sets of rows for equal mails")
    return next(iter(shapes))


def measured(saturated: Turns, idle: Turns, messages: int) -> dict[str, float]:
    """Rates from the sum of all rounds; each ratio is what ours takes over what the other takes."""
    ours, ours_cpu, ours_idle = sum(saturated[OURS].seconds), sum(saturated[OURS].cpu), _median(idle, OURS)
    found = {"messages_per_second": messages / ours, "cpu_ms_per_message": ours_cpu / messages * 1000}
    found["queue_to_draft_p50_ms"] = ours_idle * 1000
    for name in (each for each in saturated if each != OURS):
        theirs, theirs_cpu, theirs_idle = saturated[name].seconds, saturated[name].cpu, _median(idle, name)
        found |= {
            f"{name}_messages_per_second": messages / sum(theirs),
            f"{name}_cpu_ms_per_message": sum(theirs_cpu) / messages * 1000,
            f"{name}_queue_to_draft_p50_ms": theirs_idle * 1000,
            f"ratio_to_{name}": ours / sum(theirs),
            f"cpu_ratio_to_{name}": ours_cpu / sum(theirs_cpu),
            f"idle_ratio_to_{name}": ours_idle / theirs_idle,
        }
    return found


def _median(turns: Turns, name: str) -> float:
    return percentile(turns[name].seconds, 0.5)
