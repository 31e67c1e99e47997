"""Header fields of the mails we send.

They are rendered here and not by the standard library of Python 3.11. Its folding turns a Message-ID of more than 76
characters in In-Reply-To or References into an encoded word, which breaks the customer's thread, and it writes a
Subject of `=?UTF-8?Q?x=0ABcc:...?=` as two header lines (C21). Every value enters through a function that leaves no CR
or LF in it, so that no text of a customer or a model can add a field.
"""

import base64
import re
import unicodedata
from collections.abc import Iterable, Sequence

SUBJECT_LIMIT = 250
NAME_LIMIT = 128
REFERENCES_AT_EACH_END = 20

_SOFT_LIMIT = 76
_HARD_LIMIT = 998
_WORD_BYTES = 39
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ID = re.compile(r"<[\x20-\x3b\x3d\x3f-\x7e]+>")
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/^_`{|}~ -]*")


def one_line(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` characters, without controls, bidi marks, lone surrogates or gaps."""
    kept = "".join(_visible(char) for char in text)
    return " ".join(word for word in kept.split(" ") if word)[:limit].rstrip(" ")


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Cc", "Zl", "Zp"):
        return " " if char.isspace() else ""
    return "" if category == "Cs" or char in _BIDI else char


def clean_subject(subject: str) -> str:
    """A subject that is safe in a header: one line, at most 250 characters (SE1)."""
    return one_line(subject, SUBJECT_LIMIT)


def mail_id(outbox_id: str, token: str, domain: str) -> str:
    """The Message-ID of an outbox row: `<{outbox_id}.{random}@{mailbox domain}>` (OB2)."""
    return f"<{outbox_id}.{token}@{domain}>"


def reference_id(raw: str) -> str:
    """The first `<...>` of an id as received, or its bare token in brackets; "" if no header line can carry it."""
    found = _ID.search(raw) or _ID.fullmatch(f"<{_bare_token(raw)}>")
    fits = found is not None and "@" in found[0] and len(found[0]) < _HARD_LIMIT
    return found[0] if found is not None and fits else ""


def _bare_token(raw: str) -> str:
    return raw.strip() if len(raw.split()) == 1 else ""


def reference_chain(parent_references: Iterable[str], parent_id: str) -> tuple[str, ...]:
    """The parent's References and the parent itself, always last; first and last 20 of a longer chain (SE1)."""
    parent = reference_id(parent_id)
    earlier = dict.fromkeys(reference_id(raw) for raw in parent_references)
    chain = [each for each in earlier if each and each != parent] + [parent] * bool(parent)
    if len(chain) <= 2 * REFERENCES_AT_EACH_END:
        return tuple(chain)
    return tuple(chain[:REFERENCES_AT_EACH_END] + chain[-REFERENCES_AT_EACH_END:])


def field(name: str, tokens: Sequence[str]) -> bytes:
    """One header field, folded between tokens at 76 octets; tokens hold neither CR nor LF.

    The first token stays beside the name where the 998 octets of RFC 5322 allow it: some readers lose a value that
    starts on the second line.
    """
    lines = [f"{name}:"]
    for position, token in enumerate(tokens):
        limit = _SOFT_LIMIT if position else _HARD_LIMIT
        if _octets(lines[-1]) + 1 + _octets(token) > limit:
            lines.append("")
        lines[-1] += f" {token}"
    return "\r\n".join(lines).encode() + b"\r\n"


def _octets(text: str) -> int:
    return len(text.encode())


def text_tokens(text: str) -> list[str]:
    """Unstructured text as tokens: words where it is plain ASCII, else encoded words (RFC 2047).

    Text that only looks like an encoded word is encoded too: a reader that decoded it would find what we never checked.
    """
    return text.split(" ") if _is_plain(text) else encoded_words(text)


def name_tokens(name: str) -> list[str]:
    """A display name as tokens: a quoted string where it is plain ASCII, else encoded words."""
    if not _is_plain(name):
        return encoded_words(name)
    if _ATOMS.fullmatch(name):
        return name.split(" ")
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return [f'"{escaped}"']


def _is_plain(text: str) -> bool:
    return text.isascii() and "=?" not in text


def encoded_words(text: str) -> list[str]:
    """`text` as base64 encoded words of UTF-8, each under 76 characters and cut between characters (RFC 2047)."""
    return [f"=?utf-8?b?{base64.b64encode(piece.encode()).decode()}?=" for piece in _pieces(text)]


def _pieces(text: str) -> list[str]:
    pieces = [""]
    for char in text:
        if _octets(pieces[-1] + char) > _WORD_BYTES:
            pieces.append("")
        pieces[-1] += char
    return [piece for piece in pieces if piece]
