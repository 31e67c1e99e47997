"""Finds mails on disk: single files, mbox files and Maildir folders, however deep, one mail in memory at a time."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cli.mbox import PIECE_BYTES, is_separator, mails_in_mbox

# Above this the door answers 413 (RC20), so there is no use in reading more.
MOST_BYTES: Final = 128 * 1024 * 1024
MAIL_SUFFIX: Final = ".eml"
TOO_LONG: Final = f"longer than {MOST_BYTES // 1024 // 1024} MiB"


@dataclass(frozen=True)
class FoundMail:
    """One mail: where it stands, its bytes, how many bytes of the disk it accounts for, and why it cannot be read."""

    place: str
    content: bytes
    span: int
    fault: str = ""


def find_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files that hold mail, sorted; a path that is named outright counts whatever its name."""
    for path in paths:
        yield from _in_folder(path) if path.is_dir() else [path]


def find_mails(paths: Sequence[Path], most_bytes: int = MOST_BYTES) -> Iterator[FoundMail]:
    """Every mail below the paths; what cannot be read comes with its fault."""
    for file in find_files(paths):
        try:
            yield from _in_file(file, most_bytes)
        except OSError as error:
            yield FoundMail(str(file), b"", 0, f"cannot be read ({error.strerror})")


def size_of(paths: Sequence[Path]) -> int:
    """Bytes of all files that hold mail, for a progress bar."""
    return sum(_size(file) for file in find_files(paths))


def is_mbox(file: Path) -> bool:
    """Whether a file begins as an mbox does."""
    try:
        with file.open("rb") as opened:
            return is_separator(opened.readline(PIECE_BYTES))
    except OSError:
        return False


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _in_folder(root: Path) -> Iterator[Path]:
    """Folders that cannot be listed come last, as if they were files: reading them then says what is wrong."""
    refused: list[OSError] = []
    for folder, folders, names in os.walk(root, onerror=refused.append):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not _is_maildir_draft(here, name))
        for name in sorted(names):
            file = here / name
            if file.is_file() and _holds_mail(file):
                yield file
    yield from (Path(error.filename) for error in refused)


def _holds_mail(file: Path) -> bool:
    if file.parent.name in ("cur", "new") and _is_maildir(file.parent.parent):
        return not file.name.startswith(".")
    return file.suffix.lower() == MAIL_SUFFIX or is_mbox(file)


def _is_maildir(folder: Path) -> bool:
    return (folder / "cur").is_dir() and (folder / "new").is_dir()


def _is_maildir_draft(folder: Path, name: str) -> bool:
    """What lies in `tmp` of a Maildir was never delivered whole."""
    return name == "tmp" and _is_maildir(folder)


def _in_file(file: Path, most_bytes: int) -> Iterator[FoundMail]:
    if is_mbox(file):
        yield from _in_mbox(file, most_bytes)
        return
    with file.open("rb") as opened:
        content = opened.read(most_bytes + 1)
    yield _found(str(file), content[:most_bytes], _size(file), len(content) > most_bytes)


def _in_mbox(file: Path, most_bytes: int) -> Iterator[FoundMail]:
    with file.open("rb") as opened:
        for number, mail in enumerate(mails_in_mbox(opened, most_bytes), start=1):
            yield _found(f"{file}#{number}", mail.content, mail.span, mail.cut)


def _found(place: str, content: bytes, span: int, cut: bool) -> FoundMail:
    return FoundMail(place, b"", span, TOO_LONG) if cut else FoundMail(place, content, span)
