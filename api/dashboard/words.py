"""What the pages say, in the language of the reader: one catalogue per language, the same keys in each."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de")
FOLDER = Path(__file__).with_name("catalogues")
TAG = re.compile(r"^\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]{1,20})?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*$")
MOST_TAGS = 20


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """All sentences of one language by their keys."""
    found: Mapping[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found


class Words:
    """Sentences of one language, by key and fields; `<key>.one` is taken where `n` is 1 and it exists."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._known = catalogue(self.language)

    def __call__(self, key: str, **fields: Any) -> str:
        """The sentence; KeyError names a key that no catalogue has."""
        if fields.get("n") == 1 and f"{key}.one" in self._known:
            key = f"{key}.one"
        return self._known[key].format(**fields) if fields else self._known[key]

    def named(self, prefix: str, value: Any) -> str:
        """The word for a value of an enum, or the value itself where there is none."""
        return self._known.get(f"{prefix}.{value}", str(value).replace("_", " "))


def preferred(accept_language: str) -> str:
    """The language of ours that a browser likes best (RFC 9110 12.5.4)."""
    wanted: list[tuple[float, str]] = []
    for piece in accept_language.split(",")[:MOST_TAGS]:
        match = TAG.match(piece)
        if match and match[1].lower() in LANGUAGES:
            wanted.append((float(match[2] or 1), match[1].lower()))
    best = max(wanted, key=lambda one: one[0], default=(0.0, LANGUAGES[0]))
    return best[1] if best[0] > 0 else LANGUAGES[0]
