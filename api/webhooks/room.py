"""Room in memory for large bodies: a few at a time and so many bytes in all, first come, first served (RC4, RS-24)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MIB = 1024 * 1024
PLACES = 3
SIZE_BYTES = 128 * MIB


class Room:
    """`hold` waits until a place and enough bytes are free; who wants more than there is gets all of it, alone."""

    def __init__(self, places: int = PLACES, size: int = SIZE_BYTES) -> None:
        self.size = size
        self._places = places
        self._free = size
        self._queue = asyncio.Lock()
        self._first: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def hold(self, wanted: int) -> AsyncIterator[None]:
        """Room for `wanted` bytes while the block runs."""
        wanted = min(wanted, self.size)
        async with self._queue:
            while self._places == 0 or self._free < wanted:
                self._first = asyncio.get_running_loop().create_future()
                await self._first
            self._places -= 1
            self._free -= wanted
        try:
            yield
        finally:
            self._places += 1
            self._free += wanted
            if self._first is not None and not self._first.done():
                self._first.set_result(None)
