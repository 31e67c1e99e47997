"""Message-IDs and references (AM9, AM10, C20, RS-25)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.mail.message_ids import all_ids, normalise_message_id
from tests.unit.mail.mail_corpus import CORPUS, parsed


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("<Abc.1@Mail.Example>", "Abc.1@mail.example"),
        ("Abc.1@Mail.Example", "Abc.1@mail.example"),
        ("  <a@b>  ", "a@b"),
        ("<a@b> (added by (some) gateway)", "a@b"),
        ("(comment) a@b", "a@b"),
        ("<a@\r\n\tb>", "a@b"),
        ("<a@b> <c@d>", "a@b"),
        ("<[1@x]>", "[1@x]"),
        ("<<a@b>>", "a@b"),
        ('<"a b"@c>', '"ab"@c'),
        ("<a@b@C>", "a@b@c"),
        ("<>", ""),
        ("<@>", ""),
        ("<@x>", ""),
        ("<a@>", ""),
        ("", ""),
        ("no at sign", ""),
        ("<" + "x" * 998 + "@y>", ""),
        ("<" + "x" * 996 + "@y>", "x" * 996 + "@y"),
        ("unknown-1717230000", ""),
    ],
)
def test_the_normal_form(raw: str, normal: str) -> None:
    """First `<...>` or the whole token, without comments and folds, only the domain in lower case (AM9)."""
    assert normalise_message_id(raw) == normal
    assert normalise_message_id(raw.encode()) == normal


@pytest.mark.parametrize("raw", ["<>", "<@>", "<[1@x]>", "<<a@b>>", None])
def test_odd_ids_are_accepted(raw: str | None) -> None:
    """Every id of RS-25 is parsed, and the raw form is kept beside the normal one (C20, AM9)."""
    header = f"Message-ID: {raw}\r\n" if raw else ""
    shown = parsed(f"From: a@x.example\r\n{header}\r\nbody".encode())
    assert shown.message_id_raw == (raw or "")
    assert shown.text == "body"
    assert ("message_id_unusable" in shown.defects) is (shown.message_id == "")


def test_the_references_of_odd_mail_are_kept() -> None:
    """What can be used of odd references still threads the mail (C20, AM10)."""
    shown = parsed(CORPUS["bad ids"])
    assert shown.in_reply_to == ("[1@x]",)
    assert shown.references == ("a@b", "c@d.test")


@pytest.mark.parametrize(
    ("raw", "ids"),
    [
        ("Your message of Monday <a@b> and <c@D>", ("a@b", "c@d")),
        ("<a@b><c@d> <a@B>", ("a@b", "c@d")),
        ("a@b c@D", ("a@b", "c@d")),
        ('"a@b", <>', ()),
        ("", ()),
    ],
)
def test_every_id_in_free_text_is_found(raw: str, ids: tuple[str, ...]) -> None:
    """Bracketed ids in any text, bracketless ones otherwise; each once (AM10)."""
    assert all_ids(raw) == ids


def test_long_references_keep_both_ends() -> None:
    """At most the first and the last fifty are looked at (AM10)."""
    ids = all_ids(" ".join(f"<{number}@x>" for number in range(300)))
    assert len(ids) == 100
    assert (ids[0], ids[49], ids[50], ids[-1]) == ("0@x", "49@x", "250@x", "299@x")


@given(st.text(max_size=200) | st.text(st.sampled_from('<>@()" a.'), max_size=80))
def test_any_text_is_read(value: str) -> None:
    """No text raises; what comes out is normal already (MI2, AM9)."""
    for found in (normalise_message_id(value), *all_ids(value)):
        assert normalise_message_id(f"<{found}>") == found
