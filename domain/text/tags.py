"""Tags of HTML source told apart in linear time, for the pre-scan and for text that is too big for a tree (HV6)."""

import html as html_entities
import re
from collections.abc import Iterator
from typing import NamedTuple

RAW_TEXT = frozenset("script style textarea title xmp iframe noembed noframes".split())
_OPENING = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][^\s/>]*+)|[!?/])")
_TAIL = re.compile(
    r"""(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+)*+>"""
)
_COMMENT_END = re.compile(r"--!?>")
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW_TEXT}


class Tag(NamedTuple):
    """One tag of the source: `start` and `end` are character offsets, `name` is lower case."""

    start: int
    end: int
    name: str
    closing: bool


def tags(html: str, *, raw_text: bool = True) -> Iterator[Tag]:
    """The tags of `html` in order; comments and, with `raw_text`, the insides of script and style are passed over."""
    position = 0
    while (opening := _OPENING.search(html, position)) is not None:
        comment, slash, name = opening.groups()
        if name is None:
            position = _after_declaration(html, opening, comment is not None)
            continue
        tail = _TAIL.match(html, opening.end())
        if tail is None:
            return
        tag = Tag(opening.start(), tail.end(), name.lower(), slash == "/")
        yield tag
        position = _after_raw_text(html, tag) if raw_text and not tag.closing and tag.name in RAW_TEXT else tag.end


def _after_declaration(html: str, opening: re.Match[str], comment: bool) -> int:
    """The offset behind a comment, doctype or other bogus comment; the end of the text if it never closes."""
    if not comment:
        end = html.find(">", opening.end())
        return len(html) if end < 0 else end + 1
    if html.startswith((">", "->"), opening.end()):
        return html.index(">", opening.end()) + 1
    closed = _COMMENT_END.search(html, opening.end())
    return len(html) if closed is None else closed.end()


def _after_raw_text(html: str, tag: Tag) -> int:
    end = _RAW_END[tag.name].search(html, tag.end)
    return len(html) if end is None else end.start()


_DECLARATION = re.compile(r"<!--(?:[^-]++|-(?!-!?>))*+(?:--!?>)?+|<(?:[!?/]|[a-zA-Z][^<]*\Z)[^>]*+>?+")
_BREAKS = frozenset("br p div tr li h1 h2 h3 h4 h5 h6 table ul ol blockquote pre hr section article".split())
_SILENT = frozenset("script style title head template".split())


def strip_tags_crudely(html: str) -> str:
    """The text between the tags of HTML that is too big for the full pass; hidden text stays in (HV6)."""
    pieces: list[str] = []
    position, silent = 0, ""
    for tag in tags(html):
        if not silent:
            pieces.append(_DECLARATION.sub("", html[position:tag.start]))
            pieces.append("\n" if tag.name in _BREAKS else " " if tag.name == "td" else "")
        if tag.closing and tag.name == silent:
            silent = ""
        elif not tag.closing and not silent and tag.name in _SILENT:
            silent = tag.name
        position = tag.end
    if not silent:
        pieces.append(_DECLARATION.sub("", html[position:]))
    return _collapsed(html_entities.unescape("".join(pieces)))


def _collapsed(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
