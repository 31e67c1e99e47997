"""What hides an element: the computed style of each element, inherited as in a browser, and the reasons of HV2."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from domain.text.colour import BLACK, CONTRAST_MIN, UNKNOWN, WHITE, Colour, contrast, over, parse_colour
from domain.text.css import Declaration
from domain.text.geometry import FAR_RIGHT_PX, INHERIT, OFF_SCREEN_PX, Value
from domain.text.lengths import SCREEN_HEIGHT_PX, SCREEN_WIDTH_PX, Length, Unsure, parse_length

Priority = tuple[int, ...]
Style = Mapping[str, Value]

OPACITY_MAX = 0.1
FONT_PX_MAX = 2.0
FONT_SHARE_MAX = 0.2
SCALE_MAX = 0.05
BOX_PX_MAX = 1.0
_FONT_ELEMENT_PX = {"1": 10.0, "2": 13.0, "3": 16.0, "4": 18.0, "5": 24.0, "6": 32.0, "7": 48.0}


@dataclass(frozen=True, slots=True)
class Look:
    """How text directly inside an element looks; `hidden_by` names what hides the whole subtree, children included."""

    hidden_by: str = ""
    invisible: bool = False
    opacity: float = 1.0
    scale: float = 1.0
    font_px: float = 16.0
    font_share: float = 1.0
    flat_line: bool = False
    indent_px: float = 0.0
    left_px: float = 0.0
    top_px: float = 0.0
    colour: Colour = BLACK
    fill: Colour | None = None
    background: Colour = WHITE
    behind_image: bool = False
    keeps_blanks: bool = False
    unsure: bool = False

    def reason(self) -> str:
        """Why text here is hidden; empty if a reader sees it."""
        if self.hidden_by:
            return self.hidden_by
        if self.invisible:
            return "visibility"
        if self.font_px <= FONT_PX_MAX or self.font_share <= FONT_SHARE_MAX or self.flat_line:
            return "size"
        if self.indent_px <= OFF_SCREEN_PX:
            return "off_screen"
        return "colour" if self._blends_in() else ""

    def _blends_in(self) -> bool:
        colour = self.colour if self.fill is None else self.fill
        if UNKNOWN in (colour, self.background):
            return False
        return colour.alpha == 0 or (not self.behind_image and contrast(colour, self.background) < CONTRAST_MIN)

    def is_doubtful(self) -> bool:
        """True if the text shows as far as we can tell, but only a browser could be sure (HV3)."""
        colours = (self.colour if self.fill is None else self.fill, self.background)
        return self.unsure or self.behind_image or UNKNOWN in colours


def cascade(sources: Iterable[tuple[Priority, Iterable[Declaration]]]) -> Style:
    """The winning value of each property; a source comes with its priority, and `!important` beats all of them."""
    won: dict[str, tuple[tuple[bool, Priority], Value]] = {}
    for priority, found in sources:
        for name, value, important in found:
            rank = (important, priority)
            if name not in won or won[name][0] <= rank:
                won[name] = (rank, value)
    return {name: value for name, (_, value) in won.items()}


_SIZED = frozenset("table td th".split())
_COLOURED = frozenset("body table thead tbody tfoot tr td th".split())
_ATTRIBUTE_TAGS = {
    "bgcolor": _COLOURED, "background": _COLOURED, "text": frozenset(["body"]), "color": frozenset(["font"]),
    "size": frozenset(["font"]), "width": _SIZED, "height": _SIZED,
}


def attribute_declarations(tag: str, attributes: Mapping[str, str | None]) -> list[Declaration]:
    """Presentational attributes (`bgcolor`, `width`, `<font color size>` ...) as declarations of the lowest rank."""
    found: list[Declaration] = []
    for attribute, value in attributes.items():
        if value and tag in _ATTRIBUTE_TAGS.get(attribute, ()):
            found += _attribute_value(attribute, value.strip().lower())
    return found


def _attribute_value(attribute: str, value: str) -> list[Declaration]:
    if attribute == "background":
        return [("background-image", True, False)]
    if attribute in ("bgcolor", "color", "text"):
        colour = parse_colour(value, bare_hex=True)
        name = "background-color" if attribute == "bgcolor" else "color"
        return [] if colour is None else [(name, colour, False)]
    if attribute == "size":
        size = _FONT_ELEMENT_PX.get(value)
        return [] if size is None else [("font-size", Length(px=size), False)]
    length = parse_length(value)
    return [(attribute, length, False)] if isinstance(length, Length) else []


def look_of(tag: str, attributes: Mapping[str, str | None], style: Style, parent: Look) -> Look:
    """The look of an element from its own style and that of its parent."""
    if "hidden" in attributes and style.get("display", "none") == "none":
        return replace(parent, hidden_by=parent.hidden_by or "attr")
    if not style:
        return parent
    look = _inherited(style, parent)
    own = _own_reason(tag, style, look) if not look.hidden_by else ""
    return replace(look, hidden_by=own) if own else look


def _inherited(style: Style, parent: Look) -> Look:
    """Everything that children take over."""
    changes: dict[str, object] = {}
    _read_font(style, parent, changes)
    _read_colours(style, parent, changes)
    match style.get("visibility"):
        case "hidden" | "collapse":
            changes["invisible"] = True
        case "visible":
            changes["invisible"] = False
    for name, field in (("opacity", "opacity"), ("filter", "opacity"), ("scale", "scale"), ("own-scale", "scale")):
        value = style.get(name)
        if isinstance(value, float):
            changes[field] = float(changes.get(field, getattr(parent, field))) * max(0.0, value)  # type: ignore[arg-type]
    indent = style.get("text-indent")
    if isinstance(indent, Length):
        changes["indent_px"] = indent.pixels(parent.font_px)
    for field, names in (("left_px", ("left", "margin-left")), ("top_px", ("top", "margin-top"))):
        shift = sum(_px(style.get(name), parent.font_px) for name in names)
        if shift:
            changes[field] = getattr(parent, field) + shift
    if isinstance(style.get("white-space"), bool):
        changes["keeps_blanks"] = style["white-space"]
    if _is_unsure(style):
        changes["unsure"] = True
    return replace(parent, **changes) if changes else parent  # type: ignore[arg-type]


_DOUBTFUL = ("display", "visibility", "opacity", "filter", "font-size", "text-indent", "clip-path", "doubt",
             "left", "top", "margin-left", "margin-top")


def _is_unsure(style: Style) -> bool:
    return any(isinstance(style.get(name), Unsure) for name in _DOUBTFUL)


def _read_font(style: Style, parent: Look, changes: dict[str, object]) -> None:
    size = style.get("font-size")
    if isinstance(size, Length):
        changes["font_px"] = size.pixels(parent.font_px)
        changes["font_share"] = 1.0 if size.px or not size.em else parent.font_share * size.em
    line = style.get("line-height")
    if isinstance(line, bool):
        changes["flat_line"] = line


def _read_colours(style: Style, parent: Look, changes: dict[str, object]) -> None:
    colour, fill, back = style.get("color"), style.get("text-fill"), style.get("background-color")
    if isinstance(colour, Colour):
        changes["colour"] = colour
    if isinstance(fill, Colour) or fill == INHERIT:
        changes["fill"] = fill if isinstance(fill, Colour) else None
    if isinstance(back, Colour) and back.alpha > 0:
        changes["background"] = back if UNKNOWN in (back, parent.background) else over(back, parent.background)
        changes["behind_image"] = parent.behind_image and back.alpha < 1
    if style.get("background-image") is True:
        changes["behind_image"] = True


def _own_reason(tag: str, style: Style, look: Look) -> str:
    """What this element's own style does to its whole subtree; empty if nothing."""
    if style.get("display") == "none" or style.get("mso-hide") is True or style.get("content-visibility") is True:
        return "display"
    if look.opacity <= OPACITY_MAX:
        return "opacity"
    if look.scale <= SCALE_MAX:
        return "size"
    if style.get("clip") is True or style.get("clip-path") is True:
        return "clip"
    if _is_off_screen(style, look):
        return "off_screen"
    return "box" if _is_shut_box(tag, style, look.font_px) else ""


