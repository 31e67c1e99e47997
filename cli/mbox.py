"""Reads mbox files (RFC 4155 and its older relatives) as a stream, so that any size needs the memory of one mail.

The format has no length and no escape that everybody uses. A mail begins at a `From ` line that follows a blank line
and carries a time of day, as programs that write mbox put it; a sentence that begins with "From " does not.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

PIECE_BYTES = 64 * 1024
_SEPARATOR = re.compile(rb"From [^\r\n]*[0-9]:[0-5][0-9]")
_QUOTED = re.compile(rb">+From ")
_BLANK = (b"\n", b"\r\n")


class BoxedMail(NamedTuple):
    """One mail of an mbox: its unquoted bytes, how many it takes in the file, and whether it was too long to keep."""

    content: bytes
    span: int
    cut: bool


def is_separator(line: bytes) -> bool:
    """Whether a line that follows a blank one begins the next mail."""
    return _SEPARATOR.match(line) is not None


def mails_in_mbox(file: BinaryIO, most_bytes: int) -> Iterator[BoxedMail]:
    """The mails of an mbox in order, each cut at `most_bytes`. Bytes before the first separator are no mail."""
    mail: _Collected | None = None
    for piece, starts_line, after_blank in _pieces(file):
        if after_blank and is_separator(piece):
            if mail is not None:
                yield mail.finished()
            mail = _Collected(most_bytes, len(piece))
        elif mail is not None:
            mail.add(piece, starts_line)
    if mail is not None:
        yield mail.finished()


def _pieces(file: BinaryIO) -> Iterator[tuple[bytes, bool, bool]]:
    """Lines, or parts of long ones: the bytes, whether a line starts here, and whether the line before was blank."""
    starts_line, after_blank = True, True
    while piece := file.readline(PIECE_BYTES):
        yield piece, starts_line, after_blank
        after_blank = starts_line and piece in _BLANK
        starts_line = piece.endswith(b"\n")


class _Collected:
    """A mail as it is read. The blank line before the next separator belongs to the mbox, not to the mail."""

    def __init__(self, most_bytes: int, separator_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept = bytearray()
        self._span = separator_bytes
        self._cut = False
        self._held = b""

    def add(self, piece: bytes, starts_line: bool) -> None:
        self._span += len(piece)
        self._keep(self._held)
        self._held = b""
        if starts_line and piece in _BLANK:
            self._held = piece
        else:
            self._keep(piece[1:] if starts_line and _QUOTED.match(piece) else piece)

    def _keep(self, piece: bytes) -> None:
        room = self._most_bytes - len(self._kept)
        self._kept += piece[:room]
        self._cut = self._cut or len(piece) > room

    def finished(self) -> BoxedMail:
        return BoxedMail(bytes(self._kept), self._span, self._cut)
