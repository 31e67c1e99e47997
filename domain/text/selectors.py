"""CSS selectors, so that a rule hides exactly the elements that it hides in a browser (HV3)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from domain.text.css import unescape

COMPOUNDS_MAX = 12

_TOKEN = re.compile(
    r"""\s*+([>+~])\s*+|(\s++)|([.#]?)((?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\.)++)|(\*)"""
    r"""|\[\s*+([\w-]++)\s*+(?:([~|^$*]?=)\s*+("[^"]*+"|'[^']*+'|[^\s\]]*+)\s*+[iIsS]?\s*+)?\]|(::?)([\w-]++)(\([^()]*+\))?+""",
    re.DOTALL,
)
_NEVER = frozenset("hover active focus focus-within focus-visible visited target checked disabled".split())
_PSEUDO_ELEMENTS = frozenset("before after first-line first-letter marker selection placeholder backdrop".split())


@dataclass(slots=True)
class Element:
    """The element being walked, with what selectors ask of it; `last_child` is the newest child element met so far."""

    tag: str
    attributes: Mapping[str, str | None]
    parent: "Element | None" = None
    previous: "Element | None" = None
    id: str = ""
    classes: frozenset[str] = frozenset()
    last_child: "Element | None" = None


def path_to(element: Element | None) -> str:
    """The last three steps to an element, such as `body>table>td.note`, at most 80 characters."""
    steps: list[str] = []
    while element is not None and len(steps) < 3:
        steps.append(f"{element.tag}.{min(element.classes)}" if element.classes else element.tag)
        element = element.parent
    return ">".join(reversed(steps))[:80]


@dataclass(frozen=True, slots=True)
class Compound:
    """A selector without combinators; `first` and `link` are the pseudo-classes `:first-child` and `:link`."""

    tag: str = ""
    id: str = ""
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    first: bool = False
    link: bool = False

    def matches(self, element: Element) -> bool:
        """Whether `element` alone satisfies this compound."""
        if (self.tag and self.tag != element.tag) or (self.id and self.id != element.id):
            return False
        if self.classes and not self.classes <= element.classes:
            return False
        if (self.first and element.previous is not None) or (self.link and "href" not in element.attributes):
            return False
        return all(_attribute_matches(element, *test) for test in self.attributes)


def _attribute_matches(element: Element, name: str, operator: str, wanted: str) -> bool:
    if name not in element.attributes:
        return False
    value = (element.attributes[name] or "").lower()
    match operator:
        case "":
            return True
        case "=":
            return value == wanted
        case "~=":
            return wanted in value.split()
        case "|=":
            return value == wanted or value.startswith(wanted + "-")
        case "^=":
            return bool(wanted) and value.startswith(wanted)
        case "$=":
            return bool(wanted) and value.endswith(wanted)
    return bool(wanted) and wanted in value


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from right to left; `combinators[i]` joins compound i to compound i + 1."""

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...]
    specificity: tuple[int, int, int]


class NotUnderstood(Exception):
    """A selector that only a browser could judge."""


def split_list(selectors: str) -> list[str]:
    """The selectors of a list, cut at commas outside brackets and parentheses."""
    pieces, level, start = [], 0, 0
    for index, character in enumerate(selectors):
        level += (character in "[(") - (character in "])")
        if character == "," and level <= 0:
            pieces.append(selectors[start:index])
            start = index + 1
    return [*pieces, selectors[start:]]


def parse_selector(text: str, *, quirks: bool = False) -> Selector | None:
    """The selector of `text`; None if it can never match a resting page, NotUnderstood if we cannot judge it."""
    reader = _SelectorReader(quirks)
    position, text = 0, text.strip()
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None or token.end() == position:
            raise NotUnderstood(text[:80])
        reader.take(token)
        position = token.end()
    return reader.selector()


class _SelectorReader:
    """Builds a selector from its tokens, left to right."""

    def __init__(self, quirks: bool) -> None:
        self.quirks = quirks
        self.compounds: list[Compound] = []
        self.combinators: list[str] = []
        self.never = False
        self.score = [0, 0, 0]
        self._start()

    def _start(self) -> None:
        self.tag, self.id, self.first, self.link, self.empty = "", "", False, False, True
        self.classes: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []

    def take(self, token: re.Match[str]) -> None:
        """Adds one token to the compound at hand, or closes it at a combinator."""
        combinator, blank, mark, name, star, attribute, operator, value, colons, pseudo, argument = token.groups()
        if combinator or blank:
            self._close(combinator or " ")
            return
        self.empty = False
        if name is not None:
            self._name(mark, unescape(name))
        elif attribute is not None:
            self.attributes.append((attribute.lower(), operator or "", unescape((value or "").strip("\"'")).lower()))
            self.score[1] += 1
        elif star is None:
            self._pseudo(colons, pseudo.lower(), argument)

    def _name(self, mark: str, name: str) -> None:
        if not mark:
            self.tag = name.lower()
        elif mark == "#":
            self.id = name.lower() if self.quirks else name
        else:
            self.classes.add(name.lower() if self.quirks else name)
        self.score[{"": 2, "#": 0, ".": 1}[mark]] += 1

    def _pseudo(self, colons: str, name: str, argument: str | None) -> None:
        if name in _NEVER or name in _PSEUDO_ELEMENTS:
            self.never = True
        elif name in ("link", "any-link"):
            self.link = True
        elif name == "root":
            self.tag = "html"
        elif name == "first-child":
            self.first = True
        else:
            raise NotUnderstood(f"{colons}{name}{argument or ''}"[:80])
        self.score[1] += 1

    def _close(self, combinator: str) -> None:
        if self.empty or len(self.compounds) >= COMPOUNDS_MAX:
            raise NotUnderstood(combinator)
        self.compounds.append(
            Compound(self.tag, self.id, frozenset(self.classes), tuple(self.attributes), self.first, self.link)
        )
        self.combinators.append(combinator)
        self._start()

    def selector(self) -> Selector | None:
        """The finished selector, right to left."""
        self._close("")
        ids, classes, tags = self.score
        compounds, combinators = tuple(reversed(self.compounds)), tuple(reversed(self.combinators[:-1]))
        return None if self.never else Selector(compounds, combinators, (ids, classes, tags))
