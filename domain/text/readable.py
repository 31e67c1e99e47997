"""Readable lines from a walk of HTML: blocks, lists, quotes and table rows, in time linear in the text."""

import re
from dataclasses import dataclass, field

PREFIXES_MAX = 8
CELL_CHARACTERS_MAX = 80
PUSHED_DOWN_LINES = 40
_KEPT_BLANK = "\x00"
_BLANKS = re.compile(r"[ \t\f\v\xa0]")


@dataclass(slots=True)
class _Frame:
    """Lines of one quote, list item, row or cell until it closes."""

    kind: str
    lines: list[str] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)
    open_line: list[str] = field(default_factory=list)


class LineWriter:
    """Takes text and structure in document order and gives the readable text."""

    def __init__(self) -> None:
        self.frames = [_Frame("page")]
        self.prefixes = 0
        self.breaks_in_a_row = 0
        self.pushed_down = False

    def text(self, text: str, *, keeps_blanks: bool = False) -> None:
        """Inline text; blanks collapse unless `keeps_blanks`."""
        if not keeps_blanks:
            self._inline(text)
            return
        first, *rest = text.split("\n")
        self._inline(_BLANKS.sub(_KEPT_BLANK, first))
        for line in rest:
            self._end_line(always=True)
            self._inline(_BLANKS.sub(_KEPT_BLANK, line))

    def _inline(self, text: str) -> None:
        self.frames[-1].open_line.append(text)
        if self.breaks_in_a_row and not text.isspace() and text:
            self.pushed_down = self.pushed_down or self.breaks_in_a_row >= PUSHED_DOWN_LINES
            self.breaks_in_a_row = 0

    def line_break(self) -> None:
        """An explicit break, as `<br>` makes it."""
        self.breaks_in_a_row += 1
        self._end_line(always=True)

    def block(self) -> None:
        """The border of a block: what follows starts on a new line."""
        self._end_line()

    def gap(self) -> None:
        """The border of a paragraph: one blank line, never two."""
        self._end_line()
        lines = self.frames[-1].lines
        if lines and lines[-1]:
            lines.append("")

    def _end_line(self, always: bool = False) -> None:
        frame = self.frames[-1]
        line = " ".join("".join(frame.open_line).split()).replace(_KEPT_BLANK, " ") if frame.open_line else ""
        frame.open_line.clear()
        if line.strip() or always:
            frame.lines.append(line.rstrip())

    def open(self, kind: str) -> bool:
        """Opens a `quote`, `item`, `row` or `cell`; False if it is nested too deep to be shown as one."""
        if kind in ("quote", "item"):
            if self.prefixes >= PREFIXES_MAX:
                return False
            self.prefixes += 1
        self._end_line()
        self.frames.append(_Frame(kind))
        return True

    def close(self) -> None:
        """Closes what was opened last."""
        self._end_line()
        frame = self.frames.pop()
        lines = _trimmed(frame.lines)
        outer = self.frames[-1]
        if frame.kind == "cell" and outer.kind == "row":
            outer.cells.append(lines)
            return
        if frame.kind == "row":
            lines = _row(frame.cells) + lines
        elif frame.kind in ("quote", "item"):
            self.prefixes -= 1
            lines = _prefixed(lines, frame.kind)
        outer.lines.extend(lines)

    def result(self) -> str:
        """The whole text, with at most one blank line between paragraphs."""
        while len(self.frames) > 1:
            self.close()
        self._end_line()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.frames[0].lines)).strip("\n").strip()


def _trimmed(lines: list[str]) -> list[str]:
    start, end = 0, len(lines)
    while start < end and not lines[start]:
        start += 1
    while end > start and not lines[end - 1]:
        end -= 1
    return lines[start:end]


def _prefixed(lines: list[str], kind: str) -> list[str]:
    if kind == "quote":
        return [f"> {line}".rstrip() for line in lines]
    return [("- " if index == 0 else "  ") + line if line else line for index, line in enumerate(lines)]


def _row(cells: list[list[str]]) -> list[str]:
    """Short one-line cells side by side, as in a table of figures; layout cells below each other."""
    filled = [cell for cell in cells if cell]
    if len(filled) > 1 and all(len(cell) == 1 and len(cell[0]) <= CELL_CHARACTERS_MAX for cell in filled):
        return [" | ".join(cell[0] if cell else "" for cell in cells)]
    return [line for cell in filled for line in cell]
