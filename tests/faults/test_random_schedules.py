"""Schedules nobody thought of: a few messages, a worker killed at points drawn by lot, and the promise afterwards.

The seed of a schedule is printed; DESKHAND_FAULT_SEED runs it again.
"""

import asyncio
import os
import random
import secrets
from dataclasses import dataclass
from typing import Self
from uuid import UUID

import pytest

from contracts.status import StepKind
from tests.faults.conftest import Build
from tests.faults.house import House
from tests.faults.looking import eventually
from tests.faults.promise import check_promise
from tests.faults.side_by_side import told

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(600)]

MESSAGES = 4
LONGEST_DELAY_S = 3.0
POINTS = (
    "after_start",
    "after_parse",
    *(f"after_lifecycle/{kind}" for kind in ("receive", "enter", "approve", "send_result")),
    *(f"after_lifecycle/end_step/{step}" for step in StepKind),
    *(f"after_store/{step}" for step in StepKind),
    "before_claim",
    "after_claim",
    "after_hand_over",
)
ENDS = {"smtp": {"sent", "approved/delivery_ambiguous"}, "file": {"sent"}}


@dataclass(frozen=True)
class Schedule:
    """Where the worker is held, how long before it is killed, and how mail leaves."""

    seed: int
    channel: str
    kills: tuple[tuple[str, float], ...]

    @classmethod
    def drawn(cls, kills: int) -> Self:
        """By lot, or the one that DESKHAND_FAULT_SEED names."""
        seed = int(os.environ.get("DESKHAND_FAULT_SEED") or secrets.randbelow(2**32))
        lot = random.Random(seed)
        points = lot.sample(POINTS, kills)
        return cls(seed, lot.choice(list(ENDS)), tuple((point, lot.uniform(0, LONGEST_DELAY_S)) for point in points))


    async def play(self, house: House) -> None:
        """Plays it and checks the promise."""
        messages = await house.accept_many(MESSAGES)
        for point, delay_s in self.kills:
            await house.start_worker(point)
            await self._drive(house, messages, point)
            await asyncio.sleep(delay_s)
            await house.kill(house.worker)
        await house.start_worker()
        await self._drive(house, messages, None)
        await check_promise(house, messages)

    async def _drive(self, house: House, messages: list[UUID], point: str | None) -> None:
        """A reviewer who approves whatever is ready, until somebody is held at the point or everything has ended."""

        async def held_or_over() -> bool:
            states = {message: await house.status(message) for message in messages}
            for message in (m for m, state in states.items() if state == "draft_ready"):
                await house.approve_by_signal(message)
            return (point is not None and house.mark(point).exists()) or set(states.values()) <= ENDS[self.channel]

        await eventually(held_or_over, f"{point} is reached or all is over")


async def play_two(build: Build, kills: int) -> None:
    """Two schedules at the same time, in a house each."""
    schedules = [Schedule.drawn(kills), Schedule.drawn(kills)]
    print(schedules)
    async with told(build, [(schedule.channel, schedule.play) for schedule in schedules]) as tasks:
        for task in tasks:
            await task


async def test_a_kill_by_lot(build: Build) -> None:
    """RS-58: wherever it strikes, one event per edge, one reply per message, and every doubt shown as one."""
    await play_two(build, kills=1)


@pytest.mark.long
@pytest.mark.parametrize("number", range(10))
async def test_kills_by_lot(build: Build, number: int) -> None:
    """RS-58: the same with two kills each, twenty times."""
    await play_two(build, kills=2)
