"""Transfer encodings, broken and whole, and files written into the text (MI5)."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.mail.inline_files import split_inline_files
from domain.mail.transfer import decode_base64, decode_transfer
from tests.unit.mail.mail_corpus import CORPUS, contents, parsed


@given(st.binary(max_size=300))
def test_well_formed_base64_is_exact(data: bytes) -> None:
    """Every base64 of the standard library decodes to its bytes without a defect (MI5)."""
    assert decode_base64(base64.encodebytes(data)) == (data, ())


@pytest.mark.parametrize(
    ("encoded", "decoded"),
    [
        (b"SGVsbG8gd29ybGQ", b"Hello world"),
        (b"SGVs*bG8g!d29y\r\nbGQ=", b"Hello world"),
        (b"SGVsbG8=\r\nIHdvcmxk", b"Hello world"),
        (b"SGVsbG8gd29ybGQ=\r\n--\r\nThis list is free of charge.", b"Hello world"),
        (b"SGVsbG8gd29ybGQA=A", b"Hello world\x00"),
        (b"A", b""),
    ],
)
def test_broken_base64_decodes_as_far_as_it_goes(encoded: bytes, decoded: bytes) -> None:
    """Junk, lost padding, joined runs and a footer of a list cost nothing but a defect (MI5)."""
    assert decode_base64(encoded) == (decoded, ("base64_broken",))


def test_broken_quoted_printable_keeps_what_it_cannot_read() -> None:
    """A bad escape stays as it is written (MI5)."""
    shown = parsed(CORPUS["broken qp"])
    assert shown.text == "café =ZZ end"
    assert "quoted_printable_broken" in shown.defects


@pytest.mark.parametrize("encoding", ["7bit", "8BIT", "binary", "", " Quoted-Printable; x"])
def test_known_encodings_are_no_defect(encoding: str) -> None:
    """Case, blanks and parameters do not make an encoding unknown (MI5)."""
    assert decode_transfer(b"text", encoding) == (b"text", ())


def test_an_unknown_encoding_stays_raw() -> None:
    """What nobody can decode is shown as it came (MI5)."""
    assert decode_transfer(b"a=41", "x-secret") == (b"a=41", ("unknown_transfer_encoding",))


def test_uuencode_in_the_text_becomes_an_attachment() -> None:
    """The block leaves the text and stands among the attachments under its name (MI5)."""
    shown = parsed(CORPUS["uuencode"])
    assert shown.text == "Here it is:\nRegards"
    assert [each.name for each in shown.attachments] == ["hello.txt"]
    assert list(contents(CORPUS["uuencode"]).values()) == [b"hello"]


def test_yenc_in_the_text_becomes_an_attachment() -> None:
    """The same for yEnc (MI5)."""
    assert list(contents(CORPUS["yenc"]).values()) == [b"hello"]
    assert parsed(CORPUS["yenc"]).text == "Here:\nbye"


@pytest.mark.parametrize("text", [b"begin 644 notes\r\nThis is how it began.\r\n", b"=ybegin line=1 name=x\r\nno end"])
def test_prose_that_looks_like_a_file_stays(text: bytes) -> None:
    """The word `begin` alone takes nothing out of a text (MI5)."""
    assert split_inline_files(text) == (text, ())


def test_hostile_repetition_is_decoded_in_linear_steps() -> None:
    """Padding after every character, and beginnings of files without an end: bounded work, nothing lost (MI2, MI5)."""
    padded = decode_base64(b"QUJD" + b"QQ==" * 300_000)
    assert padded.data.startswith(b"ABCA" + b"A" * 900)
    endless = b"=ybegin line=1 name=a\n" * 40_000
    assert split_inline_files(endless) == (endless, ())


@given(st.binary(max_size=200), st.sampled_from(["base64", "quoted-printable", "x-uuencode", "yenc", ""]))
def test_no_bytes_break_a_decoder(data: bytes, encoding: str) -> None:
    """Whatever the bytes, decoding returns bytes (MI2)."""
    assert isinstance(decode_transfer(data, encoding).data, bytes)
    assert isinstance(split_inline_files(b"begin 644 x\n" + data + b"\n=ybegin name=a\n" + data)[0], bytes)
