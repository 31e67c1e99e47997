"""The subject of a reply: what the customer wrote, and nothing that could leave its header."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.draft.subject import MAX_SUBJECT_CHARS, draft_subject


@pytest.mark.parametrize(
    ("inbound", "subject"),
    [
        ("RE: x", "RE: x"),
        ("re:x", "re:x"),
        ("x", "Re: x"),
        ("Report", "Re: Report"),
        ("AW: x", "Re: AW: x"),
        ("", "Re: "),
        (None, "Re: "),
        ("  padded  ", "Re: padded"),
    ],
)
def test_reply_prefix_is_added_once(inbound: str | None, subject: str) -> None:
    """A subject that starts with `re:` in any case stays as it is; a missing one gives the bare prefix."""
    # P74, A68
    assert draft_subject(inbound) == subject


@pytest.mark.parametrize("breaker", ["\r\n", "\n", "\r", "\u2028", "\u2029", "\x85", "\x0b"])
def test_line_breaks_become_blanks(breaker: str) -> None:
    """A subject cannot start a header of its own."""
    # P74, SE1, HT16
    subject = draft_subject(f"Order{breaker}Bcc: x@example.org")
    assert len(subject.splitlines()) == 1 and subject.startswith("Re: Order") and "Bcc: x@example.org" in subject


def test_bidi_marks_and_controls_vanish() -> None:
    """Nothing in a subject turns the reading direction or rings a bell."""
    # P74, SE1
    assert draft_subject("inv\u202eoice\u2066\x07\x00 7\u200f") == "Re: invoice 7"


def test_a_hidden_mark_does_not_hide_the_prefix() -> None:
    """Cleaning comes before the prefix is looked for."""
    # P74, SE1
    assert draft_subject("\u200eRe: x") == "Re: x"


def test_long_subjects_end_at_a_whole_letter() -> None:
    """250 characters at most; a combining mark is never parted from its letter."""
    # P74, SE1
    assert len(draft_subject("x" * 400)) == MAX_SUBJECT_CHARS
    assert draft_subject("x" * 245 + "e\u0301" + "y" * 9) == "Re: " + "x" * 245


@given(st.text(max_size=400))
def test_any_subject_is_one_clean_line(inbound: str) -> None:
    """Whatever arrives, what leaves is one line of at most 250 encodable characters that answers."""
    # P74, SE1
    subject = draft_subject(inbound)
    assert subject.casefold().startswith("re:") and len(subject) <= MAX_SUBJECT_CHARS
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in subject)
    assert subject.encode("utf-8")
