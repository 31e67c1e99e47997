"""Two texts in nearly the same words either say the same, or differ in the one thing that matters: a figure, a link, a
`not`. The first kind is merged, the second is put before a person (P107)."""

import re
from collections.abc import Iterator
from typing import Final

from domain.draft.commitment_words import NEGATORS, PRE_NEGATORS
from domain.draft.extraction import facts_in
from domain.draft.mentions import Keys, tokens_of
from domain.draft.number_words import is_number_word, value_of_words
from domain.knowledge.duplicates import fingerprint

_WORD: Final = re.compile(r"[\w'-]{1,60}")
_READ_CHARS: Final = 4_000


def contradict(one: str, other: str) -> bool:
    """True if near-identical texts state different figures, dates or links, or one denies what the other says."""
    one, other = one[:_READ_CHARS], other[:_READ_CHARS]
    return _figures(one) != _figures(other) or _denials(one) != _denials(other)


def _figures(text: str) -> Keys:
    stated = frozenset(key for mention in facts_in(text) for key in mention.offers)
    return stated | frozenset(("in words", value) for value in _values_in_words(text))


def _values_in_words(text: str) -> Iterator[int]:
    """`twelve rooms`; one and its articles tell nothing."""
    tokens, index = tokens_of(text), 0
    while index < len(tokens):
        found = None if tokens[index].is_number else value_of_words(tokens, index)
        if found and found[0] > 1:
            yield found[0]
        index = found[1] if found else index + 1


def shape(text: str) -> int:
    """The fingerprint of a text without its figures and denials, so that two that differ in those alone are near."""
    words = (word.lower() for word in _WORD.findall(text[:_READ_CHARS]))
    return fingerprint(" ".join(word for word in words if not _is_figure(word) and not _denies(word)))


def _is_figure(word: str) -> bool:
    return any(char.isdecimal() for char in word) or is_number_word(word)


def _denials(text: str) -> int:
    return sum(_denies(word.lower()) for word in _WORD.findall(text))


def _denies(word: str) -> bool:
    return word in NEGATORS or word in PRE_NEGATORS or word.endswith("n't")
