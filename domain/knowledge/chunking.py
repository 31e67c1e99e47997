"""Cuts a document into passages small enough to embed and to fit a briefing, each titled with the way to it.

Passages end at headings, else between blocks, else between sentences; only a single endless sentence is cut inside.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from domain.knowledge.blocks import Block, ReadDocument
from domain.knowledge.duplicates import fingerprint

MOST_CHARACTERS: Final = 1200
TITLE_MOST: Final = 300
PARTED_BY: Final = " > "
_SENTENCE_END = re.compile(r"(?<=[.!?…])[ \n]|(?<=[。！？])")
_BLANK = re.compile(r"[ \t\r\n\f\v\u00a0]+")


@dataclass(frozen=True, slots=True)
class Passage:
    """One entry to be. Equal title and digest mean the same passage, in whatever document it stands."""

    title: str
    content: str
    page: int | None = None

    @property
    def sha256(self) -> str:
        """Digest of the content, hex; blanks do not count."""
        return hashlib.sha256(normalised(self.content).encode()).hexdigest()

    @property
    def key(self) -> tuple[str, str]:
        """Title and digest."""
        return self.title, self.sha256

    @property
    def fingerprint(self) -> int:
        """64 bits that differ little between texts that differ little."""
        return fingerprint(self.content)

    @property
    def embedded_text(self) -> str:
        """What is embedded: the way to the text and the text."""
        return f"{self.title}\n{self.content}"


def normalised(text: str) -> str:
    """The text with every run of blanks as one blank."""
    return _BLANK.sub(" ", text).strip()


def passages(document: ReadDocument, name: str) -> list[Passage]:
    """The passages of a document called `name`, in order, none twice."""
    found: list[Passage] = []
    seen: set[tuple[str, str]] = set()
    titles: dict[str, int] = {}
    for blocks in _sections(document.blocks):
        title = _title(blocks[0].way, document.title or name)
        for text, page in _packed(blocks):
            number = titles.get(title, 0) + 1
            passage = Passage(title if number == 1 else f"{title} ({number})", text, page)
            if (title, passage.sha256) not in seen:
                found.append(passage)
                seen.add((title, passage.sha256))
                titles[title] = number
    return found


def _sections(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    section: list[Block] = []
    for block in blocks:
        if section and (block.opens or block.way != section[-1].way):
            yield section
            section = []
        section.append(block)
    if section:
        yield section


def _title(way: tuple[str, ...], name: str) -> str:
    steps = [normalised(step) for step in way]
    return (PARTED_BY.join(filter(None, steps)) or normalised(name))[:TITLE_MOST]


def _packed(blocks: Iterable[Block]) -> Iterator[tuple[str, int | None]]:
    """Pieces joined up to the most a passage may hold; the page is that of its beginning."""
    text, page = "", None
    for block in blocks:
        for piece in _pieces(block.text.strip("\n")):
            if text and len(text) + 2 + len(piece) > MOST_CHARACTERS:
                yield text, page
                text = ""
            text, page = (f"{text}\n\n{piece}", page) if text else (piece, block.page)
    if text:
        yield text, page


def _pieces(text: str) -> Iterator[str]:
    if len(text) <= MOST_CHARACTERS:
        yield from (text,) if text.strip() else ()
        return
    piece = ""
    for sentence in _sentences(text):
        if piece and len(piece) + 1 + len(sentence) > MOST_CHARACTERS:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}" if piece else sentence
    if piece:
        yield piece


def _sentences(text: str) -> Iterator[str]:
    for sentence in _SENTENCE_END.split(text):
        trimmed = sentence.strip()
        yield from (trimmed[start : start + MOST_CHARACTERS] for start in range(0, len(trimmed), MOST_CHARACTERS))
