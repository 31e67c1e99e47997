"""Where a signature begins: the delimiter of RFC 3676, the line of a device, or a closing formula with a few short
lines below. A question never counts as part of a signature (MI18)."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.mail.quote_markers import CLOSINGS, DEVICE_SIGNATURES

_DELIMITED_LINES = 30
_CLOSING_LINES = 12
_LINE_CHARS = 100


class Signed(NamedTuple):
    """Lines of the text and lines of the signature below it."""

    text: list[str]
    signature: list[str]


def split_signature(lines: Sequence[str]) -> Signed:
    """`lines` parted before the signature; without one the second part is empty."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    first = max(end - 2 * _DELIMITED_LINES, 0)
    for place in range(first, end):
        if _begins_signature(lines, place, end):
            return Signed(list(lines[:place]), list(lines[place:end]))
    return Signed(list(lines[:end]), [])


def _begins_signature(lines: Sequence[str], place: int, end: int) -> bool:
    line = lines[place].strip()
    if not line:
        return False
    below = [each for each in lines[place + 1 : end] if each.strip()]
    if lines[place].rstrip() in ("--", "—", "–-", "__"):
        return len(below) <= _DELIMITED_LINES
    folded = line.casefold()
    if folded.startswith(DEVICE_SIGNATURES) and len(line) < _LINE_CHARS:
        return _is_short(below, 3)
    return folded.strip(" ,.!;:*_") in CLOSINGS and _is_short(below, _CLOSING_LINES)


def _is_short(lines: list[str], most: int) -> bool:
    return len(lines) <= most and all(len(line) <= _LINE_CHARS and "?" not in line for line in lines)
