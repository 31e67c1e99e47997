"""`winmail.dat`: the wrapper in which Outlook hides body and files. The public reader believes every count it finds in
the file (four billion properties are four billion turns), so this one is our own, bounded by the bytes there are; the
tests compare the two (MI14, MS-OXTNEF)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from domain.mail.charsets import decode_bytes
from domain.mail.limits import MAX_ATTACHMENTS, MAX_TNEF_BYTES, MAX_TNEF_OBJECTS
from domain.mail.rtf import rtf_to_text

SIGNATURE = 0x223E9F78
MAX_PROPERTIES = 5_000
MAX_VALUES = 1_000
_ATTACHMENT_BEGINS, _ATTACHMENT_DATA, _ATTACHMENT_TITLE, _ATTACHMENT_PROPERTIES = 0x9002, 0x800F, 0x8010, 0x9005
_BODY, _MESSAGE_PROPERTIES, _CODEPAGE = 0x800C, 0x9003, 0x9007
_FILE_NAME, _LONG_FILE_NAME, _DATA_OBJECT, _MIME_TYPE, _CONTENT_ID = 0x3704, 0x3707, 0x3701, 0x370E, 0x3712
_PLAIN, _HTML, _RTF, _INTERNET_CODEPAGE = 0x1000, 0x1013, 0x1009, 0x3FDE
_FIXED_SIZES = {2: 2, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 0xA: 4, 0xB: 2, 0x14: 8, 0x40: 8, 0x48: 16}
_OBJECT, _STRING, _UNICODE, _BINARY = 0x0D, 0x1E, 0x1F, 0x102
_VARIABLE = frozenset({_OBJECT, _STRING, _UNICODE, _BINARY})
_OBJECT_ID_BYTES = 16


@dataclass(slots=True)
class TnefFile:
    """One file in a winmail.dat; `name` and `content_type` as written there, may be empty."""

    name: str = ""
    data: bytes = b""
    content_type: str = ""
    content_id: str = ""


@dataclass(slots=True)
class Tnef:
    """What a winmail.dat holds: `text` from a plain or RTF body, `html` still undecoded with its charset label.

    `complete` is false if something was cut, beyond a limit, or if there was nothing in it at all.
    """

    text: str = ""
    html: bytes = b""
    charset: str = ""
    files: list[TnefFile] = field(default_factory=list)
    complete: bool = True


class _Property(NamedTuple):
    """One MAPI property: its id, its type, and the raw first value."""

    number: int
    kind: int
    value: bytes


def read_tnef(data: bytes) -> Tnef | None:
    """The body and files of a winmail.dat, as far as it can be read; None if it is none or too big. Never raises."""
    if len(data) > MAX_TNEF_BYTES or len(data) < 6 or struct.unpack_from("<I", data)[0] != SIGNATURE:
        return None
    found = Tnef()
    rtf = b""
    for number, content in _objects(data, found):
        if number == _CODEPAGE and len(content) >= 4:
            found.charset = f"cp{struct.unpack_from('<I', content)[0]}"
        elif number == _BODY:
            found.text = _text(content, found.charset)
        elif number == _MESSAGE_PROPERTIES:
            rtf = _read_message(content, found) or rtf
        else:
            _read_file_object(number, content, found)
    found.complete = found.complete and bool(found.text or found.html or rtf or found.files)
    found.text = found.text or (rtf_to_text(rtf) if rtf and not found.html else "")
    return found


def _objects(data: bytes, found: Tnef) -> Iterator[tuple[int, bytes]]:
    """Number and content of each object: level, number, type, length, content, checksum."""
    position = 6
    for _ in range(MAX_TNEF_OBJECTS):
        if position + 9 > len(data):
            return
        number, _kind, length = struct.unpack_from("<HHI", data, position + 1)
        start = position + 9
        if start + length > len(data):
            found.complete = False
        yield number, data[start : start + length]
        position = start + length + 2
    found.complete = False


def _read_message(content: bytes, found: Tnef) -> bytes:
    """Takes the body from the message's properties; returns compressed RTF, if that is there."""
    values = {prop.number: prop for prop in _properties(content)}
    if _INTERNET_CODEPAGE in values:
        found.charset = f"cp{int.from_bytes(values[_INTERNET_CODEPAGE].value[:4], 'little')}"
    if _PLAIN in values:
        found.text = _string(values[_PLAIN], found.charset)
    if _HTML in values:
        found.html = values[_HTML].value
    return values[_RTF].value if _RTF in values else b""


