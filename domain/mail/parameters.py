"""Parameters of Content-Type and Content-Disposition: RFC 2231 pieces, percent-encoded charsets, and the forms that
real mailers write instead (MI7)."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from domain.mail.charsets import decode_bytes
from domain.mail.cleaning import header_text, seen_text
from domain.mail.encoded_words import decode_header, unfold
from domain.mail.limits import MAX_FILE_NAME_CHARS

MAX_PARAMETERS = 200
MAX_PIECES = 1_000
_PIECE_NAME = re.compile(r"([^*]{1,100})(?:\*([0-9]{1,4}))?(\*)?$")
_ESCAPED = re.compile(rb'\\(["\\])')
_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,100}$")
_UNSAFE_IN_NAME = re.compile(r'[<>:"|?*]')


class Parameterised(NamedTuple):
    """A structured header: the main value in lower case, and its parameters decoded, names in lower case."""

    value: str
    parameters: dict[str, str]


class _Piece(NamedTuple):
    """One piece of a parameter: its number (-1 if whole), whether it is percent-encoded, and its raw value."""

    number: int
    extended: bool
    value: bytes


def read_parameters(raw: bytes) -> Parameterised:
    """A raw Content-Type or Content-Disposition, with every parameter resolved as far as it goes. Never raises."""
    sections = list(_sections(unfold(raw)))
    pieces: dict[str, list[_Piece]] = {}
    for section in sections[1 : MAX_PIECES + 1]:
        _collect(section, pieces)
    named = list(pieces.items())[:MAX_PARAMETERS]
    return Parameterised(_main_value(sections[0]), {name: _resolve(found) for name, found in named})


def content_type(raw: bytes) -> str:
    """The media type alone, or "" if the header does not hold one."""
    return media_type(read_parameters(raw).value)


def media_type(value: str) -> str:
    """`value` if it is a well-formed `type/subtype`, else ""."""
    return value if _TYPE.match(value) else ""


def _main_value(section: bytes) -> str:
    return header_text(section.decode("ascii", "replace")).partition(" ")[0].lower()


def _sections(value: bytes) -> Iterator[bytes]:
    """`value` cut at semicolons outside quoted strings; at least one section."""
    start, quoted, position = 0, False, 0
    while position < len(value):
        char = value[position : position + 1]
        if char == b"\\" and quoted:
            position += 1
        elif char == b'"':
            quoted = not quoted
        elif char == b";" and not quoted:
            yield value[start:position].strip()
            start = position + 1
        position += 1
    yield value[start:].strip()


def _collect(section: bytes, pieces: dict[str, list[_Piece]]) -> None:
    name, equals, value = section.partition(b"=")
    found = _PIECE_NAME.match(name.strip().decode("ascii", "replace").lower())
    if equals and found:
        number = int(found[2]) if found[2] else -1
        pieces.setdefault(found[1].strip(), []).append(_Piece(number, bool(found[3]), _unquoted(value.strip())))


def _unquoted(value: bytes) -> bytes:
    """A quoted string without its quotes; a backslash counts as an escape only before a quote or another backslash."""
    if not value.startswith(b'"'):
        return value
    end = value.rfind(b'"')
    return _ESCAPED.sub(rb"\1", value[1 : end if end > 0 else len(value)])


def _resolve(found: list[_Piece]) -> str:
    """RFC 2231 over everything that came for one name: numbered pieces in order, then extended, then plain."""
    numbered = sorted((piece for piece in found if piece.number >= 0), key=lambda piece: piece.number)
    whole = [piece for piece in found if piece.number < 0]
    extended = [piece for piece in whole if piece.extended]
    chosen = extended[:1] or numbered or whole[:1]
    if any(piece.extended for piece in chosen):
        return header_text(_percent_decoded(chosen))
    return decode_header(b"".join(piece.value for piece in chosen)).text


def _percent_decoded(pieces: list[_Piece]) -> str:
    """The first piece may start with `charset'language'`; only pieces marked with a star are percent-encoded."""
    charset, first = _split_charset(pieces[0])
    raw = [unquote_to_bytes(piece.value) if piece.extended else piece.value for piece in pieces[1:]]
    return decode_bytes(b"".join([first, *raw]), charset).text


def _split_charset(piece: _Piece) -> tuple[str, bytes]:
    if not piece.extended:
        return "", piece.value
    parts = piece.value.split(b"'", 2)
    if len(parts) < 3:
        return "", unquote_to_bytes(piece.value)
    return parts[0].decode("ascii", "replace"), unquote_to_bytes(parts[2])


def safe_file_name(name: str, otherwise: str = "attachment") -> str:
    """The base name alone: no path, controls, bidi marks or reserved characters; at most 200, its extension kept."""
    base = seen_text(name).replace("\\", "/").rstrip("/").rpartition("/")[2]
    base = _UNSAFE_IN_NAME.sub("_", base).strip(" .")
    if len(base) <= MAX_FILE_NAME_CHARS:
        return base or otherwise
    stem, dot, extension = base.rpartition(".")
    if not stem or len(extension) > 20:
        return base[:MAX_FILE_NAME_CHARS]
    return stem[: MAX_FILE_NAME_CHARS - len(extension) - 1] + dot + extension
