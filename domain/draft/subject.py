"""A subject goes into a mail header, and the one we answer was written by a stranger: nothing in it may end the header
or turn the reading direction (P74, SE1)."""

import unicodedata

MAX_SUBJECT_CHARS = 250
_PREFIX = "Re: "
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_REMOVED = frozenset({"Cc", "Cs"})
_LINE_BREAKS = frozenset("\r\n\t\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def draft_subject(inbound_subject: str | None) -> str:
    """Unchanged if it starts with `re:` in any case, else `Re: ` and the subject; at most 250 characters, one
    clean line."""
    subject = clean_subject(inbound_subject or "")
    if not subject.casefold().startswith("re:"):
        subject = _PREFIX + subject
    return _clipped(subject)


def clean_subject(subject: str) -> str:
    """One line without CR, LF, controls, lone surrogates or bidi marks; line breaks become a blank."""
    spaced = "".join(" " if char in _LINE_BREAKS else char for char in subject)
    return "".join(char for char in spaced if not _forbidden(char)).strip()


def _forbidden(char: str) -> bool:
    return char in _BIDI or unicodedata.category(char) in _REMOVED


def _clipped(subject: str) -> str:
    """Cut at 250 characters, never between a letter and the marks that belong to it."""
    end = min(len(subject), MAX_SUBJECT_CHARS)
    while 0 < end < len(subject) and (unicodedata.combining(subject[end]) or subject[end] in "\u200d\ufe0f"):
        end -= 1
    return subject[:end].rstrip() if end < len(subject) else subject
