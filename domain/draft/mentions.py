"""The small pieces every extractor works with: a token stream that is linear to make, and what a mention claims."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

Key = tuple[object, ...]
Keys = frozenset[Key]

# One flat alternation without nested repetition: linear on any input.
_TOKEN = re.compile(r"\d[\d.,'’]*|[^\W\d_]+|\S")
_NUMBER_TAIL = ".,'’"


class ItemKind(StrEnum):
    """What kind of statement was found in a text."""

    DATE = "date"
    TIME = "time"
    AMOUNT = "amount"
    PERCENT = "percent"
    QUANTITY = "quantity"
    NUMBER = "number"
    IDENTIFIER = "identifier"
    LINK = "link"
    EMAIL = "email"
    NAME = "name"
    PROMISE = "promise"


class Token(NamedTuple):
    """A number, a word or one other character; `start` and `end` are character offsets, `low` the case-folded text."""

    text: str
    low: str
    start: int
    end: int
    is_number: bool


class Mention(NamedTuple):
    """One statement in a text. As part of a source it proves `offers`; as part of a draft any of `accepts` proves
    it."""

    kind: ItemKind
    text: str
    start: int
    end: int
    offers: Keys
    accepts: Keys


class Taken:
    """Which characters of a text already belong to a mention; claiming costs the length of the span, nothing more."""

    def __init__(self, text: str) -> None:
        self._mask = bytearray(len(text))

    def claim(self, start: int, end: int) -> bool:
        """Take the span; False, and nothing taken, if part of it is taken already."""
        if self.touches(start, end):
            return False
        self._mask[start:end] = b"\x01" * (end - start)
        return True

    def touches(self, start: int, end: int) -> bool:
        """True if any character of the span is taken."""
        return any(self._mask[start:end])


class Match(NamedTuple):
    """What a parser read at a position: the index after its last token, and the keys of `Mention`."""

    kind: ItemKind
    after: int
    offers: Keys
    accepts: Keys


Parser = Callable[[Sequence[Token], int], Match | None]


def tokens_of(text: str) -> list[Token]:
    """Tokens of `text`; a number keeps inner separators and gives back trailing ones as tokens of their own."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        tokens.extend(_split(match.group(), match.start()))
    return tokens


def _split(piece: str, start: int) -> list[Token]:
    if not piece[0].isdecimal():
        return [Token(piece, piece.casefold(), start, start + len(piece), False)]
    number = piece.rstrip(_NUMBER_TAIL)
    end = start + len(number)
    rest = [Token(char, char, end + at, end + at + 1, False) for at, char in enumerate(piece[len(number) :])]
    return [Token(number, number, start, end, True), *rest]


def token_at(tokens: Sequence[Token], index: int) -> Token | None:
    """The token at `index`, or None outside the stream."""
    return tokens[index] if 0 <= index < len(tokens) else None


def low_at(tokens: Sequence[Token], index: int) -> str:
    """The case-folded text at `index`, empty outside the stream."""
    return tokens[index].low if 0 <= index < len(tokens) else ""


def touches(tokens: Sequence[Token], index: int) -> bool:
    """True if the token at `index` follows the one before it without a blank."""
    return 0 < index < len(tokens) and tokens[index - 1].end == tokens[index].start


def same(kind: ItemKind, after: int, *keys: Key) -> Match:
    """A match that offers exactly what it accepts."""
    return Match(kind, after, frozenset(keys), frozenset(keys))
