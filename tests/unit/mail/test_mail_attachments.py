"""Attachments: digests, sniffed types, flags and numbers (MI19, HK2)."""

import hashlib
import io
import zipfile

import pytest

from domain.mail.limits import MAX_ATTACHMENTS
from domain.mail.sniff import file_flags, sniff_type
from tests.unit.mail.mail_corpus import PDF, PNG, contents, file, html, parsed, part, text, whole

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 64
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def zipped(*names: str) -> bytes:
    """A zip archive with those entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "content")
    return buffer.getvalue()


def locked_zip() -> bytes:
    """A zip whose first entry says it is encrypted."""
    data = bytearray(zipped("secret.txt"))
    data[6] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "name", "declared", "flags"),
    [
        (PDF, "a.pdf", "application/pdf", set()),
        (PDF, "a.pdf", "application/octet-stream", set()),
        (PDF, "a.pdf", "", set()),
        (b"\r\n" + PDF, "a.pdf", "application/pdf", set()),
        (b"MZ\x90\x00", "a.pdf", "application/pdf", {"type_mismatch", "executable"}),
        (b"plain words", "a.pdf", "application/pdf", {"type_mismatch"}),
        (PNG, "a.jpg", "image/jpeg", {"type_mismatch"}),
        (b"x", "photo.jpg.exe", "image/jpeg", {"type_mismatch", "executable"}),
        (b"words", "note.txt", "text/plain", set()),
        (b"<html><script>", "note.txt", "text/plain", {"type_mismatch"}),
        (b"<svg onload=x>", "a.svg", "image/svg+xml", set()),
        (zipped("a.txt"), "a.zip", "application/zip", {"archive"}),
        (locked_zip(), "a.zip", "application/x-zip-compressed", {"archive", "encrypted"}),
        (zipped("[Content_Types].xml", "word/document.xml"), "a.docx", DOCX, set()),
        (zipped("[Content_Types].xml", "word/vbaProject.bin"), "a.docm", "", {"macros"}),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "a.xlsx", "application/vnd.ms-excel", set()),
        (zipped("META-INF/MANIFEST.MF"), "a.pdf", "application/pdf", {"type_mismatch", "archive"}),
        (OLE, "a.xls", "application/vnd.ms-excel", set()),
        (OLE + b"_VBA_PROJECT", "a.doc", "application/msword", {"macros"}),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "a.docx", "", {"encrypted"}),
        (PDF + b"/Encrypt 5 0 R", "a.pdf", "application/pdf", {"encrypted"}),
        (b"BM and other letters", "a.txt", "text/plain", set()),
        (b"", "a.pdf", "application/pdf", set()),
    ],
)
def test_what_a_file_pretends_is_flagged(data: bytes, name: str, declared: str, flags: set[str]) -> None:
    """Content, name and declared type are held against each other; programs, macros and locks are named (MI19)."""
    assert set(file_flags(data, name, declared, sniff_type(data))) == flags


def test_a_file_is_kept_by_its_digest() -> None:
    """Name, types, size and digest stand in the list; the bytes are there once, under the digest (MI19)."""
    raw = whole(b"mixed", text("x"), file(PDF, b"application/pdf", b"a.pdf"), file(PDF, b"application/pdf", b"b.pdf"))
    digest = hashlib.sha256(PDF).hexdigest()
    shown = parsed(raw)
    assert [(each.name, each.size_bytes, each.sha256) for each in shown.attachments] == [
        ("a.pdf", len(PDF), digest),
        ("b.pdf", len(PDF), digest),
    ]
    assert shown.attachments[0].declared_type == shown.attachments[0].sniffed_type == "application/pdf"
    assert contents(raw) == {digest: PDF}


def test_a_nameless_file_gets_a_name() -> None:
    """Every attachment has a usable name (MI7, MI19)."""
    shown = parsed(whole(b"mixed", text("x"), part(PNG, b"Content-Type: image/png")))
    assert shown.attachments[0].name == "attachment-1.png"


@pytest.mark.parametrize(("reference", "inline"), [("cid:p@x", True), ("cid:p%40x", True), ("cid:other", False)])
def test_pictures_in_the_html_are_inline(reference: str, inline: bool) -> None:
    """An image is matched to the HTML by Content-ID (MI19)."""
    picture = file(PNG, b"image/png", b"p.png", b"Content-ID: <p@x>")
    shown = parsed(whole(b"related", html(f'<p>hi</p><img src="{reference}">'), picture))
    assert ("inline" in shown.attachments[0].flags) is inline


def test_at_most_a_hundred_files_are_listed() -> None:
    """The rest stays in the raw mail, and the limit is named (MI19)."""
    files = [file(b"%d" % number, b"text/csv", b"f.csv") for number in range(MAX_ATTACHMENTS + 5)]
    shown = parsed(whole(b"mixed", text("x"), *files))
    assert len(shown.attachments) == MAX_ATTACHMENTS
    assert "too_many_attachments" in shown.defects


def test_a_declared_type_is_a_type_or_nothing() -> None:
    """What is no media type does not reach a page or a header (MI19)."""
    shown = parsed(whole(b"mixed", text("x"), file(PNG, b"im<script>age", b"p.png")))
    assert all("<" not in each.declared_type for each in shown.attachments)
