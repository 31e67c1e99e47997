"""One file, whatever it is, as a document. Runs in the reading child only."""

import re
import zipfile
from collections.abc import Callable

from adapters.importing import sniffing
from adapters.importing.archives import content_members, open_archive, unpacked
from adapters.importing.csv_reader import read_csv
from adapters.importing.docx_reader import is_docx, read_docx
from adapters.importing.html_reader import read_html
from adapters.importing.limits import BLOCKS, FileRefused
from adapters.importing.markdown_reader import read_markdown
from adapters.importing.pdf_reader import read_pdf
from domain.knowledge.blocks import Block, ReadDocument
from domain.knowledge.languages import storable

_OFFICE = "[Content_Types].xml"
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset=[\"']?([A-Za-z0-9_:-]{2,40})", re.IGNORECASE)
_TEXT: dict[str, Callable[[str], ReadDocument]] = {
    sniffing.MARKDOWN: read_markdown,
    sniffing.HTML: read_html,
    sniffing.CSV: read_csv,
}


def read_file(raw: bytes, name: str) -> ReadDocument:
    """The document in a file. Raises FileRefused; an archive of files is `nested_archive`."""
    kind = sniffing.kind_of(raw, name)
    read = _read_archive(raw) if kind == sniffing.ZIP else read_pdf(raw) if kind == sniffing.PDF else None
    if read is None:
        declared = _META_CHARSET.search(raw[:4096]) if kind == sniffing.HTML else None
        read = _TEXT[kind](sniffing.text_of(raw, declared[1].decode() if declared else ""))
    return _sound(read)


def _read_archive(raw: bytes) -> ReadDocument:
    with open_archive(raw) as archive:
        if not is_docx(archive):
            raise FileRefused("unknown_kind" if _OFFICE in archive.namelist() else "nested_archive")
    return read_docx(raw)


def _sound(read: ReadDocument) -> ReadDocument:
    """Without invisible characters, and with something in it."""
    blocks = tuple(
        Block(clean, tuple(map(storable, block.way)), block.page, block.opens)
        for block in read.blocks
        if (clean := storable(block.text)).strip()
    )
    if not blocks:
        raise FileRefused("empty")
    if len(blocks) > BLOCKS:
        raise FileRefused("too_much_text")
    return ReadDocument(storable(read.title), read.kind, blocks, read.notes)


def list_archive(raw: bytes) -> list[str] | None:
    """Names of the pages in an archive; None for a file that is no archive of pages. Raises FileRefused."""
    if not raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return None
    with open_archive(raw) as archive:
        names = archive.namelist()
        return None if is_docx(archive) or _OFFICE in names else content_members(archive)


def read_member(archive: zipfile.ZipFile, name: str) -> tuple[ReadDocument, bytes]:
    """One page of an archive, and its bytes. Raises FileRefused."""
    raw = unpacked(archive, name)
    return read_file(raw, name), raw
