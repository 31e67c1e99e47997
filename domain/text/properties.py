"""The CSS properties that can hide text, each read into the one thing the visible-text pass asks of it (HV2)."""

import re
from collections.abc import Callable, Iterable

from domain.text.colour import TRANSPARENT, UNKNOWN, Colour, parse_colour
from domain.text.geometry import (
    INHERIT,
    Effect,
    clip,
    clip_path,
    number,
    offset_of,
    scale,
    sides_of,
    transform,
    translate,
)
from domain.text.lengths import UNSURE, Length, parse_length, split_values

_DISPLAYS = frozenset(
    "none block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell"
    " table-row-group table-header-group table-footer-group table-column table-column-group table-caption list-item"
    " contents flow-root run-in initial inherit unset revert -webkit-box -webkit-inline-box -webkit-flex -ms-flexbox"
    " -webkit-inline-flex".split()
)
_FONT_KEYWORDS = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0, "initial": 16.0,
}
_FONT_RELATIVE = {"smaller": 0.83, "larger": 1.2, "inherit": 1.0, "unset": 1.0, "revert": 1.0}
_ALPHA_FILTER = re.compile(r"(?<![a-z])opacity\s*+(?:=\s*+(\d++)|\(([^()]*+)\))")


def _display(value: str) -> Iterable[Effect]:
    words = value.split()
    if words and all(word in _DISPLAYS or word in ("flow", "outside", "inside") for word in words):
        yield "display", words[0]
    elif "(" in value:
        yield "display", UNSURE


def _visibility(value: str) -> Iterable[Effect]:
    if value in ("hidden", "collapse", "visible"):
        yield "visibility", value
    elif value in ("inherit", "unset", "revert", "initial"):
        yield "visibility", "visible" if value == "initial" else INHERIT
    elif "(" in value:
        yield "visibility", UNSURE


def _opacity(value: str) -> Iterable[Effect]:
    share = 1.0 if value in ("initial", "unset", "inherit", "revert") else number(value)
    if share is not None:
        yield "opacity", share


def _font_size(value: str) -> Iterable[Effect]:
    if value in _FONT_KEYWORDS:
        yield "font-size", Length(px=_FONT_KEYWORDS[value])
    elif value in _FONT_RELATIVE:
        yield "font-size", Length(em=_FONT_RELATIVE[value])
    else:
        length = parse_length(value)
        if isinstance(length, Length):
            yield "font-size", Length(px=length.px, em=length.em + length.percent / 100)
        elif length is not None:
            yield "font-size", length


def _font(value: str) -> Iterable[Effect]:
    """The shorthand: the first part that is a size counts, with `/line-height` behind it."""
    for part in split_values(value.replace(" /", "/").replace("/ ", "/")):
        size, _, line = part.partition("/")
        if size.isdigit() and size != "0" and not line:
            continue
        effects = tuple(_font_size(size))
        if effects:
            yield from effects
            yield from _line_height(line or "normal")
            return


def _line_height(value: str) -> Iterable[Effect]:
    if value in ("normal", "initial"):
        yield "line-height", False
    elif value in ("inherit", "unset", "revert"):
        yield "line-height", INHERIT
    else:
        bare = number(value)
        length = parse_length(value)
        if isinstance(bare, float) and not value.endswith("%"):
            yield "line-height", bare <= 0.1
        elif isinstance(length, Length):
            yield "line-height", length.pixels(base_px=16) <= 1.0


def _colour_of(name: str) -> Callable[[str], Iterable[Effect]]:
    def read(value: str) -> Iterable[Effect]:
        if value in ("inherit", "unset", "revert", "currentcolor", "auto", "initial"):
            yield name, INHERIT if name != "background-color" else TRANSPARENT
            return
        colour = parse_colour(value, bare_hex=name != "text-fill" and not value.isalpha())
        if colour is not None:
            yield name, colour
    return read


