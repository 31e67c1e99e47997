"""Reading a request body under a cap: at most 32 at a time, on disk beyond 1 MiB, and no more than asked for (RC17, RC20)."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO

from api.webhooks.signatures import BodyCheck

IN_MEMORY_BYTES = 1024 * 1024
STUB_BYTES = 1024 * 1024


class TooLarge(Exception):
    """The body passed the absolute ceiling."""


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
    """Bytes: above `message` a stub is kept, above `ceiling` nothing."""

    message: int = 64 * 1024 * 1024
    ceiling: int = 128 * 1024 * 1024


async def read_body(stream: AsyncIterator[bytes], check: BodyCheck, caps: Caps) -> Body:
    """Feeds every byte to the signature check; raises TooLarge above the ceiling."""
    file: BinaryIO = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # type: ignore[assignment]
    size = 0
    try:
        async for piece in stream:
            size += len(piece)
            if size > caps.ceiling:
                raise TooLarge
            check.feed(piece)
            await _keep(file, piece, size, caps)
    except BaseException:
        file.close()
        raise
    whole = size <= caps.message
    if not whole:
        file.truncate(STUB_BYTES)
    return Body(file=file, size=size, whole=whole)


async def _keep(file: BinaryIO, piece: bytes, size: int, caps: Caps) -> None:
    if size > caps.message:
        return
    if size > IN_MEMORY_BYTES:
        await asyncio.to_thread(file.write, piece)
    else:
        file.write(piece)
