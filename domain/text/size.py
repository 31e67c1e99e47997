"""The size of an HTML tree before it is built, because building takes quadratic time on hostile markup (HV6)."""

import re
from collections import Counter
from dataclasses import dataclass

from domain.text.tags import Tag, tags

ELEMENTS_MAX = 50_000
DEPTH_MAX = 256
STYLE_CHARACTERS_MAX = 2 * 1024 * 1024
ATTRIBUTES_PER_TAG_MAX = 256
TAG_CHARACTERS_MAX = 1_000_000
HTML_CHARACTERS_MAX = 8 * 1024 * 1024

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
SPECIAL = frozenset(
    "address applet article aside base basefont bgsound blockquote body br button caption center col colgroup dd"
    " details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header"
    " hgroup hr html iframe img input li link listing main marquee menu meta nav noembed noframes noscript object ol p"
    " param plaintext pre script search section select style summary table tbody td template textarea tfoot th thead"
    " title tr ul wbr xmp".split()
)
_MARKERS = frozenset("td th caption object applet marquee template".split())
_CLOSES_P = frozenset(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1"
    " h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul".split()
)
_ROW = frozenset(["tr", "td", "th"])
_SECTION = _ROW | {"thead", "tbody", "tfoot"}
_CLOSED_BY_OPENING = {name: frozenset(["p"]) for name in _CLOSES_P} | {
    "li": frozenset(["li", "p"]), "dt": frozenset(["dt", "dd", "p"]), "dd": frozenset(["dt", "dd", "p"]),
    "tr": _ROW, "td": frozenset(["td", "th"]), "th": frozenset(["td", "th"]), "option": frozenset(["option"]),
    "thead": _SECTION, "tbody": _SECTION, "tfoot": _SECTION,
}
_ATTRIBUTE = re.compile(
    r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+"""
)


@dataclass(frozen=True, slots=True)
class HtmlSize:
    """What the pre-scan found; `elements` counts those that unclosed formatting makes the tree builder repeat."""

    elements: int
    depth: int
    style_characters: int
    attributes: int
    tag_characters: int
    foreign: bool

    @property
    def too_big(self) -> bool:
        """True when the full pass must not run (HV6)."""
        return (
            self.elements > ELEMENTS_MAX or self.depth > DEPTH_MAX or self.style_characters > STYLE_CHARACTERS_MAX
            or self.attributes > ATTRIBUTES_PER_TAG_MAX or self.tag_characters > TAG_CHARACTERS_MAX or self.foreign
        )


def html_size(html: str) -> HtmlSize:
    """Counts of `html` in one linear pass, stopping as soon as a limit is passed."""
    lowered = html.lower()
    foreign_names = "<svg" in lowered or "<math" in lowered
    counter = _Counter()
    previous_style = -1
    for tag in tags(html, raw_text=not foreign_names):
        if tag.name == "style":
            counter.style_characters += tag.start - previous_style if tag.closing and previous_style >= 0 else 0
            previous_style = -1 if tag.closing else tag.end
        if counter.take(html, tag):
            break
    if previous_style >= 0:
        counter.style_characters += len(html) - previous_style
    return HtmlSize(
        counter.elements, counter.depth_max, counter.style_characters, counter.attributes, counter.tag_characters,
        foreign=foreign_names and "<![cdata[" in lowered,
    )


class _Element:
    """One open or remembered element; `raw` is its source text, by which identical formatting is told."""

    __slots__ = ("name", "open", "raw")

    def __init__(self, name: str, raw: str) -> None:
        self.name, self.raw, self.open = name, raw, True


class _Counter:
    """The stack of open elements and the formatting that a browser opens again in the next container."""

    def __init__(self) -> None:
        self.stack: list[_Element] = []
        self.names: Counter[str] = Counter()
        self.formatting: list[list[_Element]] = [[]]
        self.dangling = self.position = 0
        self.elements = self.depth_max = self.style_characters = self.attributes = self.tag_characters = 0

    def take(self, html: str, tag: Tag) -> bool:
        """Counts one tag and the text before it; True when a limit is passed."""
        if self.dangling and not html[self.position:tag.start].isspace() and self.position < tag.start:
            self._reopen()
        self.position = tag.end
        if tag.closing:
            self._close(tag.name)
        else:
            self._open(html, tag)
        return (
            self.elements > ELEMENTS_MAX or len(self.stack) > DEPTH_MAX or self.attributes > ATTRIBUTES_PER_TAG_MAX
        )

    def _open(self, html: str, tag: Tag) -> None:
        self.elements += 1
        if tag.end - tag.start > 2 * ATTRIBUTES_PER_TAG_MAX:
            self.attributes = max(self.attributes, _attribute_count(html, tag))
            self.tag_characters = max(self.tag_characters, tag.end - tag.start)
        if tag.name in VOID:
            return
        self._close_implied(tag.name)
        if self.dangling and tag.name not in SPECIAL:
            self._reopen()
        element = _Element(tag.name, "")
        if tag.name in FORMATTING:
            element.raw = html[tag.start:tag.end]
            self._remember(element)
        elif tag.name in _MARKERS:
            self.formatting.append([])
        self._push(element)

    def _close_implied(self, name: str) -> None:
        """Closes what this start tag ends by itself: an open paragraph, list item, cell or row."""
        closes = _CLOSED_BY_OPENING.get(name)
        if not closes or not any(self.names[ended] for ended in closes):
            return
        for index in range(len(self.stack) - 1, -1, -1):
            inner = self.stack[index].name
            if inner in closes:
                self._pop_to(index)
            elif inner in SPECIAL:
                return

    def _remember(self, element: _Element) -> None:
        twins = [known for known in self.formatting[-1] if known.raw == element.raw]
        if len(twins) >= 3:
            self.formatting[-1].remove(twins[0])
            self.dangling -= not twins[0].open
        self.formatting[-1].append(element)

    def _reopen(self) -> None:
        for element in self.formatting[-1]:
            if not element.open:
                element.open = True
                self.elements += 1
                self._push(element)
        self.dangling = 0

    def _push(self, element: _Element) -> None:
        self.stack.append(element)
        self.names[element.name] += 1
        self.depth_max = max(self.depth_max, len(self.stack))

    def _close(self, name: str) -> None:
        if not self.names[name]:
            return
        index = len(self.stack) - 1
        while self.stack[index].name != name:
            index -= 1
        if name in FORMATTING:
            self._forget(self.stack.pop(index))
        elif name in SPECIAL or not any(inner.name in SPECIAL for inner in self.stack[index + 1:]):
            self._pop_to(index)

    def _forget(self, element: _Element) -> None:
        self.names[element.name] -= 1
        for scope in self.formatting:
            if element in scope:
                scope.remove(element)

    def _pop_to(self, index: int) -> None:
        while len(self.stack) > index:
            self._pop()

    def _pop(self) -> None:
        element = self.stack.pop()
        self.names[element.name] -= 1
        element.open = False
        if element.name in _MARKERS and len(self.formatting) > 1:
            self.formatting.pop()
            self.dangling = sum(not known.open for known in self.formatting[-1])
        elif element.raw and element in self.formatting[-1]:
            self.dangling += 1


def _attribute_count(html: str, tag: Tag) -> int:
    count = 0
    for _ in _ATTRIBUTE.finditer(html, tag.start + 1 + len(tag.name), tag.end - 1):
        count += 1
        if count > ATTRIBUTES_PER_TAG_MAX:
            break
    return count
