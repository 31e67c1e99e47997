"""Parameters and file names (MI7, C22, RS-30)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.mail.parameters import read_parameters, safe_file_name
from tests.unit.mail.mail_corpus import CORPUS, parsed


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b'attachment; filename="bill.pdf"', "bill.pdf"),
        (b"attachment; filename=bill.pdf", "bill.pdf"),
        (b"attachment; filename*=utf-8''%C3%BCber%20uns.pdf", "über uns.pdf"),
        (b"attachment; filename*=utf-8'de'%C3%BCber.pdf; filename=uber.pdf", "über.pdf"),
        (b"attachment; filename*0=a; filename*1=b; filename*2=.pdf", "ab.pdf"),
        (b"attachment; filename*2=.pdf; filename*0=a", "a.pdf"),
        (b"attachment; filename*0*=utf-8''%C3%BC; filename*1=b%20; filename*2*=%C3%BC", "üb%20ü"),
        (b"attachment; filename*=%FCber.pdf", "über.pdf"),
        (b"attachment; filename*=utf-8''%FCber.pdf", "über.pdf"),
        (b"attachment; filename*=x-nope''%FCber.pdf", "über.pdf"),
        (b'attachment; filename="=?utf-8?q?=C3=BCber.pdf?="', "über.pdf"),
        (b"attachment; filename==?utf-8?b?w7xiZXI=?=.pdf", "über.pdf"),
        (b'attachment; filename="\xfcber.pdf"', "über.pdf"),
        (b'attachment; filename="a;b.pdf"', "a;b.pdf"),
        (b'attachment; filename="say \\"hi\\".pdf"', 'say "hi".pdf'),
        (b'attachment; filename="C:\\bills\\bill.pdf"', "C:\\bills\\bill.pdf"),
        (b'attachment; filename="never closed.pdf', "never closed.pdf"),
        (b'attachment;\r\n filename="folded\r\n name.pdf"', "folded name.pdf"),
    ],
)
def test_every_form_of_a_file_name_resolves(header: bytes, name: str) -> None:
    """RFC 2231 whole, in pieces, with gaps or a wrong charset; encoded words and raw bytes (MI7, C22)."""
    assert read_parameters(header).parameters["filename"] == name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("..\\..\\a\\\u202egpj.exe", "gpj.exe"),
        ("../../etc/passwd", "passwd"),
        ("a\u202egpj.exe", "agpj.exe"),
        ("a\r\nb\x00.txt", "a b.txt"),
        ("  ..  ", "attachment"),
        ("", "attachment"),
        ("dir/", "dir"),
        ('q"<>|?.txt', "q_____.txt"),
        ("x" * 300 + ".pdf", "x" * 196 + ".pdf"),
        ("x" * 300, "x" * 200),
    ],
)
def test_a_file_name_is_a_safe_base_name(name: str, safe: str) -> None:
    """No path, control, bidi mark or reserved character is left; at most 200 characters with the extension (MI7)."""
    assert safe_file_name(name) == safe


def test_a_disguised_program_is_named_and_flagged() -> None:
    """The name of RS-30 in pieces: safe base name, no bidi mark, mismatch with image/jpeg flagged."""
    (attachment,) = parsed(CORPUS["name in pieces"]).attachments
    assert attachment.name == "gpj.exe"
    assert {"type_mismatch", "executable"} <= set(attachment.flags)


@given(st.binary(max_size=300))
def test_any_bytes_are_parameters(raw: bytes) -> None:
    """No bytes raise, alone or behind a parameter name (MI2)."""
    for header in (raw, b"a/b; name*0*=" + raw, b"a/b; name*=" + raw + b"; name*1*=" + raw):
        for value in read_parameters(header).parameters.values():
            assert 0 < len(safe_file_name(value)) <= 200
