"""The header block of a mail or a part, cut from the bytes within limits. Nothing is decoded here, so that no limit can
be passed by something that only appears after decoding (MI3)."""

import re
from collections.abc import Container
from dataclasses import dataclass

from domain.mail.limits import MAX_HEADER_BLOCK_BYTES, MAX_HEADER_BYTES, MAX_HEADERS

_FIELD = re.compile(rb"([!-9;-~]{1,1000})[ \t]*:[ \t]*")
_MBOX_LINE = re.compile(rb">?From ")
_BLANK_LINE = re.compile(rb"\n\r?\n")


@dataclass(frozen=True, slots=True)
class HeaderBlock:
    """Fields in order (lower-case name, raw value), where the body begins, and what was too much to be read."""

    fields: tuple[tuple[str, bytes], ...]
    body_start: int
    excess: bytes = b""
    defects: tuple[str, ...] = ()

    def first(self, name: str) -> bytes:
        """The raw value of the first field `name` (lower case), or b"": the first of repeated singletons wins (MI8)."""
        return next((value for field, value in self.fields if field == name), b"")

    def all(self, name: str) -> list[bytes]:
        """The raw values of every field `name` (lower case)."""
        return [value for field, value in self.fields if field == name]


class _Reader:
    """Collects the lines of one header block until a blank line, a line that is no header, or a limit."""

    def __init__(self, raw: bytes, start: int, delimiters: Container[bytes]) -> None:
        self.raw, self.start, self.end = raw, start, len(raw)
        self.delimiters = delimiters
        self.fields: list[tuple[str, list[bytes]]] = []
        self.kept_bytes = self.size_of_last = 0
        self.excess: list[bytes] = []
        self.defects: dict[str, None] = {}

    def read(self) -> HeaderBlock:
        position = self.start
        while position < self.end:
            following = self._line_end(position)
            line = self.raw[position:following]
            if not line.strip(b"\r\n"):
                return self._block(following)
            if self._is_over(min(len(line), MAX_HEADER_BYTES)):
                return self._cut(position)
            if self._is_delimiter(line) or not self._take(line, first=position == self.start):
                self._note("header_without_blank_line")
                return self._block(position)
            position = following
        return self._block(self.end)

    def _line_end(self, position: int) -> int:
        found = self.raw.find(b"\n", position, self.end)
        return self.end if found < 0 else found + 1

    def _is_over(self, size: int) -> bool:
        return len(self.fields) > MAX_HEADERS or self.kept_bytes + size > MAX_HEADER_BLOCK_BYTES

    def _is_delimiter(self, line: bytes) -> bool:
        return line.startswith(b"--") and line.rstrip(b" \t\r\n") in self.delimiters

    def _cut(self, position: int) -> HeaderBlock:
        """Beyond the limits the rest of the block is kept in one piece and the body begins after it."""
        blank = _BLANK_LINE.search(self.raw, max(position - 1, self.start), self.end)
        stop = blank.start() + 1 if blank else self.end
        over_count = len(self.fields) > MAX_HEADERS
        if over_count:
            name, lines = self.fields.pop()
            self.excess.append(name.encode() + b": " + b"".join(lines))
        self.excess.append(self.raw[position:stop])
        self._note("too_many_headers" if over_count else "header_block_too_big")
        return self._block(blank.end() if blank else self.end)

    def _take(self, line: bytes, first: bool) -> bool:
        if line[:1] in b" \t":
            return self._continue(line)
        found = _FIELD.match(line)
        if found is None and line.startswith(b":"):
            self._note("header_malformed")
            return True
        if found is None:
            return bool(first and _MBOX_LINE.match(line))
        self.fields.append((found[1].decode("ascii").lower(), []))
        self.size_of_last = 0
        return self._continue(line[found.end() :])

    def _continue(self, line: bytes) -> bool:
        if not self.fields:
            self._note("header_starts_with_blank")
            return True
        room = max(MAX_HEADER_BYTES - self.size_of_last, 0)
        self.size_of_last += len(line)
        self.kept_bytes += min(len(line), room)
        self.fields[-1][1].append(line[:room])
        if len(line) > room:
            self.excess.append(line[room:])
            self._note("header_too_long")
        return True

    def _note(self, defect: str) -> None:
        self.defects[defect] = None

    def _block(self, body_start: int) -> HeaderBlock:
        fields = tuple((name, b"".join(lines).rstrip(b"\r\n")) for name, lines in self.fields)
        return HeaderBlock(fields, body_start, b"".join(self.excess), tuple(self.defects))


def with_line_feeds(raw: bytes) -> bytes:
    """`raw` as it is, or with LF for CR if CR is its only line end, as in old Macintosh mail."""
    return raw if b"\n" in raw else raw.replace(b"\r", b"\n")


def read_header_block(raw: bytes, start: int = 0, delimiters: Container[bytes] = ()) -> HeaderBlock:
    """The header block that begins at `start`; a line in `delimiters` also ends it. Never raises.

    Reads no further than the limits of MI3, but for the end of the block.
    """
    return _Reader(raw, start, delimiters).read()
