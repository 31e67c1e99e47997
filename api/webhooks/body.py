"""Reading a request body under a cap: on disk beyond 1 MiB, no more kept than asked for, no slower than agreed (RC17,
RC20)."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO

from api.webhooks.signatures import BodyCheck

IN_MEMORY_BYTES = 1024 * 1024
STUB_BYTES = 1024 * 1024


class TooLarge(Exception):
    """The body passed the absolute ceiling. What followed was taken off the line, so that the sender reads the
    answer."""


@dataclass
class Body:
    """What was kept of a body; `whole` is False where only its first MiB was."""

    file: BinaryIO
    size: int
    whole: bool

    def read(self) -> bytes:
        """The kept bytes."""
        self.file.seek(0)
        return self.file.read()

    def close(self) -> None:
        """Gives the disk space back."""
        self.file.close()


@dataclass(frozen=True)
class Caps:
    """Bytes: above `message` a stub is kept, above `ceiling` nothing, above `patience` the line is cut."""

    message: int = 64 * 1024 * 1024
    ceiling: int = 128 * 1024 * 1024
    within_s: float = 60.0

    @property
    def patience(self) -> int:
        """How much of a body above the ceiling is read and dropped."""
        return 2 * self.ceiling


async def read_body(stream: AsyncIterator[bytes], check: BodyCheck, caps: Caps) -> Body:
    """Feeds every byte to the signature check; raises TooLarge above the ceiling, TimeoutError from a dawdling
    sender."""
    file: BinaryIO = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # type: ignore[assignment]
    try:
        async with asyncio.timeout(caps.within_s):
            size = await _take(stream, file, check, caps)
        if size > caps.ceiling:
            raise TooLarge
    except BaseException:
        file.close()
        raise
    whole = size <= caps.message
    if not whole:
        file.truncate(min(STUB_BYTES, caps.message))
    return Body(file=file, size=size, whole=whole)


async def _take(stream: AsyncIterator[bytes], file: BinaryIO, check: BodyCheck, caps: Caps) -> int:
    size = 0
    async for piece in stream:
        size += len(piece)
        if size > caps.patience:
            break
        if size <= caps.ceiling:
            check.feed(piece)
            await _keep(file, piece, size, caps)
    return size


async def _keep(file: BinaryIO, piece: bytes, size: int, caps: Caps) -> None:
    if size > caps.message:
        return
    if size > IN_MEMORY_BYTES:
        await asyncio.to_thread(file.write, piece)
    else:
        file.write(piece)
