"""Colours as mail writes them, and the contrast of text to what lies behind it, for the `colour` row of HV2."""

import re
from typing import NamedTuple

CONTRAST_MIN = 1.25

_NAMES = (
    "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4"
    " black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0"
    " chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff"
    " darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9"
    " darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000"
    " darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f"
    " darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969"
    " dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc"
    " ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080"
    " honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa"
    " lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff"
    " lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1"
    " lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899"
    " lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000"
    " mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371"
    " mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970"
    " mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000"
    " olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98"
    " paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd"
    " powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1"
    " saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0"
    " skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4"
    " tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff"
    " whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32"
    # System colours of a light desktop; Outlook writes `windowtext` into most of its mail.
    " windowtext 000000 window ffffff canvas ffffff canvastext 000000 buttontext 000000 buttonface f0f0f0"
    " linktext 0000ee field ffffff fieldtext 000000 graytext 808080"
    " infobackground ffffe1 infotext 000000 menutext 000000 menu f0f0f0"
).split()


class Colour(NamedTuple):
    """Red, green, blue from 0 to 255 and alpha from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE = Colour(255, 255, 255)
BLACK = Colour(0, 0, 0)
TRANSPARENT = Colour(0, 0, 0, 0)
UNKNOWN = Colour(-1, -1, -1)
"""A colour that may be valid but that only a browser could compute, such as `var(--x)` or `oklch()`."""

_BY_NAME = {
    name: Colour(int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16))
    for name, digits in zip(_NAMES[::2], _NAMES[1::2], strict=True)
}
_HEX = re.compile(r"#?([0-9a-f]{3,8})")
_FUNCTION = re.compile(r"(rgba?|hsla?)\(([^()]*)\)")
_NUMBER = re.compile(r"[-+]?(?:\d++\.?+\d*+|\.\d++)(?:e[-+]?\d++)?")


def parse_colour(value: str, *, bare_hex: bool = False) -> Colour | None:
    """The colour of lower-case `value`; None if it is no colour, UNKNOWN if only a browser could tell.

    `bare_hex` allows the digits without `#`, as the `bgcolor` and `color` attributes do.
    """
    value = value.strip()
    if value == "transparent":
        return TRANSPARENT
    if value in _BY_NAME:
        return _BY_NAME[value]
    digits = _HEX.fullmatch(value)
    if digits is not None and (bare_hex or value.startswith("#")):
        return _from_hex(digits[1])
    function = _FUNCTION.fullmatch(value)
    if function is not None:
        return _from_function(function[1][:3], function[2])
    return UNKNOWN if "(" in value else None


def _from_hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) not in (6, 8):
        return None
    channels = [int(digits[index:index + 2], 16) for index in range(0, len(digits), 2)]
    red, green, blue = channels[:3]
    return Colour(red, green, blue, channels[3] / 255 if len(channels) == 4 else 1.0)


def _from_function(kind: str, inside: str) -> Colour | None:
    parts = inside.replace("/", " ").replace(",", " ").split()
    if len(parts) not in (3, 4):
        return UNKNOWN if parts and not parts[0][:1].isdigit() else None
    alpha = _channel(parts[3], 1.0) if len(parts) == 4 else 1.0
    if kind == "rgb":
        channels = [_channel(part, 255.0) for part in parts[:3]]
    else:
        channels = [_degrees(parts[0]), _channel(parts[1], 100.0), _channel(parts[2], 100.0)]
    if alpha is None or None in channels:
        return UNKNOWN
    first, second, third = (channel or 0.0 for channel in channels)
    alpha = min(1.0, max(0.0, alpha))
    return Colour(first, second, third, alpha) if kind == "rgb" else _from_hsl(first, second, third, alpha)


def _channel(part: str, full: float) -> float | None:
    """A number, or a percentage of `full`, clamped to 0..full; None if it is neither."""
    if part == "none":
        return 0.0
    number = _NUMBER.fullmatch(part.removesuffix("%"))
    if number is None:
        return None
    value = float(number[0]) * (full / 100 if part.endswith("%") else 1.0)
    return min(full, max(0.0, value))


def _degrees(part: str) -> float | None:
    for unit, factor in (("deg", 1.0), ("grad", 0.9), ("rad", 57.29578), ("turn", 360.0), ("", 1.0)):
        if part.endswith(unit):
            number = _NUMBER.fullmatch(part[: len(part) - len(unit)])
            return None if number is None else float(number[0]) * factor % 360
    return None


def _from_hsl(hue: float, saturation: float, lightness: float, alpha: float) -> Colour:
    light, amount = lightness / 100, saturation / 100
    chroma = amount * min(light, 1 - light)

    def channel(offset: int) -> float:
        turn = (offset + hue / 30) % 12
        return 255 * (light - chroma * max(-1.0, min(turn - 3, 9 - turn, 1.0)))

    return Colour(channel(0), channel(8), channel(4), alpha)


def over(top: Colour, bottom: Colour) -> Colour:
    """`top` painted on an opaque `bottom`."""
    if top.alpha >= 1:
        return top
    keep = 1 - top.alpha
    return Colour(*(front * top.alpha + back * keep for front, back in zip(top[:3], bottom[:3], strict=True)))


def contrast(text: Colour, background: Colour) -> float:
    """Contrast ratio after WCAG 2, 1 (equal) to 21; `background` must be opaque."""
    first, second = _luminance(over(text, background)), _luminance(background)
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (_linear(channel / 255) for channel in colour[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