def _px(value: Value | None, font_px: float) -> float:
    return value.pixels(font_px) if isinstance(value, Length) else 0.0


def _is_off_screen(style: Style, look: Look) -> bool:
    """Shifts of nested elements add up; a far right or bottom edge counts alone."""
    if style.get("translate") is True or style.get("own-translate") is True:
        return True
    edges = [_px(style.get(name), look.font_px) for name in ("right", "bottom")]
    return (
        min(look.left_px, look.top_px, *edges) <= OFF_SCREEN_PX or max(look.left_px, edges[0]) >= FAR_RIGHT_PX
    )


def _is_shut_box(tag: str, style: Style, font_px: float) -> bool:
    sides = {name: _side_px(style, name, font_px) for name in ("width", "height", "max-width", "max-height")}
    small = {name for name, pixels in sides.items() if pixels is not None and pixels <= BOX_PX_MAX}
    if small and style.get("overflow") is True:
        return True
    if tag not in ("td", "th"):
        return False
    width, height = sides["width"], sides["height"]
    return {width, height} <= {0.0, None} and (width, height) != (None, None)


def _side_px(style: Style, name: str, font_px: float) -> float | None:
    length = style.get(name)
    base_px = SCREEN_HEIGHT_PX if "height" in name else SCREEN_WIDTH_PX
    return length.pixels(font_px, base_px) if isinstance(length, Length) else None