def _background(value: str) -> Iterable[Effect]:
    """The shorthand: resets the colour, then takes the parts that are a colour or an image."""
    colour: Colour = TRANSPARENT
    for part in split_values(value):
        found = parse_colour(part) if not part.startswith(("url(", "image(")) and "gradient(" not in part else None
        colour = colour if found is None or (found is UNKNOWN and "var(" not in part) else found
    yield "background-color", colour
    yield "background-image", "url(" in value or "gradient(" in value or "image(" in value


def _background_image(value: str) -> Iterable[Effect]:
    yield "background-image", "(" in value


def _length_of(name: str) -> Callable[[str], Iterable[Effect]]:
    def read(value: str) -> Iterable[Effect]:
        unset = value in ("auto", "none", "initial", "unset", "inherit")
        length = Length(percent=100) if unset else parse_length(value)
        if length is not None:
            yield name, length
    return read


def _overflow(value: str) -> Iterable[Effect]:
    yield "overflow", any(word in ("hidden", "clip", "scroll", "auto") for word in value.split())


def _filter(value: str) -> Iterable[Effect]:
    found = _ALPHA_FILTER.search(value)
    share = number((found[1] and found[1] + "%") or found[2].strip() or "1") if found else 1.0
    yield "filter", share if isinstance(share, float) else UNSURE


def _keyword(name: str, hiding: str) -> Callable[[str], Iterable[Effect]]:
    def read(value: str) -> Iterable[Effect]:
        yield name, value == hiding
    return read


def _white_space(value: str) -> Iterable[Effect]:
    yield "white-space", INHERIT if value == "inherit" else value.startswith(("pre", "break-spaces"))


def _doubt_if(test: Callable[[str], bool]) -> Callable[[str], Iterable[Effect]]:
    """Properties that can make text unreadable in ways only a browser could judge."""
    def read(value: str) -> Iterable[Effect]:
        if test(value):
            yield "doubt", UNSURE
    return read


def _is_tight(value: str) -> bool:
    length = parse_length(value)
    return isinstance(length, Length) and length.pixels() <= -6


READERS: dict[str, Callable[[str], Iterable[Effect]]] = {
    "display": _display, "visibility": _visibility, "opacity": _opacity, "font-size": _font_size, "font": _font,
    "line-height": _line_height, "color": _colour_of("color"), "-webkit-text-fill-color": _colour_of("text-fill"),
    "background-color": _colour_of("background-color"), "background": _background,
    "background-image": _background_image, "overflow": _overflow, "overflow-x": _overflow, "overflow-y": _overflow,
    **{name: _length_of(name) for name in ("width", "height", "max-width", "max-height")},
    **{name: offset_of(name) for name in ("left", "top", "right", "bottom", "text-indent")},
    **{f"margin-{side}": offset_of(f"margin-{side}") for side in ("left", "top", "right", "bottom")},
    "margin": sides_of("margin-"), "inset": sides_of(""), "clip": clip, "clip-path": clip_path,
    "-webkit-clip-path": clip_path, "transform": transform, "-webkit-transform": transform,
    "-ms-transform": transform, "translate": translate, "scale": scale, "zoom": scale, "filter": _filter,
    "-ms-filter": _filter, "mso-hide": _keyword("mso-hide", "all"), "white-space": _white_space,
    "content-visibility": _keyword("content-visibility", "hidden"),
    "mask": _doubt_if(lambda value: value != "none"), "mask-image": _doubt_if(lambda value: value != "none"),
    "-webkit-mask-image": _doubt_if(lambda value: value != "none"),
    "z-index": _doubt_if(lambda value: value.startswith("-")), "letter-spacing": _doubt_if(_is_tight),
    "unicode-bidi": _doubt_if(lambda value: value.endswith("override")),
    "background-clip": _doubt_if(lambda value: value == "text"),
    "-webkit-background-clip": _doubt_if(lambda value: value == "text"),
}