def _read_file_object(number: int, content: bytes, found: Tnef) -> None:
    if number == _ATTACHMENT_BEGINS:
        if len(found.files) < MAX_ATTACHMENTS:
            found.files.append(TnefFile())
        else:
            found.complete = False
    elif found.files and number == _ATTACHMENT_DATA:
        found.files[-1].data = content
    elif found.files and number == _ATTACHMENT_TITLE:
        found.files[-1].name = found.files[-1].name or _text(content, found.charset)
    elif found.files and number == _ATTACHMENT_PROPERTIES:
        _read_file_properties(content, found)


def _read_file_properties(content: bytes, found: Tnef) -> None:
    file = found.files[-1]
    values = {prop.number: prop for prop in _properties(content)}
    for number in (_LONG_FILE_NAME, _FILE_NAME):
        if number in values:
            file.name = _string(values[number], found.charset)
            break
    if _DATA_OBJECT in values and not file.data:
        file.data = values[_DATA_OBJECT].value
    file.content_type = _string(values[_MIME_TYPE], "") if _MIME_TYPE in values else ""
    file.content_id = _string(values[_CONTENT_ID], "") if _CONTENT_ID in values else ""


def _text(content: bytes, charset: str) -> str:
    return decode_bytes(content.rstrip(b"\x00"), charset).text


def _string(prop: _Property, charset: str) -> str:
    if prop.kind == _UNICODE:
        return prop.value.decode("utf-16-le", "replace").rstrip("\x00")
    return _text(prop.value, charset)


class _Cursor:
    """Reads little-endian numbers from bytes; past the end it raises EOFError."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def take(self, size: int) -> bytes:
        end = self.position + size
        if end > len(self.data):
            raise EOFError
        found = self.data[self.position : end]
        self.position = end
        return found

    def padded(self, size: int) -> bytes:
        found = self.take(size)
        self.position += -size % 4
        return found

    def number(self, size: int = 4) -> int:
        return int.from_bytes(self.take(size), "little")


def _properties(content: bytes) -> Iterator[_Property]:
    """The MAPI properties of a block, up to the first that cannot be read."""
    cursor = _Cursor(content)
    try:
        for _ in range(min(cursor.number(), MAX_PROPERTIES)):
            kind, number = cursor.number(2), cursor.number(2)
            if number >= 0x8000:
                _skip_name(cursor)
            yield _Property(number, kind & 0x0FFF, _first_value(cursor, kind))
    except EOFError:
        return


def _skip_name(cursor: _Cursor) -> None:
    cursor.take(16)
    cursor.padded(cursor.number()) if cursor.number() else cursor.take(4)


def _first_value(cursor: _Cursor, kind: int) -> bytes:
    several, kind = bool(kind & 0x1000), kind & 0x0FFF
    if kind in _VARIABLE:
        values = [cursor.padded(cursor.number()) for _ in range(_count(cursor))]
        first = values[0] if values else b""
        return first[_OBJECT_ID_BYTES:] if kind == _OBJECT else first
    if kind not in _FIXED_SIZES:
        raise EOFError
    return cursor.padded(_FIXED_SIZES[kind] * (_count(cursor) if several else 1))


def _count(cursor: _Cursor) -> int:
    count = cursor.number()
    if count > MAX_VALUES:
        raise EOFError
    return count
