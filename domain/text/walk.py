"""One walk over the tree of an HTML part, sorting each piece of text into visible, hidden or attribute text (HV1)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from contracts.mail import HiddenPassage
from domain.text.css import Declaration, StyleRule, declarations, media_applies, parse_sheet
from domain.text.hiding import Look, Style, attribute_declarations, cascade, look_of
from domain.text.passages import HiddenText, has_words
from domain.text.readable import LineWriter
from domain.text.rules import RuleIndex
from domain.text.selectors import Element, path_to
from domain.text.tags import strip_tags_crudely

NEVER_SHOWN = frozenset(
    "head title style script template noscript svg math object iframe applet embed textarea select datalist option"
    " audio video canvas map noframes noembed rp".split()
)
PARAGRAPHS = frozenset("p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre".split())
BLOCKS = PARAGRAPHS | frozenset(
    "address article aside body center dd details dialog dir div dt fieldset figcaption figure footer form header"
    " hgroup hr html legend li main menu nav section summary thead tbody tfoot tr caption".split()
)
STYLES_MAX = 10_000
ATTRIBUTES_MAX = 5_000
_FRAMES = {"blockquote": "quote", "li": "item", "tr": "row", "td": "cell", "th": "cell"}
_CONDITION = re.compile(r"\s*\[if\s[^\]]*\]>", re.IGNORECASE)
_CONDITION_END = re.compile(r"<!\[endif\]\s*\Z", re.IGNORECASE)
_STANDARDS = re.compile(r"\s*<!doctype\s+html", re.IGNORECASE)
_NO_STYLE: Style = {}
_LINK_STYLE: tuple[Declaration, ...] = declarations("color:#0000ee")


@dataclass(slots=True)
class _Place:
    """Where the walk stands: the look of text here and the element that holds it."""

    look: Look
    element: Element | None
    frames: int = 0
    paragraph: bool = False
    block: bool = False


class PageWalk:
    """The state of one walk; read its results after `run`."""

    def __init__(self, html: str) -> None:
        self.quirks = _STANDARDS.match(html[:2000]) is None
        self.rules = RuleIndex(quirks=self.quirks)
        self.writer = LineWriter()
        self.maybe_hidden = False
        self.hidden = HiddenText()
        self.attributes: list[HiddenPassage] = []
        self._styles: dict[str, tuple[Declaration, ...]] = {}
        self._cascaded: dict[object, Style] = {}
        self._looks: dict[object, tuple[Look, Look]] = {}
        self._sheet_leftover: dict[int, list[str]] = {}

    @property
    def exhausted(self) -> bool:
        """True when the styles cost more than a mail may ask for; then the results are not complete."""
        return self.rules.exhausted or len(self._styles) > STYLES_MAX

    def run(self, tree: LexborHTMLParser) -> None:
        """Walks the whole tree."""
        for style in tree.css("style"):
            self._take_sheet(style)
        if tree.root is not None:
            self._walk(_siblings(tree.root))
        self.maybe_hidden = self.maybe_hidden or self.rules.unsure

    def _take_sheet(self, style: LexborNode) -> None:
        attributes = style.attributes
        sheet = parse_sheet(style.text(deep=True))
        self._sheet_leftover[style.mem_id] = sheet.leftover
        if (attributes.get("type") or "text/css").lower() != "text/css":
            return
        applies = media_applies((attributes.get("media") or "all").lower())
        for rule in sheet.rules:
            if applies is not False:
                self.rules.add(rule if applies else StyleRule(rule.selectors, rule.declarations, None))

    def _walk(self, nodes: list[LexborNode]) -> None:
        outside = _Place(Look(), None)
        todo: list[tuple[LexborNode | None, _Place]] = [(node, outside) for node in reversed(nodes)]
        while todo and not self.exhausted:
            node, place = todo.pop()
            if node is None:
                self._leave(place)
            elif node.is_text_node:
                self._text(node.text_content or "", place)
            elif node.is_comment_node:
                self._comment(node.comment_content or "", place)
            elif node.is_element_node:
                inner = self._enter(node, place)
                todo.append((None, inner))
                todo.extend((child, inner) for child in reversed(_from(node.first_child)))

    def _enter(self, node: LexborNode, outer: _Place) -> _Place:
        tag, attributes = node.tag or "", node.attributes
        element = self._element(tag, attributes, outer.element)
        style = self._style(element) if tag not in NEVER_SHOWN else _NO_STYLE
        look = self._look(tag, attributes, style, outer.look)
        inner = _Place(look, element)
        self._list_attributes(tag, attributes, element)
        if tag in NEVER_SHOWN:
            self._list_unrendered(node, tag, inner)
        if not look.hidden_by:
            self._open_block(tag, style, inner)
        if tag in BLOCKS or tag in NEVER_SHOWN or tag in ("br", "td", "th"):
            self.hidden.space()
        return inner

    def _element(self, tag: str, attributes: Mapping[str, str | None], parent: Element | None) -> Element:
        name, classes = attributes.get("id") or "", attributes.get("class") or ""
        if self.quirks:
            name, classes = name.lower(), classes.lower()
        element = Element(tag, attributes, parent, parent.last_child if parent else None, name.strip(),
                          frozenset(classes.split()) if classes else frozenset())
        if parent is not None:
            parent.last_child = element
        return element

    def _style(self, element: Element) -> Style:
        """The cascaded style; equal sources give the same object, so that `_look` can be remembered by it."""
        attributes = element.attributes
        inline = attributes.get("style") or ""
        link = element.tag == "a" and "href" in attributes
        presentational = attribute_declarations(element.tag, attributes) if attributes else []
        matched = tuple(self.rules.matching(element)) if self.rules.count else ()
        key = (inline, link, tuple(presentational), tuple(rank for rank, _ in matched))
        style = self._cascaded.get(key)
        if style is None:
            sources: list[tuple[tuple[int, ...], Sequence[Declaration]]] = [((-1,), presentational)]
            sources[:0] = [((-2,), _LINK_STYLE)] if link else []
            sources += [((0, *rank), found) for rank, found in matched]
            style = self._cascaded[key] = cascade([*sources, ((1,), self._inline(inline))])
        return style

    def _inline(self, style: str) -> tuple[Declaration, ...]:
        found = self._styles.get(style)
        if found is None:
            found = self._styles[style] = declarations(style)
        return found

    def _look(self, tag: str, attributes: Mapping[str, str | None], style: Style, parent: Look) -> Look:
        if tag in NEVER_SHOWN or (tag == "dialog" and "open" not in attributes):
            return replace(parent, hidden_by=parent.hidden_by or ("display" if tag == "dialog" else "never_shown"))
        unsure = tag == "details" and "open" not in attributes
        if not style and "hidden" not in attributes and tag != "pre" and not unsure:
            return parent
        key = (id(style), id(parent), tag, "hidden" in attributes, unsure)
        known = self._looks.get(key)
        if known is None:
            look = look_of(tag, attributes, style, parent)
            look = replace(look, keeps_blanks=True) if tag == "pre" else look
            # The parent is kept alive beside the result: its id is part of the key.
            known = self._looks[key] = (replace(look, unsure=True) if unsure else look, parent)
        return known[0]

    def _open_block(self, tag: str, style: Style, place: _Place) -> None:
        display = style.get("display")
        if tag == "br":
            self.writer.line_break()
            return
        inline = isinstance(display, str) and display.startswith("inline")
        place.block = not inline and (tag in BLOCKS or display in ("block", "table", "flex", "grid", "list-item"))
        place.paragraph = place.block and tag in PARAGRAPHS
        if place.block:
            self.writer.gap() if place.paragraph else self.writer.block()
        if tag in _FRAMES and not inline:
            place.frames = int(self.writer.open(_FRAMES[tag]))

    def _leave(self, place: _Place) -> None:
        if place.frames:
            self.writer.close()
        if place.block:
            self.writer.gap() if place.paragraph else self.writer.block()

    def _text(self, text: str, place: _Place) -> None:
        reason = place.look.reason() if text.strip() else place.look.hidden_by
        if reason:
            self._hide(reason, text, place.element)
            return
        if text and not text.isspace():
            self.maybe_hidden = self.maybe_hidden or place.look.is_doubtful()
            self.hidden.visible_seen()
        self.writer.text(text, keeps_blanks=place.look.keeps_blanks)

    def _hide(self, reason: str, text: str, element: Element | None) -> None:
        if text and (element is None or element.tag not in ("style", "template")):
            self.hidden.add(reason, text, path_to(element))

    def _comment(self, text: str, place: _Place) -> None:
        condition = _CONDITION.match(text)
        if condition is None:
            text = "" if text.strip() in ("<![endif]", "[endif]") else text
            reason = "never_shown"
        else:
            text, reason = strip_tags_crudely(_CONDITION_END.sub("", text[condition.end():])), "conditional"
        self.hidden.add_words(reason, text, f"{path_to(place.element)} comment".strip())

    def _list_unrendered(self, node: LexborNode, tag: str, place: _Place) -> None:
        """Text that the tree keeps out of reach: style leftovers and template content."""
        pieces = self._sheet_leftover.get(node.mem_id, []) if tag == "style" else []
        if tag == "template":
            source = node.html or ""
            pieces = [strip_tags_crudely(source[source.find(">") + 1:source.rfind("</")])]
        for piece in pieces:
            self.hidden.add_words("never_shown", piece, path_to(place.element))

    def _list_attributes(self, tag: str, attributes: Mapping[str, str | None], element: Element) -> None:
        for name, value in attributes.items():
            if not value or not has_words(value):
                continue
            if len(self.attributes) >= ATTRIBUTES_MAX:
                self.hidden.truncated = True
            elif name in _TEXT_ATTRIBUTES or name.startswith(("aria-", "data-")):
                self.attributes.append(HiddenPassage(reason="attribute_text", text=value, place=f"{tag}[{name}]"))
            elif name == "value" and tag in ("input", "button", "param") or name == "content" and tag == "meta":
                self.hidden.add_words("never_shown", value, f"{path_to(element)}[{name}]")

    def attribute_passages(self) -> tuple[HiddenPassage, ...]:
        """Attribute text, which is scanned and listed but never part of the text."""
        return tuple(self.attributes)


_TEXT_ATTRIBUTES = frozenset("alt title placeholder summary label".split())


def _from(node: LexborNode | None) -> list[LexborNode]:
    """A node and the siblings behind it."""
    nodes = []
    while node is not None:
        nodes.append(node)
        node = node.next
    return nodes


def _siblings(root: LexborNode) -> list[LexborNode]:
    """The root element with the comments that stand outside it."""
    while root.prev is not None:
        root = root.prev
    return _from(root)
