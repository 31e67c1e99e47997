"""The tree of parts of a mail, read from the bytes in one pass and without recursion.

The `email` package builds the same tree (the tests compare the two), but it recurses on depth and holds about nine
times the mail in memory: 586 MiB for a mail of 63 MiB, more than the parser may use. Here the limits are part of
reading, so no second reader can disagree with the one that checked them (MI1, MI2, MI3).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from domain.mail.headers import HeaderBlock, read_header_block, with_line_feeds
from domain.mail.limits import MAX_DEPTH, MAX_PARTS
from domain.mail.parameters import Parameterised, media_type, read_parameters

ATTACHED_MAIL_TYPES = frozenset({"message/rfc822", "message/global"})
_RAW_BOUNDARY = re.compile(rb"boundary[ \t]*=[ \t]*\"?([^\";\r\n]{1,200})", re.IGNORECASE)
_MAX_BOUNDARY_CHARS = 200
_MAX_DELIMITER_BYTES = 1_000


@dataclass(eq=False)
class Part:
    """One part: its headers and the span of its body in `raw`. `opaque` marks what was beyond the limits."""

    raw: bytes
    headers: HeaderBlock
    end: int
    default_type: str = "text/plain"
    depth: int = 0
    children: "list[Part]" = field(default_factory=list)
    opaque: bool = False
    type_override: str = ""

    @property
    def body(self) -> bytes:
        """The body as it stands in the mail, transfer encoding untouched."""
        return self.raw[self.headers.body_start : self.end]

    @property
    def size_bytes(self) -> int:
        """The size of the body as it stands in the mail."""
        return self.end - self.headers.body_start

    @cached_property
    def content_header(self) -> Parameterised:
        """Content-Type with its parameters."""
        return read_parameters(self.headers.first("content-type"))

    @cached_property
    def disposition(self) -> Parameterised:
        """Content-Disposition with its parameters."""
        return read_parameters(self.headers.first("content-disposition"))

    @property
    def content_type(self) -> str:
        """The media type; what is missing or malformed counts as the default of its place (RFC 2045 5.2)."""
        declared = self.content_header.value
        malformed = "multipart/mixed" if declared.startswith("multipart/") else self.default_type
        return self.type_override or media_type(declared) or malformed

    @property
    def content_id(self) -> str:
        """Content-ID without brackets."""
        return self.headers.first("content-id").decode("utf-8", "replace").strip(" \t\r\n<>")

    def walk(self) -> Iterator["Part"]:
        """This part and everything below it, in document order."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            yield part
            waiting.extend(reversed(part.children))


@dataclass(frozen=True, slots=True)
class Structure:
    """The root part, defects of the structure, and one opaque rest if there were too many parts."""

    root: Part
    defects: tuple[str, ...]
    rest: bytes = b""


@dataclass(frozen=True, slots=True)
class _Open:
    """A multipart whose end has not been seen yet, and the line that delimits its parts."""

    part: Part
    delimiter: bytes


