"""Text as comparable words: case, accents and invisible signs gone, so that one cue list serves every spelling."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_WORD = re.compile(r"[a-z0-9%]+|[.!?;:\n\u00a1\u00bf\u2026]")
STOP = "|"
_SPELT_OUT = str.maketrans({"ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l"})
_SILENT = {"Mn", "Cf"}


def folded(text: str) -> str:
    """The words of a text, lower-case and bare of accents, each with a blank before and after it.

    A `|` stands between sentences, so that no phrase is found across their border.
    """
    parted = unicodedata.normalize("NFKD", text.casefold().translate(_SPELT_OUT))
    plain = "".join(sign for sign in parted if unicodedata.category(sign) not in _SILENT)
    return f" {' '.join(_pieces(plain))} "


def _pieces(plain: str) -> Iterator[str]:
    stopped = True
    for piece in _WORD.findall(plain):
        if piece[0].isalnum() or piece[0] == "%":
            yield piece
            stopped = False
        elif not stopped:
            yield STOP
            stopped = True


def visible(text: str) -> str:
    """The text without format characters, which no reader sees and which part words for a machine only."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


def matches(words: str, cues: tuple[str, ...]) -> int:
    """How many different cues begin a word of the folded text; a cue that ends in a blank must end the word, too."""
    return sum(f" {cue}" in words for cue in cues)


@cache
def cue_lists(file: str) -> Mapping[str, tuple[str, ...]]:
    """The cue lists of a data file, by group: folded word beginnings and phrases in all our languages."""
    return {group: tuple(cues) for group, cues in data_of(file).items()}


def data_of(file: str) -> dict[str, Any]:
    """A JSON file of the package's data folder."""
    found: dict[str, Any] = json.loads(files("offline").joinpath("data", file).read_text("utf-8"))
    return found
