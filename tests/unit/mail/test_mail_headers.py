"""Header blocks and encoded words (MI3, MI6, C21, RS-29)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.mail.encoded_words import decode_header, decode_words, unfold
from domain.mail.headers import read_header_block
from domain.mail.limits import MAX_HEADER_BYTES, MAX_HEADERS
from tests.unit.mail.mail_corpus import CORPUS, mail, parsed


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        (b"=?utf-8?b?R3LDvA==?= =?utf-8?b?w59l?=", "Grüße"),
        (b"=?utf-8?q?Gr=C3?=\r\n =?utf-8?q?=BC=C3=9Fe?=", "Grüße"),
        (b"=?UTF-8*de?Q?Gr=C3=BC=C3=9Fe?= an alle", "Grüße an alle"),
        (b"=?x-unheard-of?q?Gr=FC=DFe?=", "Grüße"),
        (b"Gr\xfc\xdfe", "Grüße"),
        ("Grüße".encode(), "Grüße"),
        (b"Re: =?iso-8859-1?Q?Gr=FC=DFe?= (=?utf-8?q?=C3=BC?=)", "Re: Grüße (ü)"),
        (b"=?utf-8?Q?Where is it? Please?=", "Where is it? Please"),
        (b"=?iso-2022-jp?B?GyRCQ20bKEI=?= =?iso-2022-jp?B?GyRCSjgbKEI=?=", "注文"),
        (b"=?utf-8?q?broken", "=?utf-8?q?broken"),
        (b"a =?utf-8?q?=20?= b", "a   b"),
    ],
)
def test_encoded_words_are_joined_before_decoding(raw: bytes, text: str) -> None:
    """Neighbours become one run, so a character split between two words is whole again (MI6, RS-28)."""
    assert decode_header(raw).text == text


@pytest.mark.parametrize("hidden", [b"=0D=0A", b"=0A", b"=0D", b"=00", b"=E2=80=A8", b"=0B", b"=C2=85"])
def test_no_line_break_comes_out_of_an_encoded_word(hidden: bytes) -> None:
    """An encoded CR, LF, NUL or Unicode line break cannot start a second header (MI6, C21, RS-29)."""
    subject = parsed(mail(b"x", subject=b"=?utf-8?q?x" + hidden + b"Bcc:_v@evil.example?=")).subject
    assert subject in ("x Bcc: v@evil.example", "xBcc: v@evil.example")


def test_the_hidden_newline_of_the_corpus_is_one_line() -> None:
    """The subject of C21 is stored as one line (RS-29)."""
    assert parsed(CORPUS["hidden newline"]).subject == "x Bcc: v@evil.example"


def test_folded_headers_are_one_line() -> None:
    """Folding white space is undone, stray line ends are blanks (RFC 5322)."""
    assert unfold(b"a\r\n b\n\tc\rd") == b"a b\tc d"


def test_a_block_ends_at_the_first_line_that_is_no_header() -> None:
    """Without a blank line the text is not lost: it is the body (MI1)."""
    block = read_header_block(b"Subject: x\r\nnot a header\r\n\r\nrest")
    assert block.fields == (("subject", b"x"),)
    assert block.body_start == len(b"Subject: x\r\n")
    assert block.defects == ("header_without_blank_line",)


@pytest.mark.parametrize(
    "raw", [b"From x@y Mon Jun 1\r\nSubject: x\r\n\r\n", b">From x\r\nSubject: x\r\n\r\n", b": y\nSubject: x\n\n"]
)
def test_mailbox_lines_and_nameless_fields_are_passed_over(raw: bytes) -> None:
    """A first line of an mbox file and a field without a name do not end the block (MI1)."""
    assert read_header_block(raw).fields == (("subject", b"x"),)


def test_one_header_is_cut_at_64_kib_and_the_rest_is_kept() -> None:
    """A huge header neither hides those after it nor is lost (MI3)."""
    block = read_header_block(b"X: " + b"y" * 100_000 + b"\nSubject: s\n\nbody")
    assert len(block.first("x")) == MAX_HEADER_BYTES
    assert block.first("subject") == b"s"
    assert block.excess.strip() == b"y" * (100_000 - MAX_HEADER_BYTES)
    assert block.defects == ("header_too_long",)


def test_headers_beyond_a_thousand_are_one_opaque_attachment() -> None:
    """The first thousand are read, the others kept in one piece, and the body is still found (MI3)."""
    shown = parsed(CORPUS["many headers"])
    assert len(shown.headers) == MAX_HEADERS
    assert shown.text == "after"
    assert [(each.name, each.flags) for each in shown.attachments] == [("headers.txt", ("opaque_excess",))]
    assert "too_many_headers" in shown.defects


def test_a_header_block_beyond_256_kib_is_cut() -> None:
    """Many large headers are bounded by their sum too (MI3)."""
    raw = b"".join(b"X-%d: " % n + b"y" * 50_000 + b"\n" for n in range(20)) + b"\nbody"
    block = read_header_block(raw)
    assert "header_block_too_big" in block.defects
    assert len(block.fields) == 5
    assert raw[block.body_start :] == b"body"


def test_repeated_singletons_use_the_first() -> None:
    """Two subjects or dates: the first counts and the repetition is a defect (MI8)."""
    shown = parsed(mail(b"x", b"Subject: second", b"Date: Tue, 2 Jun 2026 10:00:00 +0200", subject=b"first"))
    assert shown.subject == "first"
    assert shown.date_raw == "Mon, 1 Jun 2026 10:00:00 +0200"
    assert {"repeated_subject", "repeated_date"} <= set(shown.defects)


@given(st.binary(max_size=300))
def test_any_header_value_decodes_to_one_clean_line(raw: bytes) -> None:
    """No bytes raise, and no control character survives (MI2, MI6)."""
    for text in (decode_header(raw).text, decode_words(raw.decode("latin-1"))):
        assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in text)


@given(st.binary(max_size=400))
def test_any_bytes_have_a_header_block(raw: bytes) -> None:
    """No bytes raise, and the body begins inside them (MI2)."""
    assert 0 <= read_header_block(raw).body_start <= len(raw)
