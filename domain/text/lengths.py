"""CSS lengths as sums of pixels, ems and percent, so that `calc()` and friends cannot carry a hiding size past us."""

import re
from typing import NamedTuple

SCREEN_WIDTH_PX = 1000.0
SCREEN_HEIGHT_PX = 800.0
ROOT_FONT_PX = 16.0


class Length(NamedTuple):
    """`px + em * font size + percent / 100 * base`."""

    px: float = 0.0
    em: float = 0.0
    percent: float = 0.0

    def pixels(self, font_px: float = ROOT_FONT_PX, base_px: float = SCREEN_WIDTH_PX) -> float:
        """The computed length in CSS pixels."""
        return self.px + self.em * font_px + self.percent / 100 * base_px


class Unsure:
    """The type of UNSURE: a value that may be valid, but that only a browser could compute."""

    def __repr__(self) -> str:
        return "UNSURE"


UNSURE = Unsure()

_UNITS = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54,
    "rem": ROOT_FONT_PX, "vw": SCREEN_WIDTH_PX / 100, "vh": SCREEN_HEIGHT_PX / 100, "vmin": SCREEN_HEIGHT_PX / 100,
    "vmax": SCREEN_WIDTH_PX / 100, "": 1.0,
}
_EM_UNITS = {"em": 1.0, "ex": 0.5, "ch": 0.5}
_NUMBER = re.compile(r"([-+]?(?:\d++\.?+\d*+|\.\d++)(?:e[-+]?\d++)?)([a-z]*+|%)")
_FUNCTION = re.compile(r"(-webkit-calc|calc|min|max|clamp)\((.*)\)")
_NESTING_MAX = 8


def parse_length(value: str, depth: int = 0) -> Length | Unsure | None:
    """The length of lower-case `value`; None if it is not a length, UNSURE if only a browser could tell."""
    value = value.strip()
    simple = _NUMBER.fullmatch(value)
    if simple is not None:
        return _with_unit(float(simple[1]), simple[2])
    function = _FUNCTION.fullmatch(value)
    if function is None:
        return UNSURE if "(" in value else None
    return _calculated(function[1], function[2], depth) if depth < _NESTING_MAX else UNSURE


def _with_unit(number: float, unit: str) -> Length | None:
    if unit == "%":
        return Length(percent=number)
    if unit in _EM_UNITS:
        return Length(em=number * _EM_UNITS[unit])
    return Length(px=number * _UNITS[unit]) if unit in _UNITS else None


def _calculated(name: str, inside: str, depth: int) -> Length | Unsure | None:
    if name.endswith("calc"):
        return _sum(inside, depth)
    lengths = [_sum(part, depth) for part in _split(inside, ",")]
    known = [length for length in lengths if isinstance(length, Length)]
    if len(known) != len(lengths) or not known:
        return UNSURE
    if name == "clamp":
        return max(known[0], min(known[1:], key=Length.pixels), key=Length.pixels) if len(known) == 3 else None
    return min(known, key=Length.pixels) if name == "min" else max(known, key=Length.pixels)


def _sum(expression: str, depth: int) -> Length | Unsure | None:
    """A sum of products; division and anything nested deeper goes by UNSURE."""
    total, sign = Length(), 1.0
    for term in _split(expression, " "):
        if term in ("+", "-"):
            sign = 1.0 if term == "+" else -1.0
            continue
        length = parse_length(term[1:-1] if term.startswith("(") else term, depth + 1)
        if not isinstance(length, Length):
            return UNSURE
        total = Length(*(whole + sign * part for whole, part in zip(total, length, strict=True)))
    return total


def _split(text: str, separator: str) -> list[str]:
    """`text` cut at each `separator` that stands outside parentheses; empty pieces left out."""
    pieces, start, level = [], 0, 0
    for index, character in enumerate(text):
        level += (character == "(") - (character == ")")
        if character == separator and level == 0:
            pieces.append(text[start:index].strip())
            start = index + 1
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


def split_values(value: str) -> list[str]:
    """The space-separated parts of a CSS value, parentheses kept whole."""
    return _split(value, " ") if "(" in value else value.split()
