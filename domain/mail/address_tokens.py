"""The tokens of an address header, read in one linear pass whatever is left unclosed in it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_ENCODED_WORD = re.compile(r"=\?[^?\s]{1,75}\?[bBqQ]\?[^?\s]*\?=")
_ATOM = re.compile(r"[^\s\"(),;:<>]+")
_BLANK = re.compile(r"\s+")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPABLE = re.compile(r'[()"\\]')


class Token(NamedTuple):
    """A piece of an address header; `glued` if no blank stands before it.

    Kinds: `atom`, `quoted`, `comment`, `angle` (what stands in `<...>`), and the separators `,`, `;` and `:`.
    """

    kind: str
    text: str
    glued: bool = True


class _Scanner:
    """Once an opening mark was found unclosed, the same mark is an ordinary character for the rest of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.unclosed: set[str] = set()

    def tokens(self) -> Iterator[Token]:
        position, glued = 0, False
        while position < len(self.text):
            blank = _BLANK.match(self.text, position)
            if blank:
                position, glued = blank.end(), False
                continue
            kind, shown, position = self._next(position)
            yield Token(kind, shown, glued)
            glued = True

    def _next(self, position: int) -> tuple[str, str, int]:
        char = self.text[position]
        if char in '"(<':
            return self._enclosed(position, char)
        if char in ",;:":
            return char, char, position + 1
        found = _ENCODED_WORD.match(self.text, position) or _ATOM.match(self.text, position)
        return ("atom", found[0], found.end()) if found else ("atom", char, position + 1)

    def _enclosed(self, position: int, char: str) -> tuple[str, str, int]:
        end = -1 if char in self.unclosed else self._closing(position, char)
        if end >= 0:
            inner = self.text[position + 1 : end]
            kind = {'"': "quoted", "(": "comment", "<": "angle"}[char]
            return kind, inner if kind == "angle" else _ESCAPE.sub(r"\1", inner), end + 1
        self.unclosed.add(char)
        if char == "<":
            comma = self.text.find(",", position)
            stop = comma if comma >= 0 else len(self.text)
            return "angle", self.text[position + 1 : stop], stop
        return "atom", char, position + 1

    def _closing(self, start: int, char: str) -> int:
        """Index of the mark that closes what opens at `start`, or -1."""
        if char == "<":
            return self.text.find(">", start)
        depth, position = 0, start
        while found := _ESCAPABLE.search(self.text, position):
            position = found.end()
            if found[0] == "\\":
                position += 1
            elif char == '"':
                if found[0] == '"' and found.start() > start:
                    return found.start()
            elif found[0] != '"':
                depth += 1 if found[0] == "(" else -1
                if depth == 0:
                    return found.start()
        return -1


def read_tokens(text: str) -> Iterator[Token]:
    """The tokens of one address header on one line. Never raises."""
    return _Scanner(text).tokens()
