"""The child that reads files: rights given up before the first byte of a file arrives, one order after another (HW12).

An order says `read` with a file, `open` with an archive that later orders name, or `member` with a name in it.
"""

import hashlib
import io
import json
import zipfile
from dataclasses import asdict
from typing import Any

from adapters.importing.limits import FileRefused
from adapters.importing.reading import list_archive, read_file, read_member
from adapters.sandbox_child import framed, load_whole, run
from domain.knowledge.blocks import ReadDocument

_LOADED_WHOLE = ("encodings", "charset_normalizer", "pypdf", "pypdf._crypt_providers", "pypdf.generic", "mammoth",
                 "mammoth.docx", "mammoth.writers", "markdown_it", "domain.mail", "domain.text")  # fmt: skip


class Desk:
    """Carries out orders; holds the archive that is open."""

    def __init__(self) -> None:
        self.archive: zipfile.ZipFile | None = None

    def answer(self, order: dict[str, Any], raw: bytes) -> list[bytes]:
        """The frames of an answer; whatever goes wrong is a reason."""
        try:
            return framed({"ok": True}, json.dumps(self._do(order, raw)).encode())
        except FileRefused as refusal:
            return framed({"error": refusal.reason}, b"")
        except MemoryError:
            return framed({"error": "reader_memory", "worn": True}, b"")
        except Exception as fault:  # noqa: BLE001 - any fault of a reader is a refusal of that one file
            return framed({"error": "broken_file", "fault": type(fault).__name__, "worn": True}, b"")

    def _do(self, order: dict[str, Any], raw: bytes) -> Any:
        if order["do"] == "read":
            return _shown(read_file(raw, order["name"]), raw)
        if order["do"] == "member" and self.archive is not None:
            document, content = read_member(self.archive, order["name"])
            return _shown(document, content)
        return self._open(raw)

    def _open(self, raw: bytes) -> list[str] | None:
        names = list_archive(raw)
        self.archive = zipfile.ZipFile(io.BytesIO(raw)) if names is not None else None
        return names


def _shown(document: ReadDocument, content: bytes) -> dict[str, Any]:
    return {**asdict(document), "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def _warm_up() -> None:
    """Load everything that is loaded lazily: afterwards no file can be opened any more."""
    load_whole(_LOADED_WHOLE)
    japanese = "送料は全国一律五百円です。" * 8
    samples = {"a.md": b"# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "a.html": b"<h1>A</h1><p>b<p>c",
               "a.csv": b"q,a\n1,2\n", "a.txt": japanese.encode("cp932"), "a.pdf": _small_pdf(), "b.pdf": _locked_pdf(),
               "a.docx": _small_docx()}  # fmt: skip
    desk = Desk()
    for name, raw in samples.items():
        desk.answer({"do": "read", "name": name}, raw)


def _small_pdf() -> bytes:
    from pypdf import PdfWriter

    writer, out = PdfWriter(), io.BytesIO()
    writer.add_blank_page(width=72, height=72)
    writer.write(out)
    return out.getvalue()


def _locked_pdf() -> bytes:
    from pypdf import PdfWriter

    writer, out = PdfWriter(), io.BytesIO()
    writer.add_blank_page(width=72, height=72)
    writer.encrypt("warm", algorithm="AES-256")
    writer.write(out)
    return out.getvalue()


def _small_docx() -> bytes:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f'<w:document xmlns:w="{space}"><w:body><w:p><w:r><w:t>warm</w:t></w:r></w:p></w:body></w:document>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", body)
    return out.getvalue()


if __name__ == "__main__":
    run(_warm_up, Desk().answer)
