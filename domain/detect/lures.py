"""The lure phrases of the packs, matched in one pass: which named reasons of a list stand in a text (P58)."""

from functools import cache

import re2

from domain.detect.packs.lures import LISTS
from domain.detect.phrases import pattern_of
from domain.text.fold import fold

LURE_CHARACTERS_MAX = 256 * 1024
NAME_CHARACTERS_MAX = 60


@cache
def _filter(name: str) -> re2.Filter:
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    matcher = re2.Filter()
    for phrase in LISTS[name]:
        matcher.Add(pattern_of(phrase, {}).encode(), options)
    matcher.Compile()
    return matcher


def lures_in(text: str, *names: str) -> dict[str, tuple[str, ...]]:
    """What the first 256 KiB of `text` says of each list of `names`: the words of each phrase's first match, once."""
    encoded = fold(text[:LURE_CHARACTERS_MAX]).encode(errors="replace")
    return {name: _found(name, encoded) for name in names}


def _found(name: str, encoded: bytes) -> tuple[str, ...]:
    matcher = _filter(name)
    matches = (matcher.re(index).search(encoded) for index in sorted(matcher.Match(encoded) or ()))
    words = (" ".join(match[0].decode(errors="replace").split()) for match in matches if match is not None)
    return tuple(dict.fromkeys(found[:NAME_CHARACTERS_MAX].strip(" .,:;-\"'") for found in words))
