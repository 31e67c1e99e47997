"""A Word file as blocks: its styles become headings, then it is read like a page. Images and links are not resolved."""

import io
import zipfile
from typing import Any
from xml.parsers.expat import ExpatError

import mammoth  # type: ignore[import-untyped]

from adapters.importing.archives import checked_members
from adapters.importing.html_reader import read_html
from adapters.importing.limits import OFFICE_UNPACKED_BYTES, FileRefused
from domain.knowledge.blocks import ReadDocument

_PARTS = "word/document.xml"


def is_docx(archive: zipfile.ZipFile) -> bool:
    """Whether an archive is a Word file."""
    return _PARTS in archive.namelist()


def read_docx(raw: bytes) -> ReadDocument:
    """The blocks of a Word file. Raises FileRefused: zip_bomb, broken_file."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        checked_members(archive, OFFICE_UNPACKED_BYTES)
        if archive.testzip() is not None:
            raise FileRefused("broken_file")
    try:
        html = mammoth.convert_to_html(io.BytesIO(raw), convert_image=_no_image, external_file_access=False).value
    except (zipfile.BadZipFile, ExpatError, KeyError, ValueError, TypeError, AttributeError, IndexError):
        raise FileRefused("broken_file") from None
    read = read_html(f"<body>{html}</body>")
    return ReadDocument("", "docx", read.blocks)


def _no_image(image: Any) -> list[Any]:
    """Pictures hold no text; their bytes never become part of the page."""
    return []
