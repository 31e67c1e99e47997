"""A web page as blocks: what frames the page (menus, headers, footers, scripts) is left out, headings lead the way."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from adapters.importing.limits import TEXT_CHARACTERS, FileRefused
from domain.knowledge.blocks import Block, ReadDocument

_FRAME = (
    "script, style, noscript, template, nav, header, footer, aside, form, svg, iframe, object, button, "
    "[hidden], [aria-hidden=true], [role=navigation], [role=banner], [role=contentinfo]"
)
_MAIN = ("main", "article", "[role=main]")
_HEADINGS = {f"h{level}": level for level in range(1, 7)} | {"dt": 7, "summary": 7}
_BLOCKS = frozenset(
    "p div section article main li ul ol dl dd table thead tbody tfoot tr td th blockquote pre figure figcaption "
    "details address hr body html center fieldset".split()
)
_BLANKS = re.compile(r"[ \t\n\r\f\xa0]+")
MOST_NODES = 400_000


def read_html(text: str) -> ReadDocument:
    """The blocks of an HTML page. Nothing it links to is fetched."""
    if len(text) > TEXT_CHARACTERS:
        raise FileRefused("too_much_text")
    tree = LexborHTMLParser(text)
    head = tree.css_first("title")
    title = _BLANKS.sub(" ", head.text()).strip() if head is not None else ""
    body = _content(tree)
    if body is None:
        raise FileRefused("empty")
    return ReadDocument(title, "html", tuple(_Walk().blocks(body)))


def _content(tree: LexborHTMLParser) -> LexborNode | None:
    """The part of the page that holds its text, without what frames it."""
    for node in tree.css(_FRAME):
        if node.parent is not None:
            node.decompose()
    return next((found for mark in _MAIN if (found := tree.css_first(mark)) is not None), tree.body)


class _Walk:
    """Goes through the tree without recursion; text gathers until a block begins or ends."""

    def __init__(self) -> None:
        self.way: list[tuple[int, str]] = []
        self.line: list[str] = []
        self.prefix = ""
        self.opens = False

    def blocks(self, root: LexborNode) -> Iterator[Block]:
        """The blocks below a node."""
        for node, entering in _events(root):
            tag = node.tag
            if tag == "-text":
                self.line.append(node.text_content or "")
            elif tag in _HEADINGS:
                yield from self._heading(node, entering)
            elif tag == "br" and entering:
                self.line.append("\u2028")
            elif tag in ("td", "th") and not entering:
                self.line.append(" | ")
            elif tag in _BLOCKS and tag not in ("td", "th"):
                yield from self._flush()
                self.prefix = "- " if tag == "li" and entering else ""
        yield from self._flush()

    def _heading(self, node: LexborNode, entering: bool) -> Iterator[Block]:
        if entering:
            yield from self._flush()
            return
        level, words = _HEADINGS[str(node.tag)], self._taken()
        if words:
            self.way = [*(step for step in self.way if step[0] < level), (level, words)]
            self.opens = True

    def _flush(self) -> Iterator[Block]:
        text = self._taken()
        if text:
            yield Block(self.prefix + text, tuple(name for _, name in self.way), opens=self.opens)
            self.prefix, self.opens = "", False

    def _taken(self) -> str:
        lines = (_BLANKS.sub(" ", line).strip() for line in "".join(self.line).split("\u2028"))
        self.line = []
        return "\n".join(filter(None, lines)).removesuffix(" |")


def _events(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Each node on the way in (True) and, for elements, on the way out (False)."""
    stack: list[tuple[LexborNode, bool]] = [(root, True)]
    seen = 0
    while stack:
        node, entering = stack.pop()
        yield node, entering
        if not entering or node.tag == "-text":
            continue
        seen += 1
        if seen > MOST_NODES:
            raise FileRefused("too_much_text")
        stack.append((node, False))
        stack.extend((child, True) for child in reversed(list(node.iter(include_text=True))))
