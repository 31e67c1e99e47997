"""Hidden passages gathered during a walk: pieces that belong together are joined, and the whole is bounded."""

import re
from dataclasses import dataclass

from contracts.mail import HiddenPassage

HIDDEN_CHARACTERS_MAX = 1024 * 1024
PASSAGES_MAX = 500
_WORD = re.compile(r"[^\W\d_]{2}")


def has_words(text: str) -> bool:
    """Whether there is anything to read at all."""
    return _WORD.search(text) is not None


@dataclass(slots=True)
class _Passage:
    reason: str
    place: str
    pieces: list[str]


class HiddenText:
    """Collects hidden pieces in document order; `truncated` tells that some were too much to keep."""

    def __init__(self) -> None:
        self.found: list[_Passage] = []
        self.characters = 0
        self.truncated = False
        self.apart = True

    def add(self, reason: str, text: str, place: str) -> None:
        """One piece; it joins the piece before it unless visible text or another reason stands between."""
        room = max(0, HIDDEN_CHARACTERS_MAX - self.characters)
        self.truncated = self.truncated or len(text) > room
        text = text[:room]
        last = self.found[-1] if self.found else None
        if last is not None and (len(self.found) >= PASSAGES_MAX or (last.reason == reason and not self.apart)):
            last.pieces.append(text)
        elif text.strip():
            self.found.append(_Passage(reason, place, [text]))
            self.apart = False
        self.characters += len(text)

    def add_words(self, reason: str, text: str, place: str) -> None:
        """A piece that stands by itself, such as a comment; left out if it has no words."""
        if has_words(text):
            self.add(reason, f" {text.strip()} ", place)

    def space(self) -> None:
        """A border between blocks, so that words on both sides stay apart."""
        if self.found:
            self.found[-1].pieces.append(" ")

    def visible_seen(self) -> None:
        """Visible text stands here: the next hidden piece begins a passage of its own."""
        self.apart = True

    def passages(self) -> tuple[HiddenPassage, ...]:
        """The passages in document order, blanks collapsed."""
        joined = ((found, " ".join("".join(found.pieces).split())) for found in self.found)
        return tuple(HiddenPassage(reason=found.reason, text=text, place=found.place) for found, text in joined)
