"""What a person changed in a text, word by word; two texts too long to compare in good time are called different."""

import re
from difflib import SequenceMatcher

MOST_PIECES = 3000
PIECE = re.compile(r"\s+|[^\s]+")


def word_diff(before: str, after: str) -> list[tuple[str, str]]:
    """Pieces as (kind, text) with kind same, gone or new; joined without `gone` they are `after`."""
    old, new = PIECE.findall(before), PIECE.findall(after)
    if max(len(old), len(new)) > MOST_PIECES:
        return [("gone", before), ("new", after)] if before != after else [("same", after)]
    pieces: list[tuple[str, str]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(("same", "".join(new[j1:j2])))
            continue
        if i2 > i1:
            pieces.append(("gone", "".join(old[i1:i2])))
        if j2 > j1:
            pieces.append(("new", "".join(new[j1:j2])))
    return pieces
