"""Message-IDs as mail really writes them, in the one form in which they are compared and looked up (AM9, AM10).

The normal form has no brackets: `local@domain` with the domain in lower case. Whoever writes a header adds them.
"""

import re

from domain.mail.charsets import decode_bytes
from domain.mail.cleaning import header_text
from domain.mail.encoded_words import unfold
from domain.mail.limits import MAX_HEADER_BYTES

MAX_ID_CHARS = 998
IDS_AT_EACH_END = 50
_BRACKETED = re.compile(r"<([^<>]*)>")
_PLACEHOLDER = re.compile(r"unknown-[0-9]+\Z")
_MARKS_AROUND = "<>\"'`,;:.()[]{}"


def id_text(value: bytes | str) -> str:
    """A Message-ID header as received, on one line and storable: the raw form that is kept beside the normal one."""
    text = decode_bytes(unfold(value[:MAX_HEADER_BYTES])).text if isinstance(value, bytes) else value[:MAX_HEADER_BYTES]
    return header_text(text)


def normalise_message_id(value: bytes | str) -> str:
    """The first `<...>`, or without brackets the whole token; "" if it cannot identify anything (AM9). Never raises."""
    text = id_text(value)
    found = _BRACKETED.search(text)
    return _normal(found[1] if found else without_comments(text).strip("<> "))


def all_ids(value: bytes | str) -> tuple[str, ...]:
    """Every id of In-Reply-To or References in order, without repeats: the first 50 and the last 50 (AM10)."""
    text = id_text(value)
    tokens = _BRACKETED.findall(text) or [word.strip(_MARKS_AROUND) for word in without_comments(text).split()]
    found = list(dict.fromkeys(filter(None, map(_normal, tokens))))
    return tuple(found if len(found) <= 2 * IDS_AT_EACH_END else found[:IDS_AT_EACH_END] + found[-IDS_AT_EACH_END:])


def without_comments(text: str) -> str:
    """`text` without parenthesised comments outside quotes, nested ones too; an unclosed one is left as it is."""
    kept: list[str] = []
    depth, start, quoted = 0, 0, False
    for place, char in enumerate(text):
        if char == '"' and depth == 0:
            quoted = not quoted
        elif char == "(" and not quoted:
            if depth == 0:
                kept.append(text[start:place])
                start = place
            depth += 1
        elif char == ")" and depth > 0:
            depth -= 1
            start = place + 1 if depth == 0 else start
    return "".join(kept) + text[start:]


def _normal(token: str) -> str:
    bare = "".join(token.split())
    local, at, domain = bare.rpartition("@")
    is_usable = at and local and domain and not set(bare) & {"<", ">"} and len(bare) <= MAX_ID_CHARS
    if not is_usable or _PLACEHOLDER.match(bare):
        return ""
    return f"{local}@{domain.lower()}"
