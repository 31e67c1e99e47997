"""Where files come from: one file, a folder of them, a site export, or bytes that were uploaded."""

import asyncio
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from adapters.importing.archives import ASSETS, NOT_CONTENT
from adapters.importing.limits import ARCHIVE_BYTES, FILE_BYTES, FileRefused
from adapters.importing.reader import SandboxedReader
from domain.knowledge.blocks import ReadDocument

Read = tuple[ReadDocument, str, int]


class Reads(Protocol):
    """What reads one file, or one page of an archive."""

    async def read(self, raw: bytes, name: str) -> Read: ...
    async def read_member(self, archive: bytes, name: str) -> Read: ...


ZIP: Final = ".zip"


@dataclass(frozen=True)
class FileOnDisk:
    """A file; only one of them is in memory at a time."""

    name: str
    path: Path

    async def read(self, reader: Reads) -> Read:
        """The document. Raises FileRefused."""
        return await reader.read(await asyncio.to_thread(bytes_of, self.path), self.name)

    async def digest(self) -> str | None:
        """The SHA-256 of the bytes, hex. Raises FileRefused."""
        return hashlib.sha256(await asyncio.to_thread(bytes_of, self.path)).hexdigest()


@dataclass(frozen=True)
class Upload:
    """Bytes that somebody sent."""

    name: str
    content: bytes

    async def read(self, reader: Reads) -> Read:
        """The document. Raises FileRefused."""
        if len(self.content) > FILE_BYTES:
            raise FileRefused("too_large")
        return await reader.read(self.content, self.name)

    async def digest(self) -> str | None:
        """The SHA-256 of the bytes, hex."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class Member:
    """A page of an archive; its bytes exist in the child alone, so its digest comes with its text."""

    name: str
    inner: str
    archive: bytes

    async def read(self, reader: Reads) -> Read:
        """The document. Raises FileRefused."""
        return await reader.read_member(self.archive, self.inner)

    async def digest(self) -> str | None:
        """Not known before it is read."""
        return None


@dataclass(frozen=True)
class Unreadable:
    """A file that is refused before it is opened; it keeps its place, so that its former text is not retired."""

    name: str
    reason: str

    async def read(self, reader: Reads) -> Read:
        """Raises FileRefused."""
        raise FileRefused(self.reason)

    async def digest(self) -> str | None:
        """Not known."""
        return None


AnyFile = FileOnDisk | Upload | Member | Unreadable


def bytes_of(path: Path, most: int = FILE_BYTES) -> bytes:
    """The bytes of a file. Raises FileRefused: too_large (nothing is read then), cannot_open."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > most:
                raise FileRefused("too_large" if most == FILE_BYTES else "archive_too_large")
            content = file.read(most + 1)
    except OSError:
        raise FileRefused("cannot_open") from None
    if len(content) > most:
        raise FileRefused("too_large")
    return content


async def files_below(path: Path, reader: SandboxedReader) -> list[AnyFile]:
    """The files of a path: itself, everything in a folder, or the pages of an archive; sorted by name."""
    if not path.is_dir():
        return await _one(path, path.name, reader)
    found: list[AnyFile] = []
    for file in await asyncio.to_thread(lambda: list(_walk(path))):
        found += await _one(file, file.relative_to(path).as_posix(), reader)
    return found


def _walk(folder: Path) -> Iterator[Path]:
    """Regular files that may hold text, without following links out of the folder, sorted."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in NOT_CONTENT)
        for name in sorted(names):
            file = Path(place, name)
            if not name.startswith(".") and file.suffix.lower() not in ASSETS and file.is_file():
                yield file


async def _one(path: Path, name: str, reader: SandboxedReader) -> list[AnyFile]:
    if path.suffix.lower() != ZIP:
        return [FileOnDisk(name, path)]
    try:
        return await members_of(await asyncio.to_thread(bytes_of, path, ARCHIVE_BYTES), name, reader)
    except FileRefused as refusal:
        return [Unreadable(name, refusal.reason)]


async def members_of(content: bytes, name: str, reader: SandboxedReader) -> list[AnyFile]:
    """The pages of an uploaded archive, or the one file it is. Raises FileRefused."""
    if len(content) > ARCHIVE_BYTES:
        raise FileRefused("archive_too_large")
    inner = await reader.open_archive(content)
    return [Upload(name, content)] if inner is None else _members(inner, name, content)


def _members(inner: Sequence[str], name: str, content: bytes) -> list[AnyFile]:
    return [Member(f"{name}/{one}", one, content) for one in inner]
