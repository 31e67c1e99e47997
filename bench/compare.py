"""Our throughput beside a plain loop and DBOS on the same work, the same rows and the same machine, in one run, in turns.

All three use our five step modules, the same model client and endpoint, and leave the same rows (checked, not believed).
`docs/benchmarks.md` says what each does and does not do. No ratio is given for a way that does not survive `kill -9`.
"""

import asyncio
from collections import defaultdict
from contextlib import AsyncExitStack
from itertools import count

from bench import our_way
from bench.house import House
from bench.mails import plain_mail
from bench.outcome import BenchFailed, percentile
from bench.kill_test import survives
from bench.same_rows import Shape, difference, shapes_of
from bench.sizes import Sizes, per_round
from bench.variants import NAMES, Variant, variant
from bench.warming import warm_up

OURS = "ours"
PATIENCE_S = 300.0
BREATH_S = 0.1
Seconds = dict[str, list[float]]


def run(sizes: Sizes) -> dict[str, float]:
    """Messages a second of all three saturated, and the ratios `ratio_to_*` and `idle_ratio_to_*`: above 1, ours is slower."""
    return asyncio.run(_run(sizes))


async def _run(sizes: Sizes) -> dict[str, float]:
    async with House() as house, AsyncExitStack() as stack:
        await warm_up(house, sizes.warm_up)
        wanted = await _our_shape(house)
        for name in NAMES:
            await survives(house, name, wanted, sizes)
        ways = [await stack.enter_async_context(variant(house, name, f"timed_{name}")) for name in NAMES]
        await _warm(ways, sizes)
        race = Race(house, ways, wanted)
        saturated, idle = await race.saturated(sizes), await race.idle(sizes)
    return measured(saturated, idle, sizes.saturated)


async def _our_shape(house: House) -> Shape:
    ids, _ = await our_way.do(house, [plain_mail(number) for number in range(3)], PATIENCE_S)
    shapes = await shapes_of(house.sql, ids)
    if len(shapes) != 1:
        raise BenchFailed(f"our own pipeline left {len(shapes)} different sets of rows for equal mails")
    return next(iter(shapes))


async def _warm(ways: list[Variant], sizes: Sizes) -> None:
    for way in ways:
        way.start()
        await way.do([plain_mail(number) for number in range(sizes.warm_up)], PATIENCE_S)


class Race:
    """The three ways in turns; the rows of each turn are compared with ours."""

    def __init__(self, house: House, ways: list[Variant], wanted: Shape) -> None:
        self._house, self._ways, self._wanted = house, ways, wanted
        self._numbers = count(1_000)

    async def saturated(self, sizes: Sizes) -> Seconds:
        """Seconds of each round per way."""
        seconds: Seconds = defaultdict(list)
        for messages in per_round(sizes.saturated, sizes.rounds):
            ids, taken = await our_way.do(self._house, self._mails(messages), PATIENCE_S)
            await self._check(OURS, self._house, ids)
            seconds[OURS].append(taken)
            for way in self._ways:
                ids, taken = await way.do(self._mails(messages), PATIENCE_S)
                await self._check(way.name, way, ids)
                seconds[way.name].append(taken)
        return seconds

    async def idle(self, sizes: Sizes) -> Seconds:
        """Seconds of each single message per way."""
        seconds: Seconds = defaultdict(list)
        async with self._house.poster() as poster:
            for _ in range(sizes.idle):
                await asyncio.sleep(BREATH_S)
                seconds[OURS].append(await our_way.one(self._house, poster, self._mails(1)[0], PATIENCE_S))
                for way in self._ways:
                    await asyncio.sleep(BREATH_S)
                    seconds[way.name].append((await way.do(self._mails(1), PATIENCE_S))[1])
        return seconds

    async def _check(self, name: str, where: House | Variant, ids: list[str]) -> None:
        if wrong := difference(self._wanted, await shapes_of(where.sql, ids)):
            raise BenchFailed(f"{name} did not leave the same rows: {wrong}")

    def _mails(self, messages: int) -> list[bytes]:
        return [plain_mail(next(self._numbers)) for _ in range(messages)]


def measured(saturated: Seconds, idle: Seconds, messages: int) -> dict[str, float]:
    """Rates from the sum of all rounds, ratios of seconds per message, ours over theirs."""
    ours, ours_idle = sum(saturated[OURS]), percentile(idle[OURS], 0.5)
    found = {"messages_per_second": messages / ours, "queue_to_draft_p50_ms": ours_idle * 1000}
    for name in NAMES:
        found[f"{name}_messages_per_second"] = messages / sum(saturated[name])
        found[f"{name}_queue_to_draft_p50_ms"] = percentile(idle[name], 0.5) * 1000
        found[f"ratio_to_{name}"] = ours / sum(saturated[name])
        found[f"idle_ratio_to_{name}"] = ours_idle / percentile(idle[name], 0.5)
    return found
