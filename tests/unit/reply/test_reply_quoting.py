"""Quoting of the customer's mail under a reply, and the subject and id rules that need no mail around them."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.reply.headers import field, mail_id, one_line, reference_chain, reference_id
from domain.reply.quoting import QuotedMail, plain_text, quoted

SENT = datetime(2026, 3, 4, 15, 20, tzinfo=timezone(timedelta(hours=2)))


@given(text=st.text(max_size=3000) | st.integers(0, 20_000).map(lambda times: "ab c\n" * times))
def test_quote_is_bounded(text: str) -> None:
    """However long the customer's mail, one attribution line and at most 60 short quoted lines go out."""  # SE3
    lines = quoted(QuotedMail(sent_at=SENT, name="Ada", text=text)).split("\n")
    assert len(lines) - 2 <= 60 and lines[-1] == ""
    assert all(line.startswith(">") and len(line) <= 74 for line in lines[1:-1])


def test_attribution_names_date_and_sender() -> None:
    """The first line says when (UTC) and by whom, on one line whatever the name holds."""  # SE3
    first = quoted(QuotedMail(sent_at=SENT, name="Ada\r\nBcc: e@x\u202e", text="hello")).split("\n")[0]
    assert first == "On 2026-03-04 at 13:20 UTC, Ada Bcc: e@x wrote:"
    assert quoted(QuotedMail(text="hello")) == "Earlier, you wrote:\n> hello\n"


def test_nested_quotes_and_long_lines() -> None:
    """Older quotes are nested, long lines wrapped at a blank where there is one, and what was cut is marked."""  # SE3
    text = "> older\n\n" + "word " * 20 + "\n" + "x" * 150 + "\nend\n"
    lines = quoted(QuotedMail(sent_at=SENT, name="Ada", text=text)).split("\n")[1:-1]
    assert lines[:2] == [">> older", ">"]
    assert " ".join(line[2:] for line in lines[2:4]) == ("word " * 20).strip()
    assert "".join(line[2:] for line in lines[4:7]) == "x" * 150
    assert quoted(QuotedMail(text="a\n" * 61)).split("\n")[-2] == "> [...]"


def test_plain_text_keeps_what_a_mail_can_carry() -> None:
    """Line ends become LF; controls go, tabs and every printable character stay."""  # RS-65
    assert plain_text("a\r\nb\rc\x00\x1b\td\ud800\u05d0\u200f") == "a\nb\nc\td\ufffd\u05d0\u200f"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (" <A.b@Host.Example> ", "<A.b@Host.Example>"),
        ("a.b@host.example", "<a.b@host.example>"),
        ("your mail <a@b> of today <c@d>", "<a@b>"),
        ("<a b@c>", "<a b@c>"),
        ("a@b (comment)", ""),
        (f"<{'x' * 994}@y>", ""),
    ],
)
def test_reference_id(raw: str, expected: str) -> None:
    """An id goes back as it came, case and all; what no header line can carry is no id."""  # AM9
    assert reference_id(raw) == expected


def test_reference_chain_has_the_parent_last_and_once() -> None:
    """Repeated ids are named once and the parent closes the chain."""  # SE1
    assert reference_chain(["<a@x>", "<p@x>", "bad", "<a@x>", "b@x"], "<p@x>") == ("<a@x>", "<b@x>", "<p@x>")
    assert reference_chain(["<a@x>"], "") == ("<a@x>",)


def test_mail_id_form() -> None:
    """Our Message-ID names the outbox row and the mailbox domain."""  # OB2
    assert mail_id("ob-7", "r4nd", "desk.example") == "<ob-7.r4nd@desk.example>"


@given(st.lists(st.text("abc<>@.", min_size=1, max_size=1100), max_size=6))
def test_field_lines_are_never_too_long_to_fold(tokens: list[str]) -> None:
    """A field is cut only between tokens, and a line is over 76 octets only where one token alone is."""  # SE1
    lines = field("References", tokens).decode().removesuffix("\r\n").split("\r\n ")
    assert " ".join(lines) == " ".join(["References:", *tokens])
    assert all(len(line) + 1 <= 76 or " " not in line for line in lines[1:])


def test_one_line_cuts_by_characters() -> None:
    """The limit counts characters, and a cut leaves no blank at the end."""  # SE1
    assert one_line("\u00fc" * 300, 250) == "\u00fc" * 250
    assert one_line("ab \u2066cd\u2069", 3) == "ab"
