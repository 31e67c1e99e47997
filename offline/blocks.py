"""Third-party text arrives in marked blocks; reading them exactly is what keeps that text in its place (HW1)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_OPENING = re.compile(r"<<<BLOCK name=([a-z][a-z0-9_]{0,39}) marker=([0-9a-f]{16,64})>>>")


@dataclass(frozen=True, slots=True)
class Block:
    """One block's name and its text, without border lines."""

    name: str
    text: str


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a user message. Only the end line with the opening line's own marker closes one; a block that is
    never closed reaches to the end of the text. Lines between blocks are left out."""
    return tuple(_read(iter(text.split("\n"))))


def named(blocks: Iterable[Block], *names: str) -> str | None:
    """The text of the first block that bears one of the names, None if there is none."""
    return next((block.text for block in blocks if block.name in names), None)


def _read(lines: Iterator[str]) -> Iterator[Block]:
    for line in lines:
        opening = _OPENING.fullmatch(line)
        if opening:
            yield Block(opening[1], "\n".join(_content(lines, f"<<<END marker={opening[2]}>>>")))


def _content(lines: Iterator[str], end: str) -> Iterator[str]:
    for line in lines:
        if line == end:
            return
        yield line
