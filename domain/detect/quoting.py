"""Whether a hit stands in quoted or reported text: a customer who shows us an attack is not the attacker (P54, HD3)."""

import re
from bisect import bisect_left

from domain.detect.patterns import reporting
from domain.text.fold import fold

BEFORE_CHARACTERS = 400
AFTER_CHARACTERS = 400
REPORTED_WITHIN = 90

_QUOTE_LINE = re.compile(r"[ \t]*>")
_FENCE = re.compile(r"(?:^|\n)[ \t]*(?:```|~~~)")


def code_fences(text: str) -> tuple[int, ...]:
    """Where the fences of code blocks stand; looked up once for all hits of a text."""
    return tuple(fence.start() for fence in _FENCE.finditer(text))


def is_quoted(text: str, start: int, end: int, fences: tuple[int, ...]) -> bool:
    """Whether `text[start:end]` is quoted by line mark, code block or quotation marks, or told as someone's words."""
    before = text[max(0, start - BEFORE_CHARACTERS):start]
    after = text[end:end + AFTER_CHARACTERS]
    line = before[before.rfind("\n") + 1:]
    if _QUOTE_LINE.match(line) or (not line.strip() and _QUOTE_LINE.match(text[start:end].lstrip("\n"))):
        return True
    if line.count("`") % 2 and "`" in after.partition("\n")[0]:
        return True
    fences_before = bisect_left(fences, start)
    in_block = fences_before % 2 == 1 and fences_before < len(fences)
    return in_block or _in_marks(before, after) or _is_reported(before)


def _in_marks(before: str, after: str) -> bool:
    """Between quotation marks within the same paragraph."""
    left, right = fold(before[before.rfind("\n\n") + 1:]), fold(after.partition("\n\n")[0])
    if left.count('"') % 2 == 1 and '"' in right:
        return True
    return left.rstrip(" ").endswith("'") and "'" in right


def _is_reported(before: str) -> bool:
    return reporting().search(fold(before[-REPORTED_WITHIN:]).encode(errors="replace")) is not None
