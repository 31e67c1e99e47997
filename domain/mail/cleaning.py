"""What may never leave the parser: characters that break a header line, a database column or the order of reading."""

import re
import unicodedata

BIDI_MARKS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TEXT_CONTROLS = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BREAKS = re.compile("[\t\r\n\x0b\x0c\x85\u2028\u2029]+")
_BLANKS = re.compile(r"[ \t\u00a0]+")
_UNSEEN = re.compile(f"[{BIDI_MARKS}\u00ad\u200b-\u200d\u2060-\u2064\ufeff]")


def storable(text: str) -> str:
    """`text` without NUL and lone surrogates, which neither JSON nor Postgres can hold."""
    return _UNSTORABLE.sub("\ufffd", text) if _UNSTORABLE.search(text) else text


def body_text(text: str) -> str:
    """Text of a body: line ends as LF, no controls but tab and LF, nothing that cannot be stored."""
    return _TEXT_CONTROLS.sub("", _LINE_ENDS.sub("\n", _UNSTORABLE.sub(_replacement, text)))


def _replacement(found: re.Match[str]) -> str:
    return "" if found[0] == "\x00" else "\ufffd"


def header_text(text: str) -> str:
    """A decoded header on one line: CR, LF, NUL and every other control is gone (MI6)."""
    return _CONTROLS.sub("", _BREAKS.sub(" ", _UNSTORABLE.sub(_replacement, text))).strip()


def seen_text(text: str) -> str:
    """`header_text` without bidi marks and zero-width characters, blanks collapsed: what a reader would see of it."""
    return _BLANKS.sub(" ", _UNSEEN.sub("", header_text(text))).strip()


def word_text(text: str) -> str:
    """The form in which two names are compared: NFKC, case-folded, only letters and digits, one blank between words."""
    folded = unicodedata.normalize("NFKC", seen_text(text)).casefold()
    return " ".join("".join(char if char.isalnum() else " " for char in folded).split())
