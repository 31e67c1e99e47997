"""The links of an HTML part with the words a reader sees on them, for telling a link that lies (P58, A50)."""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from domain.text.size import HTML_CHARACTERS_MAX, html_size

ANCHORS_MAX = 2_000
TEXT_CHARACTERS_MAX = 500


@dataclass(frozen=True, slots=True)
class Anchor:
    """One link: what it shows and where it leads."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The links of a page, and whether it asks for a password in a form of its own."""

    anchors: tuple[Anchor, ...] = ()
    password_form: bool = False


def page_links(html: str) -> PageLinks:
    """The first 2,000 links of `html`; none of a page beyond the limits of HV6, which is flagged elsewhere."""
    if not html or len(html) > HTML_CHARACTERS_MAX or html_size(html).too_big:
        return PageLinks()
    tree = LexborHTMLParser(html)
    nodes = tree.css("a[href], area[href], form[action]")[:ANCHORS_MAX]
    anchors = tuple(
        Anchor(" ".join(node.text(deep=True)[:TEXT_CHARACTERS_MAX].split()) if node.tag == "a" else "",
               (node.attributes.get("href") or node.attributes.get("action") or "").strip())
        for node in nodes
    )
    return PageLinks(anchors, tree.css_first("input[type=password i]") is not None)
