"""Third-party text reaches a model only inside marked blocks that it cannot close, imitate or leave (HW1, HM-14).

The marker is 128 random bits drawn per call, so no mail can know it; whatever looks like one of our border lines inside
a text is changed visibly, so that neither a model nor a parser can take it for one.
"""

import re
import secrets
from collections.abc import Iterable

import re2

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Format characters and variation selectors between the signs would leave the shape intact for the eye of a model.
_BORDER_SHAPE = re2.compile(r"[<＜﹤](?:[\p{Cf}\x{FE00}-\x{FE0F}\x{E0100}-\x{E01EF}]*[<＜﹤]){2,}")
_HARMLESS_SHAPE = "‹‹‹"
_HARMLESS_MARKER = "‹marker›"


def new_marker() -> str:
    """128 fresh bits as 32 lower-case hex digits."""
    return secrets.token_hex(16)


def wrap(name: str, text: str, marker: str) -> str:
    """One block: its opening line, the neutralised text and its closing line. Raises ValueError on a bad name."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"not a block name: {name!r}")
    return f"<<<BLOCK name={name} marker={marker}>>>\n{neutralised(text, marker)}\n<<<END marker={marker}>>>"


def wrap_all(blocks: Iterable[tuple[str, str]], marker: str) -> str:
    """All blocks of one call, in order, under one marker."""
    return "\n".join(wrap(name, text, marker) for name, text in blocks)


def neutralised(text: str, marker: str) -> str:
    """The text without border shapes and without the marker; everything else stays as it is."""
    shapeless = _BORDER_SHAPE.sub(_HARMLESS_SHAPE, encodable(text))
    return str(re2.sub(f"(?i){marker}", _HARMLESS_MARKER, shapeless))


def encodable(text: str) -> str:
    """The text with lone surrogates and NUL replaced, since no endpoint and no database takes them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "\ufffd")
