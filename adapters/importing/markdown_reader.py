"""Markdown and plain text as blocks: headings lead the way, everything else stays as its author wrote it."""

from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from adapters.importing.limits import TEXT_CHARACTERS, FileRefused
from domain.knowledge.blocks import Block, ReadDocument

_WORDS: dict[str, Callable[[Token], str]] = {
    "text": lambda token: token.content,
    "code_inline": lambda token: token.content,
    "softbreak": lambda token: " ",
    "hardbreak": lambda token: " ",
}
_NOT_TEXT = frozenset({"hr", "definition"})


def read_markdown(text: str) -> ReadDocument:
    """The blocks of a Markdown or plain text file; the title is its first heading of the first level."""
    if len(text) > TEXT_CHARACTERS:
        raise FileRefused("too_much_text")
    lines = _without_front_matter(text.split("\n"))
    tokens = MarkdownIt("commonmark").enable("table").parse("\n".join(lines))
    return ReadDocument("", "markdown", tuple(_blocks(tokens, lines)))


def _without_front_matter(lines: list[str]) -> list[str]:
    """What stands between `---` at the very top is for other programs."""
    if lines[:1] == ["---"] and "---" in lines[1:]:
        return lines[lines.index("---", 1) + 1 :]
    return lines


def _blocks(tokens: list[Token], lines: list[str]) -> Iterator[Block]:
    way: list[tuple[int, str]] = []
    opens = False
    for place, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0:
            continue
        if token.type == "heading_open":
            level = int(token.tag[1:])
            way = [*(step for step in way if step[0] < level), (level, _plain(tokens[place + 1]))]
            opens = True
        elif token.type not in _NOT_TEXT:
            source = "\n".join(lines[token.map[0] : token.map[1]]).strip("\n")
            yield Block(source, tuple(name for _, name in way), opens=opens)
            opens = False


def _plain(inline: Token) -> str:
    """A heading without its marks."""
    return "".join(_WORDS[child.type](child) for child in inline.children or () if child.type in _WORDS)
