"""Files good and bad, and an embedder that needs no model, for tests of knowledge."""

import hashlib
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from pypdf import PdfWriter

from adapters.importing.limits import FILE_BYTES
from contracts.errors import TransientFault
from contracts.llm import UsageContext

PAGE = "# Delivery\n\n## Times\n\nDelivery takes two working days.\n\n## Costs\n\nDelivery costs 4.90 euros.\n"
JAPANESE = (
    "# 配送\n\n送料は全国一律五百円です。ご注文から三日以内にお届けします。"
    "返品は十四日以内にお願いいたします。\n"
)


class HashedWords:
    """Texts that share words have vectors that are near; another model name makes other vectors of another width."""

    def __init__(self, model: str = "words-16", width: int = 16) -> None:
        self.model, self.width = model, width
        self.is_down = False
        self.others: dict[str, HashedWords] = {}
        self.embedded = 0

    async def embed(self, texts: Sequence[str], context: UsageContext) -> list[list[float]]:
        """One vector per text."""
        if self.is_down:
            raise TransientFault("The endpoint does not answer.")
        self.embedded += len(texts)
        return [self._vector(text) for text in texts]

    def of(self, model: str) -> "HashedWords | None":
        """The embedder of a former model."""
        return self if model == self.model else self.others.get(model)

    def _vector(self, text: str) -> list[float]:
        vector = [0.001] * self.width
        for word in text.lower().split():
            digest = hashlib.sha256(f"{self.model}{word.strip('.,?')}".encode()).digest()
            vector[digest[0] % self.width] += 1.0
        return vector


def locked_pdf() -> bytes:
    """A PDF that wants a password."""
    writer, out = PdfWriter(), io.BytesIO()
    writer.add_blank_page(width=200, height=200)
    writer.encrypt("secret", algorithm="AES-256")
    writer.write(out)
    return out.getvalue()


def pdf_of(*pages: str) -> bytes:
    """A PDF with one line of text on each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for n, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    return f"{body}{head}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n".encode()


def docx_of(heading: str, text: str) -> bytes:
    """A Word file with a heading and a paragraph."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
    body = f"<w:p>{style}<w:r><w:t>{heading}</w:t></w:r></w:p><w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
        archive.writestr(
            "word/styles.xml",
            f'<w:styles xmlns:w="{space}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
            "</w:style></w:styles>",
        )
    return out.getvalue()


def zip_of(members: dict[str, bytes]) -> bytes:
    """An archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def bad_folder(folder: Path) -> dict[str, str]:
    """Fills a folder with good files and bad ones; the reasons expected for the bad ones."""
    (folder / "delivery.md").write_text(PAGE)
    (folder / "haiso.txt").write_bytes(JAPANESE.encode("cp932"))
    (folder / "handbook.pdf").write_bytes(pdf_of("Lamps carry a guarantee of five years.", "Bulbs are excluded."))
    (folder / "letter.docx").write_bytes(docx_of("Parking", "There are twenty places behind the house."))
    (folder / "faq.csv").write_text("Frage;Antwort\nWann ist offen?;Von neun bis neunzehn Uhr.\n", encoding="latin-1")
    (folder / "page.html").write_text("<html><title>H</title><nav>menu</nav><main><h1>Repair</h1><p>Ten years.</main>")
    with (folder / "huge.txt").open("wb") as huge:
        huge.truncate(300 * 1024 * 1024)
    (folder / "large.md").write_bytes(b"a" * (FILE_BYTES + 1))
    (folder / "locked.pdf").write_bytes(locked_pdf())
    (folder / "bomb.zip").write_bytes(zip_of({"inner.txt": b"0" * 30_000_000}))
    (folder / "program.txt").write_bytes(bytes(range(256)) * 64)
    (folder / "empty.md").write_bytes(b"")
    (folder / "blank.html").write_text("<html><body><script>1</script> </body></html>")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    (folder / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    return {
        "huge.txt": "too_large", "large.md": "too_large", "locked.pdf": "password", "bomb.zip/inner.txt": "zip_bomb",
        "program.txt": "binary", "empty.md": "empty", "blank.html": "empty", "broken.pdf": "broken_file",
        "old.doc": "old_office",
    }  # fmt: skip
