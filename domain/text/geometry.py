"""CSS geometry that can move or squeeze text out of sight: offsets, clips and transforms (HV2)."""

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from domain.text.colour import Colour
from domain.text.lengths import SCREEN_HEIGHT_PX, UNSURE, Length, Unsure, parse_length, split_values

Value = str | float | bool | Length | Colour | Unsure
Effect = tuple[str, Value]
INHERIT = "inherit"
T = TypeVar("T")
OFF_SCREEN_PX = -500.0
FAR_RIGHT_PX = 2000.0

_NUMBER = re.compile(r"[-+]?(?:\d++\.?+\d*+|\.\d++)(?:e[-+]?\d++)?%?")
_TRANSFORM = re.compile(r"(?<![a-z0-9])([a-z0-9]++)\(([^()]*+)\)")


def number(value: str) -> float | Unsure | None:
    """A plain number or a percentage as a share of one."""
    if _NUMBER.fullmatch(value) is None:
        return UNSURE if "(" in value else None
    return float(value[:-1]) / 100 if value.endswith("%") else float(value)


def offset_of(name: str) -> Callable[[str], Iterable[Effect]]:
    """Positions: `auto` is nowhere special; UNSURE stays, since a sum we cannot compute may lead off-screen."""
    def read(value: str) -> Iterable[Effect]:
        length = Length() if value in ("auto", "initial", "unset", "inherit", "revert") else parse_length(value)
        if length is not None:
            yield name, length
    return read


def _four(parts: list[T]) -> tuple[T, T, T, T]:
    """One to four CSS sides, filled up to top, right, bottom, left."""
    top = parts[0]
    right = parts[1] if len(parts) > 1 else top
    bottom = parts[2] if len(parts) > 2 else top
    return top, right, bottom, parts[3] if len(parts) > 3 else right


def sides_of(prefix: str) -> Callable[[str], Iterable[Effect]]:
    """A shorthand of one to four sides, such as `margin` or `inset`."""
    def read(value: str) -> Iterable[Effect]:
        parts = split_values(value)
        if not 1 <= len(parts) <= 4:
            return
        for side, part in zip(("top", "right", "bottom", "left"), _four(parts), strict=True):
            yield from offset_of(f"{prefix}{side}")(part)
    return read


def clip(value: str) -> Iterable[Effect]:
    """The old `clip: rect()`: true if nothing is left."""
    if value.startswith("rect("):
        edges = [parse_length(part) for part in value[5:].rstrip(")").replace(",", " ").split()]
        sides = [edge.pixels() for edge in edges if isinstance(edge, Length)]
        if len(sides) == 4:
            yield "clip", sides[2] - sides[0] <= 1 or sides[1] - sides[3] <= 1
    elif value in ("auto", "initial", "unset", "inherit"):
        yield "clip", False


def clip_path(value: str) -> Iterable[Effect]:
    """`clip-path`: true if nothing is left, UNSURE for paths."""
    shape, _, inside = value.partition("(")
    if shape in ("none", "initial", "unset"):
        yield "clip-path", False
    elif shape in ("inset", "circle", "ellipse", "polygon"):
        yield "clip-path", _shape_is_empty(shape, inside.rstrip(") ").partition(" round ")[0])
    elif inside:
        yield "clip-path", UNSURE


def _shape_is_empty(shape: str, inside: str) -> bool:
    if shape == "polygon":
        corners = {tuple(corner.split()) for corner in inside.split(",")}
        return len(corners) < 3
    lengths = [parse_length(part) for part in inside.partition(" at ")[0].split()]
    sizes = [length.pixels(base_px=SCREEN_HEIGHT_PX) for length in lengths if isinstance(length, Length)]
    if shape != "inset":
        return bool(sizes) and min(sizes) <= 1
    top, right, bottom, left = _four(sizes or [0.0])
    return top + bottom >= SCREEN_HEIGHT_PX - 1 or left + right >= SCREEN_HEIGHT_PX - 1


def transform(value: str) -> Iterable[Effect]:
    """The smallest scale of a transform and whether it moves off-screen; 3D and computed ones are in doubt."""
    factor, shifted = 1.0, False
    for name, inside in _TRANSFORM.findall(value):
        arguments = [part.strip() for part in inside.split(",")]
        if name.startswith("scale") or name == "matrix":
            picked = [arguments[0], arguments[3 if name == "matrix" and len(arguments) > 3 else -1]]
            factors = [share for share in map(number, picked) if isinstance(share, float)]
            factor *= min(map(abs, factors), default=1.0)
        elif name.startswith("translate"):
            shifted = shifted or any(_is_off_screen(part) for part in arguments)
        elif name in ("rotatex", "rotatey", "rotate3d", "matrix3d", "perspective"):
            yield "doubt", UNSURE
    yield "scale", factor
    yield "translate", shifted
    if "var(" in value or "calc(" in value:
        yield "doubt", UNSURE


def _is_off_screen(part: str) -> bool:
    length = parse_length(part)
    return isinstance(length, Length) and not OFF_SCREEN_PX < length.pixels() < FAR_RIGHT_PX


def translate(value: str) -> Iterable[Effect]:
    """The `translate` property: whether it moves off-screen."""
    yield "own-translate", any(_is_off_screen(part) for part in split_values(value))


def scale(value: str) -> Iterable[Effect]:
    """The `scale` and `zoom` properties: the smallest factor."""
    factors = [share for share in map(number, value.split()) if isinstance(share, float)]
    yield "own-scale", min(factors, default=1.0)
