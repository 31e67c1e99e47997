"""The small language in which packs write their phrases, and its translation into linear-time patterns (HD2, HX5).

A phrase is a row of words. `{name}` stands for one of the words of that list, `(a|b c)` for one of these, `[x]` may be
missing, `*3` allows up to three words of any kind, and a word may end in `~` for any ending. Blanks match any run of
blanks and of the marks that quoting, tables and emphasis put between words.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from domain.detect.families import Band, Family
from domain.text.normalise import fold

GAP_CHARACTERS = " \t\r\n\v\f|>*_~`'\",:;/\\()[]-"
GAP = r"[\s|>*_~`'\",:;/\\()\[\]-]*"
_ANY_WORD = rf"(?:[^\s.!?]+{GAP[:-1]}+)"
_TOKEN = re.compile(r"\s*+(?:\{(\w+)\}|\*(\d)|([\[\]()|])|([^\s\[\]()|{}]++))")


@dataclass(frozen=True, slots=True)
class Phrase:
    """One detector of a pack. `softened_by` is a pattern on the text right behind a hit that lowers it by one band.

    `not_before` and `not_after` are patterns on the text right before and behind a hit that make it no hit at all.
    An `everyday` phrase is too common in alt texts and preheaders to make hidden text suspicious.
    """

    id: str
    family: Family
    band: Band
    forms: tuple[str, ...]
    softened_by: str = ""
    not_before: str = ""
    not_after: str = ""
    raw: bool = False
    everyday: bool = False


@dataclass(frozen=True, slots=True)
class Pack:
    """The phrases of one language; `words` are the lists that forms refer to, `reporting` the verbs of telling."""

    language: str
    words: Mapping[str, tuple[str, ...]]
    phrases: tuple[Phrase, ...]
    reporting: tuple[str, ...] = ()


def pattern_of(form: str, words: Mapping[str, tuple[str, ...]], *, joined: bool = False) -> str:
    """The RE2 pattern of one form; `joined` is for text that lost its blanks. KeyError if it names an unknown list."""
    return _FormReader(words, joined).sequence(iter(_TOKEN.finditer(fold(form))))


class _FormReader:
    """Translates one form; every word carries its gap behind it, so that optional words take theirs along."""

    def __init__(self, words: Mapping[str, tuple[str, ...]], joined: bool) -> None:
        self.words, self.border = words, "" if joined else r"\b"

    def sequence(self, tokens: Iterator[re.Match[str]]) -> str:
        """Reads tokens up to a closing bracket."""
        branches: list[list[str]] = [[]]
        for token in tokens:
            name, any_words, mark, word = token.groups()
            if mark in ("]", ")"):
                break
            if mark == "|":
                branches.append([])
            elif mark in ("[", "("):
                branches[-1].append(self.sequence(tokens) + ("?" if mark == "[" else ""))
            else:
                branches[-1].append(self._unit(name, any_words, word))
        return "(?:" + "|".join("".join(branch) for branch in branches) + ")"

    def _unit(self, name: str | None, any_words: str | None, word: str | None) -> str:
        if any_words is not None:
            return f"{_ANY_WORD}{{0,{any_words}}}"
        if name is not None:
            return "(?:" + "|".join(self._words(entry) for entry in self.words[name]) + ")"
        return self._words(word or "")

    def _words(self, entry: str) -> str:
        return "".join(f"{self.border}{_escaped(word)}{self.border}{GAP}" for word in fold(entry).split())


def _escaped(word: str) -> str:
    return re.escape(word[:-1]) + r"\w*" if word.endswith("~") else re.escape(word)


def vocabulary(packs: tuple[Pack, ...]) -> frozenset[str]:
    """Every word of the packs' forms and lists, for undoing digit-for-letter swaps (HX3)."""
    texts = [form for pack in packs for phrase in pack.phrases if not phrase.raw for form in phrase.forms]
    texts += [entry for pack in packs for entries in pack.words.values() for entry in entries]
    return frozenset(word for text in texts for word in re.findall(r"[a-z]{3,}", fold(text)))
