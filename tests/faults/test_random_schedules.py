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
from tests.faults.house import House, eventually
from tests.faults.promise import check_promise

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


async def run_schedule(build: Build, schedule: Schedule) -> None:
    """Plays it and checks the promise."""
    print(schedule)
    house = await build(schedule.channel)
    messages = await house.accept_many(MESSAGES)
    for point, delay_s in schedule.kills:
        await house.start_worker(point)
        await _drive(house, messages, schedule, point)
        await asyncio.sleep(delay_s)
        await house.kill(house.worker)
    await house.start_worker()
    await _drive(house, messages, schedule, None)
    await check_promise(house, messages)


async def _drive(house: House, messages: list[UUID], schedule: Schedule, point: str | None) -> None:
    """A reviewer who approves whatever is ready, until somebody is held at the point or everything has ended."""

    async def held_or_over() -> bool:
        states = {message: await house.status(message) for message in messages}
        for message in (m for m, state in states.items() if state == "draft_ready"):
            await house.approve_by_signal(message)
        return (point is not None and house.mark(point).exists()) or set(states.values()) <= ENDS[schedule.channel]

    await eventually(held_or_over, f"{point} is reached or all is over; {schedule}")


@pytest.mark.parametrize("number", range(2))
async def test_a_kill_by_lot(build: Build, number: int) -> None:
    """RS-58: wherever it strikes, one event per edge, one reply per message, and every doubt shown as one."""
    await run_schedule(build, Schedule.drawn(kills=1))


@pytest.mark.long
@pytest.mark.parametrize("number", range(20))
async def test_kills_by_lot(build: Build, number: int) -> None:
    """RS-58: the same with two kills, twenty times."""
    await run_schedule(build, Schedule.drawn(kills=2))
