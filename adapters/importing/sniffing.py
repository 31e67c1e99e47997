"""What a file is, by its bytes; its name only chooses among kinds of text."""

from pathlib import PurePosixPath
from typing import Final

from adapters.importing.limits import FileRefused
from domain.mail.charsets import decode_bytes

MARKDOWN: Final = "markdown"
HTML: Final = "html"
CSV: Final = "csv"
PDF: Final = "pdf"
DOCX: Final = "docx"
ZIP: Final = "zip"

_BY_SUFFIX: Final = {".html": HTML, ".htm": HTML, ".xhtml": HTML, ".csv": CSV, ".tsv": CSV}
_HTML_STARTS: Final = ("<!doctype html", "<html", "<head", "<body")
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE: Final = "EncryptedPackage".encode("utf-16-le")
_WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_SAMPLE_BYTES: Final = 64 * 1024
_CONTROLS: Final = frozenset(range(32)) - {9, 10, 12, 13, 27}
_MOST_CONTROLS: Final = 0.01
_MOST_UNREADABLE: Final = 0.02


def kind_of(raw: bytes, name: str) -> str:
    """The kind of a file: one of the constants above. Raises FileRefused: empty, binary, old_office, password."""
    if not raw.strip():
        raise FileRefused("empty")
    if b"%PDF-" in raw[:1024]:
        return PDF
    if raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return ZIP
    if raw.startswith(_OLE):
        raise FileRefused("password" if _ENCRYPTED_OFFICE in raw else "old_office")
    if _is_binary(raw[:_SAMPLE_BYTES]):
        raise FileRefused("binary")
    return _BY_SUFFIX.get(PurePosixPath(name.lower()).suffix) or _kind_of_text(raw)


def _kind_of_text(raw: bytes) -> str:
    start = raw[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return HTML if start.startswith(tuple(mark.encode() for mark in _HTML_STARTS)) else MARKDOWN


def _is_binary(sample: bytes) -> bool:
    if sample.startswith(_WIDE_MARKS):
        return False
    controls = sum(map(sample.count, (bytes((code,)) for code in _CONTROLS)))
    return controls > _MOST_CONTROLS * len(sample)


def text_of(raw: bytes, declared: str = "") -> str:
    """The text of a file in whatever charset it is. Raises FileRefused: binary, empty."""
    decoded = decode_bytes(raw, declared)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    if decoded.replacements > _MOST_UNREADABLE * max(len(text), 1):
        raise FileRefused("binary")
    if not text.strip():
        raise FileRefused("empty")
    return text
