"""Several ways of doing the same work take turns, and the rows that each turn left are compared with ours."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from bench import our_way
from bench.cpu import cpu_seconds
from bench.house import House
from bench.mails import plain_mail
from bench.outcome import BenchFailed
from bench.same_rows import Shape, difference, shapes_of
from bench.sizes import Sizes, per_round
from bench.variants import Variant

OURS = "ours"
PATIENCE_S = 300.0
BREATH_S = 0.1
FIRST_NUMBER = 1_000


@dataclass
class Taken:
    """What each turn of one way took: wall-clock seconds, and CPU seconds of all its processes but the model's."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


Turns = dict[str, Taken]


class Race:
    """One heat: ours and some others. `saturated` gives each way many messages at once, `idle` one at a time."""

    def __init__(self, house: House, ways: Sequence[Variant], wanted: Shape) -> None:
        self._house, self._ways, self._wanted = house, ways, wanted
        self._numbers = count(FIRST_NUMBER)

    async def saturated(self, sizes: Sizes) -> Turns:
        """What each round took, per way."""
        turns: Turns = defaultdict(Taken)
        for messages in per_round(sizes.saturated, sizes.rounds):
            await self._our_turn(turns[OURS], messages)
            for way in self._ways:
                await self._their_turn(turns[way.name], way, messages)
        return turns

    async def idle(self, sizes: Sizes) -> Turns:
        """What each single message took, per way."""
        turns: Turns = defaultdict(Taken)
        async with self._house.poster() as poster:
            for _ in range(sizes.idle):
                await asyncio.sleep(BREATH_S)
                taken = await our_way.one(self._house, poster, self._mails(1)[0], PATIENCE_S)
                turns[OURS].seconds.append(taken)
                for way in self._ways:
                    await asyncio.sleep(BREATH_S)
                    turns[way.name].seconds.append((await way.do(self._mails(1), PATIENCE_S))[1])
        return turns

    async def _our_turn(self, taken: Taken, messages: int) -> None:
        services = self._house.services
        pids = [part.pid for part in (self._house.worker.child, services.temporal.child, services.postgres.child)]
        used = cpu_seconds(pids)
        ids, seconds = await our_way.do(self._house, self._mails(messages), PATIENCE_S)
        taken.cpu.append(cpu_seconds(pids) - used)
        taken.seconds.append(seconds)
        self._check(OURS, difference(self._wanted, await shapes_of(self._house.sql, ids)))

    async def _their_turn(self, taken: Taken, way: Variant, messages: int) -> None:
        pids = [way.child.pid, self._house.services.postgres.child.pid]
        used = cpu_seconds(pids)
        ids, seconds = await way.do(self._mails(messages), PATIENCE_S)
        taken.cpu.append(cpu_seconds(pids) - used)
        taken.seconds.append(seconds)
        self._check(way.name, difference(self._wanted, await shapes_of(way.sql, ids)))

    def _check(self, name: str, wrong: str) -> None:
        if wrong:
            raise BenchFailed(f"{name} did not leave the same rows: {wrong}")

    def _mails(self, messages: int) -> list[bytes]:
        return [plain_mail(next(self._numbers)) for _ in range(messages)]