class _StructureReader:
    """Walks from delimiter line to delimiter line; the stack holds the multiparts that are open."""

    def __init__(self, raw: bytes, depth: int, parts_left: int) -> None:
        self.raw, self.depth, self.parts_left = raw, depth, parts_left
        self.stack: list[_Open] = []
        self.delimiters: dict[bytes, tuple[int, bool]] = {}
        self.leaf: Part | None = None
        self.defects: dict[str, None] = {}
        self.rest = b""

    def read(self) -> Structure:
        root = self._open_part(0, "text/plain")
        position = root.headers.body_start
        while self.stack:
            start, end = self._next_delimiter(position)
            level, closing = self.delimiters.get(self._line(start, end), (-1, False))
            self._end_above(level, start)
            position = self._enter(level, end, closing) if level >= 0 else end
        return Structure(root, tuple(self.defects), self.rest)

    def _enter(self, level: int, line_end: int, closing: bool) -> int:
        """After a delimiter line of `level`: its multipart is closed, or its next part begins."""
        if closing:
            self._close(level, line_end)
            return line_end
        if self.parts_left <= 0:
            return self._give_up(line_end)
        in_digest = self.stack[level].part.content_type == "multipart/digest"
        return self._open_part(line_end, "message/rfc822" if in_digest else "text/plain").headers.body_start

    def _give_up(self, position: int) -> int:
        self._note("too_many_parts")
        self.rest = self.raw[position:]
        self._close(0, position)
        return len(self.raw)

    def _open_part(self, start: int, default_type: str) -> Part:
        headers = read_header_block(self.raw, start, self.delimiters)
        part = Part(self.raw, headers, len(self.raw), default_type, self.depth + len(self.stack))
        self.parts_left -= 1
        for defect in headers.defects:
            self._note(defect)
        if self.stack:
            self.stack[-1].part.children.append(part)
        if not self._opens(part):
            self.leaf = part
        return part

    def _opens(self, part: Part) -> bool:
        """True if `part` is a multipart that can be read: within the depth limit and with a boundary."""
        if not part.content_type.startswith("multipart/"):
            return False
        boundary = part.content_header.parameters.get("boundary", "").rstrip()[:_MAX_BOUNDARY_CHARS]
        if part.depth >= MAX_DEPTH:
            part.opaque = True
            self._note("too_deep")
            return False
        if not boundary:
            part.type_override = "text/plain"
            self._note("multipart_without_boundary")
            return False
        self.stack.append(_Open(part, b"--" + _raw_boundary(part, boundary)))
        self._index()
        return True

    def _index(self) -> None:
        """Delimiter lines by their text; if two levels share one, the inner counts, and opening goes before closing."""
        self.delimiters = {each.delimiter + b"--": (level, True) for level, each in enumerate(self.stack)}
        self.delimiters |= {each.delimiter: (level, False) for level, each in enumerate(self.stack)}

    def _next_delimiter(self, position: int) -> tuple[int, int]:
        """Start and end of the next line that delimits an open multipart; the end of the mail if there is none."""
        start = position if self.raw.startswith(b"--", position) else self._next_dashes(position)
        while start < len(self.raw):
            newline = self.raw.find(b"\n", start)
            end = len(self.raw) if newline < 0 else newline + 1
            if self._line(start, end) in self.delimiters:
                return start, end
            start = self._next_dashes(start)
        return len(self.raw), len(self.raw)

    def _next_dashes(self, position: int) -> int:
        found = self.raw.find(b"\n--", position)
        return len(self.raw) if found < 0 else found + 1

    def _line(self, start: int, end: int) -> bytes:
        return self.raw[start : min(end, start + _MAX_DELIMITER_BYTES)].rstrip(b" \t\r\n")

    def _end_above(self, level: int, end: int) -> None:
        """What is open above `level` ends here; the line break before a delimiter belongs to it (RFC 2046 5.1.1)."""
        stop = _before_line_break(self.raw, end) if level >= 0 else end
        if self.leaf is not None:
            self.leaf.end = max(stop, self.leaf.headers.body_start)
            self.leaf = None
        if len(self.stack) > level + 1:
            self._note("multipart_not_closed")
            self._close(level + 1, stop)

    def _close(self, level: int, end: int) -> None:
        """Close every multipart from `level` up; one in which no part was found is shown as the text it is."""
        for closed in self.stack[level:]:
            closed.part.end = max(end, closed.part.headers.body_start)
            if not closed.part.children:
                closed.part.type_override = "text/plain"
                self._note("multipart_without_parts")
        del self.stack[level:]
        self._index()

    def _note(self, defect: str) -> None:
        self.defects[defect] = None


def _raw_boundary(part: Part, boundary: str) -> bytes:
    """The boundary as bytes of the mail; outside ASCII its decoded form may differ from them."""
    found = None if boundary.isascii() else _RAW_BOUNDARY.search(part.headers.first("content-type"))
    return found[1].rstrip() if found else boundary.encode("utf-8", "replace")


def _before_line_break(raw: bytes, position: int) -> int:
    if raw[position - 2 : position] == b"\r\n":
        return position - 2
    return position - 1 if raw[position - 1 : position] == b"\n" else position


def read_structure(raw: bytes, depth: int = 0, parts_left: int = MAX_PARTS) -> Structure:
    """The tree of parts of `raw`, within the limits of MI3. `depth` is that of its root. Never raises."""
    return _StructureReader(with_line_feeds(raw), depth, parts_left).read()
