"""The lure phrases of the packs, matched in one pass: which named reasons of a list stand in a text (P58)."""

from collections.abc import Sequence
from functools import cache

import re2

from domain.detect.packs.lures import LISTS
from domain.detect.phrases import pattern_of
from domain.text.fold import fold

LURE_CHARACTERS_MAX = 256 * 1024
NAME_CHARACTERS_MAX = 60


@cache
def _filter(name: str) -> tuple[re2.Filter, Sequence[str]]:
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    phrases = LISTS[name]
    matcher = re2.Filter()
    for phrase in phrases:
        matcher.Add(pattern_of(phrase, {}).encode(), options)
    matcher.Compile()
    return matcher, phrases


def lures_in(name: str, text: str) -> tuple[str, ...]:
    """The distinct phrases of the list `name` that stand in the first 256 KiB of `text`, as the pack writes them."""
    matcher, phrases = _filter(name)
    found = matcher.Match(fold(text[:LURE_CHARACTERS_MAX]).encode(errors="replace"))
    return tuple(phrases[index][:NAME_CHARACTERS_MAX] for index in sorted(found or ()))
