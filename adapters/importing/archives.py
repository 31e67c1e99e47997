"""Archives of files, as site exports are: looked through first, then unpacked a file at a time."""

import io
import zipfile
import zlib
from pathlib import PurePosixPath

from adapters.importing.limits import (
    ARCHIVE_MEMBERS,
    FILE_BYTES,
    HARMLESS_BYTES,
    MOST_RATIO,
    UNPACKED_BYTES,
    FileRefused,
)

_ENCRYPTED = 0x1
NOT_CONTENT = ("__MACOSX", ".git", "node_modules")
ASSETS = frozenset(
    ".css .js .mjs .map .json .xml .svg .png .jpg .jpeg .gif .webp .ico .woff .woff2 .ttf .eot .mp4 .webm .mp3".split()
)


def open_archive(raw: bytes) -> zipfile.ZipFile:
    """A zip archive. Raises FileRefused."""
    try:
        return zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeError):
        raise FileRefused("broken_archive") from None


def checked_members(archive: zipfile.ZipFile, most_bytes: int = UNPACKED_BYTES) -> list[zipfile.ZipInfo]:
    """The files of an archive, if all of them together are of a sound size. Raises FileRefused."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > ARCHIVE_MEMBERS:
        raise FileRefused("too_many_members")
    if sum(member.file_size for member in members) > most_bytes:
        raise FileRefused("zip_bomb")
    if _overlap(members):
        raise FileRefused("zip_bomb")
    return members


def _overlap(members: list[zipfile.ZipInfo]) -> bool:
    """Whether files share their bytes, by which a small archive can claim to hold petabytes."""
    spans = sorted((member.header_offset, member.compress_size) for member in members)
    return any(start + size > after for (start, size), (after, _) in zip(spans, spans[1:], strict=False))


def content_members(archive: zipfile.ZipFile) -> list[str]:
    """Names of the files that hold pages, not what decorates them, in order."""
    names = [member.filename for member in checked_members(archive) if not _decorates(member.filename)]
    return sorted(dict.fromkeys(names))


def _decorates(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") and part not in (".", "..") or part in NOT_CONTENT for part in path.parts)
    return hidden or path.suffix.lower() in ASSETS


def unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of one file, never more than a file may have. Raises FileRefused."""
    member = archive.getinfo(name)
    if ".." in PurePosixPath(name.replace("\\", "/")).parts or name.startswith(("/", "\\")):
        raise FileRefused("unsafe_name")
    if member.flag_bits & _ENCRYPTED:
        raise FileRefused("password")
    if member.file_size > HARMLESS_BYTES and member.file_size > MOST_RATIO * max(member.compress_size, 1):
        raise FileRefused("zip_bomb")
    if member.file_size > FILE_BYTES:
        raise FileRefused("too_large")
    try:
        with archive.open(member) as stream:
            return stream.read(FILE_BYTES)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        raise FileRefused("broken_file") from None
