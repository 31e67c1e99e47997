"""A bounce is attacker text like any other: nothing in it may raise, and its size is bounded (BO1, MI2, MI3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.bounces import read_bounce
from domain.bounces.reader import MAX_NESTING_SIGNS, MAX_RECIPIENTS

DAEMON = b"Return-Path: <>\nFrom: mailer-daemon@mx.example\nSubject: Undelivered Mail\n"
STATUS = DAEMON + b'Content-Type: multipart/report; boundary="b"\n\n--b\nContent-Type: message/delivery-status\n\n'
GROUP = b"Final-Recipient: rfc822;anna@customer.example\nAction: failed\nStatus: 5.1.1\n"

fragments = st.sampled_from(
    [
        GROUP,
        b"\n",
        b"\n\n",
        b"--b\n",
        b"--b--\n",
        b"Content-Type: message/rfc822\n\n",
        b"Content-Type: message/delivery-status\n\n",
        b"Content-Type: message/feedback-report\n\nFeedback-Type: abuse\n",
        b"Content-Type: multipart/mixed; boundary=b\n\n",
        b"Content-Type: text/plain; charset=nonsense\n\n",
        b"Content-Transfer-Encoding: base64\n",
        b"Message-ID: <>\nMessage-ID: <<a@b>>\n",
        b"Status: =?x?q?\xff\n",
        b"Action:\nStatus:\nFinal-Recipient:\n",
        b"X-Failed-Recipients: ,,\n",
        b"\xff\xfe\x00",
        b"550 5.1.1 <",
    ]
)


@given(st.binary(max_size=300))
def test_no_bytes_raise(raw: bytes) -> None:
    """Any bytes, alone or behind the headers of a bounce, give a value."""  # BO1, MI2
    read_bounce(raw)
    assert read_bounce(DAEMON + b"\n" + raw) is not None
    read_bounce(STATUS + raw)


@given(st.lists(fragments, max_size=25).map(b"".join))
def test_no_mixture_of_report_pieces_raises(body: bytes) -> None:
    """Pieces of reports in any order keep being reports of something."""  # BO1, MI2
    found = read_bounce(STATUS + body)
    assert found is not None and len(found.recipients) <= MAX_RECIPIENTS


@given(st.lists(fragments, max_size=12).map(b"".join))
def test_no_headers_raise(head: bytes) -> None:
    """The same pieces as headers of the mail itself."""  # BO1, MI2
    read_bounce(head + DAEMON + b"\n")


def nested(levels: int) -> bytes:
    """Multiparts within each other, each with a boundary of its own."""
    return DAEMON + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level) for level in range(levels)
    )


@pytest.mark.parametrize("levels", [1, MAX_NESTING_SIGNS, MAX_NESTING_SIGNS + 1, 2_000])
def test_deep_nesting_neither_recurses_nor_hides_the_bounce(levels: int) -> None:
    """Two thousand levels are not walked; the title still tells that it is a report."""  # MI3, RS-26
    assert read_bounce(nested(levels)) is not None


def test_a_flood_of_recipients_is_cut() -> None:
    """Thousands of recipients in one report are read up to a limit."""  # BO1, MI3
    found = read_bounce(STATUS + b"Reporting-MTA: dns; x\n\n" + (GROUP + b"\n") * 3_000)
    assert found is not None and 0 < len(found.recipients) <= MAX_RECIPIENTS


def test_a_huge_body_is_read_up_to_a_limit() -> None:
    """Only the first mebibyte counts, so the report at its beginning is still found."""  # MI3
    found = read_bounce(STATUS + GROUP + b"\n--b\n\n" + b"x" * (8 << 20))
    assert found is not None and found.status == "5.1.1"
