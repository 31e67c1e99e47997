"""Capacity and transport: waits that are shown and charged to nothing, and faults that are charged (M56-M58, M113)."""

import asyncio
from typing import Any

import pytest

from activities.missions import turns
from contracts.missions import MissionStatus
from contracts.missions_agent import AgentStep, Role, Seat
from tests.faults.looking import eventually
from tests.missions.conftest import Desk
from tests.missions.script import DONE, use
from tests.missions.test_gates import asks_then_completes


def broken_transport(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """The first dispatches are lost before their receipt."""
    left = iter(range(times))

    async def barrier(name: str, about: object = "") -> None:
        if name == "before_receipt/supervisor" and next(left, None) is not None:
            raise RuntimeError("lost")

    monkeypatch.setattr(turns, "barrier", barrier)


async def test_a_lost_transport_is_tried_again_as_the_same_turn(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice lost: the same turn under the third generation, admitted once."""
    # M89 M113
    broken_transport(monkeypatch, 2)
    desk.rules = {Role.SUPERVISOR: lambda _: use(DONE)}
    story = await desk.begin()
    assert (await story.end()).status is MissionStatus.COMPLETED
    row = (await desk.rows("SELECT turn_no, generation, attempts FROM mission_turns"))[0]
    assert tuple(row) == (1, 3, 2) and len(desk.seats) == 1


async def test_a_spent_delivery_budget_asks_the_owner(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third loss opens the gate; the answer runs at once, the lost input never comes back by itself."""
    # M29 M36 M113
    broken_transport(monkeypatch, 3)
    desk.rules = {Role.SUPERVISOR: lambda _: use(DONE)}
    story = await desk.begin()
    await story.until(MissionStatus.OWNER_GATE)
    gate = await story.gate()
    assert gate["reason"] == "delivery_failed" and desk.seats == []
    await story.say("try again", gate_id=gate["gate_id"])
    assert (await story.end()).status is MissionStatus.COMPLETED
    assert [given.text for seat in desk.seats for given in seat.inputs] == ["try again"]


async def test_a_queued_owner_input_is_promoted_instead_of_a_gate(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its predecessor's budget is spent: the owner's words become the next turn, nobody is asked again."""
    # M56 T35
    broken_transport(monkeypatch, 3)
    desk.rules = {Role.SUPERVISOR: lambda _: use(DONE)}
    story = await desk.begin()
    await story.until_sql("SELECT attempts >= 1 FROM mission_turns WHERE mission_id = $1", "lost once")
    await story.say("the sales threads instead")
    assert (await story.end()).status is MissionStatus.COMPLETED
    assert await desk.rows("SELECT 1 FROM mission_gates") == []
    assert [given.text for seat in desk.seats for given in seat.inputs] == ["the sales threads instead"]


async def test_an_answered_gate_waits_for_room_and_is_not_asked_again(desk: Desk) -> None:
    """No room after the approval: the gate stays answered with its reason, no attempt is charged, one turn runs."""
    # M57 M58 M127 T36
    await desk.sql.execute("UPDATE capacity_pools SET max_leases = 1 WHERE pool = 'model_executions'")
    hold = asyncio.Event()
    other: list[Any] = []

    async def rule(seat: Seat) -> AgentStep:
        if other and seat.mission_id == other[0].mission_id:
            await hold.wait()
            return use(DONE)
        return asks_then_completes(seat)

    desk.rules = {Role.SUPERVISOR: rule}  # type: ignore[dict-item]
    story = await desk.begin()
    await story.until(MissionStatus.OWNER_GATE)
    other.append(await desk.begin())
    running = "SELECT count(*) = 1 FROM mission_turns WHERE mission_id = $1 AND state = 'admitted'"
    await other[0].until_sql(running, "the other mission has the only slot")
    gate = await story.gate()
    await story.say("last week", gate_id=gate["gate_id"])

    async def waits() -> bool:
        now = await story.gate()
        return now["state"] == "answered" and now["wait_reason"] == "pool_full"

    await eventually(waits, "the wait is shown on the gate", 30)
    attempts = await desk.rows("SELECT attempts, wait_reason FROM mission_turns WHERE mission_id = $1 AND turn_no = 2",
                               story.mission_id)  # fmt: skip
    assert tuple(attempts[0]) == (0, "pool_full")
    hold.set()
    assert (await story.end()).status is MissionStatus.COMPLETED
    assert len(await desk.rows("SELECT 1 FROM mission_gates WHERE mission_id = $1", story.mission_id)) == 1
    assert (await story.gate())["state"] == "consumed"
