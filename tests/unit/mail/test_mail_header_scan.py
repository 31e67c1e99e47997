"""The bounded look at the headers during the request (RC8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.mail.header_scan import HeaderScan, scan_headers
from domain.mail.limits import MAX_HEADER_BLOCK_BYTES
from tests.unit.mail.mail_corpus import CORPUS, mail, parsed


def test_the_identifying_headers_are_decoded() -> None:
    """Ids, sender, recipients, subject and date come out decoded, one line each (RC8)."""
    raw = (
        b"From: =?utf-8?q?J=C3=BCrgen?= <Jay@Customer.example>\r\nTo: support@shop.example\r\nCc: b@x.example\r\n"
        b"Subject: =?utf-8?q?x=0D=0ABcc:_v@x?=\r\nDate: Mon, 1 Jun 2026\r\n 10:00:00 +0200\r\n"
        b"Message-ID: <A@B>\r\n\r\nbody"
    )
    assert scan_headers(raw) == HeaderScan(
        message_id="A@b",
        message_id_raw="<A@B>",
        from_="Jürgen <Jay@Customer.example>",
        from_address="jay@customer.example",
        to="support@shop.example",
        cc="b@x.example",
        subject="x Bcc: v@x",
        date="Mon, 1 Jun 2026 10:00:00 +0200",
        body_offset=raw.index(b"body"),
    )


@pytest.mark.parametrize("name", sorted(CORPUS))
def test_scan_and_parser_agree(name: str) -> None:
    """The scan of the request and the parser of the workflow see the same mail (RC8)."""
    scan, full = scan_headers(CORPUS[name]), parsed(CORPUS[name])
    assert (scan.message_id, scan.subject, scan.date) == (full.message_id, full.subject, full.date_raw)
    assert scan.from_address == (full.from_.identity if full.from_ else "")


def test_no_more_than_256_kib_is_read() -> None:
    """What stands beyond the bound is not seen, however large the mail (RC8)."""
    raw = b"X: y\r\n" * (MAX_HEADER_BLOCK_BYTES // 6 + 1) + mail(b"x")
    assert scan_headers(raw).subject == ""
    assert scan_headers(mail(b"x" * 1_000_000)).subject == "Order 4711"


@given(st.binary(max_size=600))
def test_any_bytes_can_be_scanned(raw: bytes) -> None:
    """No bytes raise (RC8)."""
    assert 0 <= scan_headers(raw).body_offset <= len(raw)
