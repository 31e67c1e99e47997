"""Style declarations and sheets as a browser would read them, as far as hiding text is concerned (HV2, HV3)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from domain.text.geometry import Value
from domain.text.lengths import SCREEN_WIDTH_PX, UNSURE, Length, parse_length
from domain.text.properties import READERS

VALUE_CHARACTERS_MAX = 4_000
RULES_MAX = 20_000
NESTING_MAX = 4

_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+")
_PIECE = re.compile(
    r""""[^"]*+"?+|'[^']*+'?+|\((?:[^()"']++|"[^"]*+"?+|'[^']*+'?+)*+\)?+|;|[^;"'(]++"""
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_IMPORTANT = re.compile(r"!\s*+important\Z")
_STRUCTURE = re.compile(r""""[^"\n]*+"?+|'[^'\n]*+'?+|\\.|[{};]""", re.DOTALL)
_FEATURE = re.compile(r"\(\s*+([a-z-]++)\s*+(?::\s*+([^()]*+(?:\([^()]*+\))?+))?\s*+\)")

Declaration = tuple[str, Value, bool]


@dataclass(frozen=True, slots=True)
class StyleRule:
    """One selector list with the declarations that matter; `applies` is None if we cannot judge the media query."""

    selectors: str
    declarations: tuple[Declaration, ...]
    applies: bool | None = True


@dataclass(slots=True)
class StyleSheet:
    """The rules of a `<style>` element in order, and what in it is no rule: comments and words outside braces."""

    rules: list[StyleRule] = field(default_factory=list)
    leftover: list[str] = field(default_factory=list)


def unescape(text: str) -> str:
    """CSS text with its backslash escapes resolved."""
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[2]
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def declarations(style: str) -> tuple[Declaration, ...]:
    """The hiding-related `(property, value, important)` of a declaration list; invalid values are dropped."""
    return tuple(_declarations(style))


def _declarations(style: str) -> Iterator[Declaration]:
    if "/*" in style:
        style = _COMMENT.sub(" ", style)
    for piece in _pieces(style):
        name, colon, value = piece.partition(":")
        name = unescape(name).strip().lower()
        read = READERS.get(name)
        if read is None or not colon:
            continue
        value = unescape(value).strip().lower()
        important = _IMPORTANT.search(value[-40:]) is not None
        value = value[: value.rindex("!")].rstrip() if important else value
        if len(value) > VALUE_CHARACTERS_MAX:
            yield ("background-image", True, important) if name.startswith("background") else ("doubt", UNSURE, False)
            continue
        for effect, parsed in read(value):
            yield effect, parsed, important


def _pieces(style: str) -> list[str]:
    """The declarations of a list, cut at each semicolon outside quotes and parentheses."""
    if not any(mark in style for mark in "\"'("):
        return style.split(";")
    pieces: list[str] = []
    current: list[str] = []
    for part in _PIECE.findall(style):
        if part == ";":
            pieces.append("".join(current))
            current = []
        else:
            current.append(part)
    pieces.append("".join(current))
    return pieces


def parse_sheet(source: str) -> StyleSheet:
    """The rules of `source`; at-rules other than a judged `@media` mark their hiding rules as unsure."""
    comments = (comment.removeprefix("/*").removesuffix("*/") for comment in _COMMENT.findall(source))
    sheet = StyleSheet([], [comment.strip() for comment in comments if _has_words(comment)])
    text = _COMMENT.sub(" ", source).replace("<!--", " ").replace("-->", " ")
    _SheetReader(text, sheet).read()
    return sheet


def _has_words(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= 2


class _SheetReader:
    """Walks the braces of one sheet; `conditions` holds the verdict of each open at-rule."""

    def __init__(self, text: str, sheet: StyleSheet) -> None:
        self.text, self.sheet = text, sheet
        self.conditions: list[bool | None] = []
        self.prelude_start = 0

    def read(self) -> None:
        """Collects rules until the text or a limit ends."""
        position = 0
        while (mark := _STRUCTURE.search(self.text, position)) is not None and len(self.sheet.rules) < RULES_MAX:
            position = mark.end()
            if mark[0] == "{":
                position = self._open(mark.start())
            elif mark[0] == "}":
                self._close()
            if mark[0] in "{};":
                self._skip_statement(mark, position)
        self._keep_leftover(self.text[self.prelude_start:])

    def _skip_statement(self, mark: re.Match[str], position: int) -> None:
        if mark[0] == ";" and not self.text[self.prelude_start:mark.start()].lstrip().startswith("@"):
            self._keep_leftover(self.text[self.prelude_start:mark.start()])
        self.prelude_start = position

    def _open(self, brace: int) -> int:
        """Handles `prelude {`; returns where to read on."""
        prelude = self.text[self.prelude_start:brace].strip()
        if prelude.startswith("@"):
            return self._open_at_rule(prelude.lower(), brace + 1)
        end = self._block_end(brace + 1)
        body = self.text[brace + 1:end]
        if "{" in body and len(self.conditions) < NESTING_MAX:
            self._add(prelude, body.partition("{")[0], None)
            self.conditions.append(None)
            return brace + 1
        self._add(prelude, body, self._applies())
        return min(len(self.text), end + 1)

    def _open_at_rule(self, prelude: str, inside: int) -> int:
        name = prelude[1:].partition(" ")[0].partition("(")[0]
        if name == "media" and len(self.conditions) < NESTING_MAX:
            self.conditions.append(media_applies(prelude[6:]))
            return inside
        if name in ("supports", "layer", "container", "scope", "-moz-document") and len(self.conditions) < NESTING_MAX:
            self.conditions.append(None)
            return inside
        return min(len(self.text), self._block_end(inside) + 1)

    def _block_end(self, position: int) -> int:
        """The offset of the brace that closes the block opened before `position`; the end of the text if none does."""
        level = 1
        while (mark := _STRUCTURE.search(self.text, position)) is not None:
            level += (mark[0] == "{") - (mark[0] == "}")
            if level == 0:
                return mark.start()
            position = mark.end()
        return len(self.text)

    def _applies(self) -> bool | None:
        if False in self.conditions:
            return False
        return None if None in self.conditions else True

    def _add(self, prelude: str, body: str, applies: bool | None) -> None:
        if applies is not False and (found := declarations(body)):
            self.sheet.rules.append(StyleRule(prelude, found, applies))

    def _close(self) -> None:
        if self.conditions:
            self.conditions.pop()

    def _keep_leftover(self, text: str) -> None:
        if _has_words(text) and "{" not in text:
            self.sheet.leftover.append(text.strip())


def media_applies(query: str) -> bool | None:
    """Whether a media query list holds on a light screen of 1,000 px; None if we do not understand it."""
    verdicts = [_one_query(part.strip()) for part in query.split(",")]
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _one_query(query: str) -> bool | None:
    words = _FEATURE.sub(" ", query).split()
    negated = "not" in words
    types = [word for word in words if word not in ("only", "and", "not")]
    features = [_feature_holds(name, value.strip()) for name, value in _FEATURE.findall(query)]
    known = [kind in ("all", "screen") for kind in types if kind in _MEDIA_TYPES]
    if len(known) < len(types) or None in features:
        return False if False in known or False in features else None
    holds = all(known) and all(features)
    return holds != negated


_MEDIA_TYPES = frozenset("all screen print speech aural braille embossed handheld projection tty tv".split())
_KEYWORD_FEATURES = {
    "prefers-color-scheme": "light", "orientation": "landscape", "hover": "hover", "pointer": "fine",
    "any-hover": "hover", "any-pointer": "fine", "prefers-reduced-motion": "no-preference", "scripting": "none",
}


def _feature_holds(name: str, value: str) -> bool | None:
    if name in _KEYWORD_FEATURES:
        return value == _KEYWORD_FEATURES[name]
    bound, _, measured = name.partition("-")
    length = parse_length(value)
    if measured in ("width", "device-width") and isinstance(length, Length):
        if bound == "min":
            return SCREEN_WIDTH_PX >= length.pixels()
        return SCREEN_WIDTH_PX <= length.pixels() if bound == "max" else None
    return None
