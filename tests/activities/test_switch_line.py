"""Claims and the kill switch stand in one line: whoever throws waits for claims under way and for no later one."""

import asyncio

import pytest

from tests.activities.conftest import World

WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


async def until_waiting(world: World, count: int) -> None:
    """Returns when so many stand in the line."""
    while await world.sql.fetchval(WAITING) < count:
        await asyncio.sleep(0.01)


async def throw(world: World, order: list[str]) -> None:
    """What the API does first, and the switch itself."""
    async with world.database.transaction(world.mailbox_id) as tx:
        await tx.one("switch_lock", world.mailbox_id)
        await tx.one("api_settings_lock", world.mailbox_id)
        await tx.one("api_switch_throw", world.mailbox_id, "user:test", "test")
        order.append("thrown")


async def claim(world: World, order: list[str]) -> int:
    """The claim's lock and look; how many switches it saw."""
    async with world.database.transaction(world.mailbox_id, lifecycle=True) as tx:
        await tx.one("claim_switch_lock", world.mailbox_id)
        order.append("claimed")
        return len(await tx.rows("claim_switches", world.mailbox_id))


@pytest.mark.timeout(60)
async def test_a_throw_is_ahead_of_claims_that_come_after_it(world: World) -> None:  # P92, OB7
    """A claim holds the lock, the switch waits: later claims wait behind it and see the switch."""
    order: list[str] = []
    async with world.database.transaction(world.mailbox_id, lifecycle=True) as early:
        await early.one("claim_switch_lock", world.mailbox_id)
        throwing = asyncio.create_task(throw(world, order))
        await until_waiting(world, 1)
        later = [asyncio.create_task(claim(world, order)) for _ in range(3)]
        await until_waiting(world, 4)
        assert await early.rows("claim_switches", world.mailbox_id) == [] and order == []
    await throwing
    assert await asyncio.gather(*later) == [1, 1, 1] and order[0] == "thrown"


async def test_claims_do_not_wait_for_each_other(world: World) -> None:  # P103
    """Two claims of one mailbox hold the lock together; one of another mailbox never meets it."""
    async with world.database.transaction(world.mailbox_id, lifecycle=True) as first:
        await first.one("claim_switch_lock", world.mailbox_id)
        assert await claim(world, []) == 0


async def test_a_settings_change_does_not_hold_up_claims(world: World) -> None:  # P103
    """Saving settings takes the settings alone, so replies leave meanwhile."""
    async with world.database.transaction(world.mailbox_id) as saving:
        await saving.one("api_settings_lock", world.mailbox_id)
        assert await claim(world, []) == 0
