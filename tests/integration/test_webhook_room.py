"""Room for large bodies: bounded in places and bytes, in order of arrival, given back whatever happens (RC4, RS-24)."""

import asyncio
from contextlib import suppress

from api.webhooks.room import Room


async def hold(room: Room, size: int, log: list[str], name: str, leave: asyncio.Event) -> None:
    """Holds room until told to leave."""
    async with room.hold(size):
        log.append(f"+{name}")
        await leave.wait()
    log.append(f"-{name}")


async def settle() -> None:
    """Lets every task run as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_places_and_bytes_are_bounded_and_order_is_kept() -> None:  # RC4
    """A small one does not overtake a large one that came first; one larger than all there is runs alone."""
    room, log = Room(places=3, size=100), list[str]()
    leave = {name: asyncio.Event() for name in "abcde"}
    sizes = {"a": 40, "b": 40, "c": 1000, "d": 10, "e": 10}
    tasks = [asyncio.create_task(hold(room, sizes[name], log, name, leave[name])) for name in "abcde"]
    await settle()
    assert log == ["+a", "+b"]
    leave["a"].set()
    await settle()
    assert log == ["+a", "+b", "-a"]
    leave["b"].set()
    await settle()
    assert log[-1] == "+c"
    leave["c"].set()
    await settle()
    assert set(log[-2:]) == {"+d", "+e"}
    leave["d"].set()
    leave["e"].set()
    await asyncio.gather(*tasks)


async def test_no_more_than_so_many_at_a_time() -> None:  # RC4
    """Three, however small."""
    room, log, leave = Room(places=3, size=1000), list[str](), asyncio.Event()
    tasks = [asyncio.create_task(hold(room, 1, log, str(n), leave)) for n in range(5)]
    await settle()
    assert len(log) == 3
    leave.set()
    await asyncio.gather(*tasks)
    assert len(log) == 10


async def test_a_sender_who_goes_away_gives_its_room_back() -> None:
    """While it holds room, and while it is first in the queue."""
    room, log, leave = Room(places=1, size=10), list[str](), asyncio.Event()
    holding, waiting, last = (asyncio.create_task(hold(room, 10, log, name, leave)) for name in "abc")
    await settle()
    for task in (waiting, holding):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    await settle()
    assert log == ["+a", "+c"]
    leave.set()
    await last
