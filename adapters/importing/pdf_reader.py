"""A PDF as blocks, page by page. A file that only forbids copying opens; one that wants a password does not."""

import io
import re
from collections.abc import Iterator

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from adapters.importing.limits import PAGES, TEXT_CHARACTERS, FileRefused
from domain.knowledge.blocks import Block, ReadDocument

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_BROKEN_WORD = re.compile(r"(?<=[a-zäöüßéèáíóúñ])-\n(?=[a-zäöüßéèáíóúñ])")


def read_pdf(raw: bytes) -> ReadDocument:
    """The text of each page. Raises FileRefused: password, too_many_pages, no_text_layer, broken_file."""
    try:
        reader = PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise FileRefused("password")
        if len(reader.pages) > PAGES:
            raise FileRefused("too_many_pages")
        title = str(reader.metadata.get("/Title") or "").strip() if reader.metadata else ""
        blocks = tuple(_blocks(reader))
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise FileRefused("broken_file") from None
    if not blocks:
        raise FileRefused("no_text_layer")
    return ReadDocument(title, "pdf", blocks)


def _blocks(reader: PdfReader) -> Iterator[Block]:
    total = 0
    for number, page in enumerate(reader.pages, start=1):
        text = page.extract_text()
        total += len(text)
        if total > TEXT_CHARACTERS:
            raise FileRefused("too_much_text")
        for paragraph in _PARAGRAPH.split(text):
            words = _BROKEN_WORD.sub("", paragraph).strip()
            if words:
                yield Block(words, page=number)
