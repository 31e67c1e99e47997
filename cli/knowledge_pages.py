"""Cuts help pages into entries: one per heading, titled with the way to it, small enough to fit a briefing.

Markdown with `#` and underlined headings, or plain text, which is one entry named after its file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from contracts.errors import DeskhandError

SUFFIXES: Final = frozenset({".md", ".markdown", ".txt"})
MOST_CHARACTERS: Final = 3000
TITLE_MOST: Final = 300
PARTED_BY: Final = " > "
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_CLOSING_MARKS = re.compile(r"[ \t]#+[ \t]*$")
_UNDERLINE = re.compile(r"(?:(=+)|-{2,})[ \t]*")
_NO_HEADING = ("    ", "\t", "|", ">", "- ", "* ", "#")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class UnreadablePage(DeskhandError):
    """A page that is no UTF-8 text, or cannot be opened; the message names it."""


@dataclass(frozen=True)
class Section:
    """One entry of a page: the way to it, and its text."""

    title: str
    content: str


@dataclass(frozen=True)
class Page:
    """A file and its entries."""

    file: Path
    sections: tuple[Section, ...]


def read_pages(paths: Sequence[Path]) -> list[Page]:
    """The pages below the paths, sorted; UnreadablePage names a file that is no text."""
    return [Page(file, tuple(sections_of(_text(file), file.stem))) for file in _files(paths)]


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
        else:
            yield path


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadablePage(f"{file} is no UTF-8 text. Convert it first.") from None
    except OSError as error:
        raise UnreadablePage(f"{file} cannot be read ({error.strerror}).") from None


def sections_of(text: str, name: str) -> Iterator[Section]:
    """The entries of a page called `name`; headings without text of their own only name what follows."""
    way: list[tuple[int, str]] = []
    body: list[str] = []
    for level, line in _marked_lines(_without_front_matter(text.splitlines())):
        if not level:
            body.append(line)
            continue
        yield from _entries(way, body, name)
        way = [*(step for step in way if step[0] < level), (level, line)]
        body = []
    yield from _entries(way, body, name)


def _entries(way: list[tuple[int, str]], body: list[str], name: str) -> Iterator[Section]:
    content = "\n".join(body).strip()
    title = PARTED_BY.join(step for _, step in way) or name
    for number, part in enumerate(_parts(content), start=1):
        shown = title[:TITLE_MOST] if number == 1 else f"{title[:TITLE_MOST]} ({number})"
        yield Section(shown, part)


def _parts(content: str) -> list[str]:
    """The text in pieces of at most MOST_CHARACTERS, cut between paragraphs, or inside one only if it is longer."""
    parts: list[str] = []
    for paragraph in _pieces(content):
        if parts and len(parts[-1]) + 2 + len(paragraph) <= MOST_CHARACTERS:
            parts[-1] += "\n\n" + paragraph
        else:
            parts.append(paragraph)
    return parts


def _pieces(content: str) -> Iterator[str]:
    for paragraph in content.split("\n\n"):
        text = paragraph.strip("\n")
        yield from (text[start : start + MOST_CHARACTERS] for start in range(0, len(text), MOST_CHARACTERS))


def _without_front_matter(lines: list[str]) -> list[str]:
    if lines[:1] == ["---"] and "---" in lines[1:]:
        return lines[lines.index("---", 1) + 1 :]
    return lines


def _marked_lines(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Each line with its heading level, 0 for text; inside a code fence nothing is a heading."""
    fence, is_underline = "", False
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if is_underline:
            is_underline = False
            continue
        level = 0 if fence else _underlined(before, line, after)
        is_underline = level > 0
        heading = None if fence or level else _HEADING.fullmatch(line)
        if heading:
            yield len(heading[1]), _CLOSING_MARKS.sub("", heading[2]).strip()
        else:
            yield level, line.strip() if level else line
        fence = _fence_after(fence, _FENCE.match(line))


def _underlined(before: str, line: str, after: str) -> int:
    """The level of a heading that is one line of its own with `===` or `---` below it; 0 for anything else."""
    mark = _UNDERLINE.fullmatch(after)
    if mark is None or before.strip() or not line.strip() or line.startswith(_NO_HEADING):
        return 0
    return 1 if mark[1] else 2


def _fence_after(fence: str, mark: "re.Match[str] | None") -> str:
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1][0] == fence[0] and len(mark[1]) >= len(fence) else fence
