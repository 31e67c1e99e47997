"""Subjects as keys: what is stripped, what is kept, and that the key is stable (TH5-TH7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.threads.subjects import (
    MAX_SUBJECT_CHARS,
    has_reply_prefix,
    is_generic_subject,
    is_reply_like,
    is_telling_subject,
    normalized_subject,
)

PREFIXES = (
    "Re Fwd Fw Aw Antw Antwort Wg Sv Vs Vb Vl Ref Réf Tr Res Enc Rv Rif R I Odp Pd Ynt İlt Vá Továbbítás Doorst Atb "
    "Απ Σχετ Πρθ Отв Пересл 回复 答复 转发 返信 転送 회신 전달 השב رد"
).split()


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("colon", [":", "：", " :", ": ", "[2]: ", "(3): ", "^2: ", " [12] : "])
def test_every_prefix_goes_with_every_colon_and_counter(prefix: str, colon: str) -> None:
    """Each listed prefix is stripped in any letter case, with either colon and any counter."""  # TH6
    for written in (prefix, prefix.upper(), prefix.lower()):
        assert normalized_subject(f"{written}{colon}Zahlung offen") == "zahlung offen"


@pytest.mark.parametrize(
    ("subject", "key"),
    [
        ("AW: WG: Re[2]: Réf : TR: Rechnung", "rechnung"),
        ("AW: WG: Re[2]: Rechnung", "rechnung"),
        ("回复：Rechnung", "rechnung"),
        ("Report: x", "report: x"),
        ("Report", "report"),
        ("R2: x", "r2: x"),
        ("Israel: elections", "israel: elections"),
        ("Re Rechnung", "re rechnung"),
        ("[#123] Re: [#77-a] Rechnung [#123]", "rechnung"),
        ("[EXTERNAL] Rechnung", "[external] rechnung"),
        ("  Große\t Straße ", "grosse strasse"),
        ("Ｒｅ：　Ｒｅｃｈｎｕｎｇ", "rechnung"),
        ("Re: Rech\u00adnung\u200b", "rechnung"),
        ("\u200fرد: فاتورة", "فاتورة"),
    ],
)
def test_keys_of_known_subjects(subject: str, key: str) -> None:
    """Prefixes and own tags go, words that merely begin like one stay."""  # TH6, P43, RS-42, A24
    assert normalized_subject(subject) == key


@pytest.mark.parametrize("subject", ["", "   ", "Re:", "AW: Fwd: ", "Re[2]:[#9]", "回复："])
def test_prefix_only_subjects_are_empty_and_tell_nothing(subject: str) -> None:
    """A subject of nothing but prefixes has an empty key, and an empty key joins nothing."""  # TH7, P43
    assert normalized_subject(subject) == ""
    assert not is_telling_subject("")


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(subject: str) -> None:
    """The key of a key is the key itself, whatever the text."""  # TH6
    assert normalized_subject(normalized_subject(subject)) == normalized_subject(subject)


@given(st.lists(st.sampled_from([*(f"{word}: " for word in PREFIXES), "[#12] "]), max_size=12), st.text(max_size=20))
def test_any_number_of_prefixes_gives_the_same_key(prefixes: list[str], subject: str) -> None:
    """However often and in how many languages a mail was answered, its key stays the same."""  # P43, RS-42
    assert normalized_subject("".join(prefixes) + subject) == normalized_subject(subject)


def test_a_thousand_prefixes_are_read_without_recursion() -> None:
    """The growing subject of two robots answering each other is bounded and still ends."""  # C1
    assert len(normalized_subject("Re: " * 5000 + "x" * 5000)) <= MAX_SUBJECT_CHARS


def test_reply_likeness_needs_one_of_three_signs() -> None:
    """A prefix, quoted text or an unresolved reference makes a mail an answer; nothing else does."""  # TH5
    assert is_reply_like("Re: Rechnung")
    assert is_reply_like("Rechnung", quoted_text="> ja")
    assert is_reply_like("Rechnung", unresolved_reference=True)
    assert not is_reply_like("Rechnung", quoted_text=" \n")
    assert not has_reply_prefix("Report: x")


@pytest.mark.parametrize("subject", ["Frage", "Re: Question!", "(no subject)", "Kein Betreff", "Witam", "AW: Hilfe"])
def test_subjects_that_say_nothing_are_generic(subject: str) -> None:
    """Greetings and bare questions in any of the languages never join two mails."""  # TH5
    assert is_generic_subject(normalized_subject(subject))
    assert not is_telling_subject(normalized_subject(subject))


@pytest.mark.parametrize("subject", ["Rechnung", "Frage zu Bestellung 77", "Question about my invoice"])
def test_subjects_with_content_are_telling(subject: str) -> None:
    """A subject that names its matter is no generic one."""  # TH5
    assert is_telling_subject(normalized_subject(subject))


def test_three_characters_are_too_few_and_four_enough() -> None:
    """Subjects shorter than four characters join nothing."""  # TH5
    assert not is_telling_subject(normalized_subject("Re: abc"))
    assert is_telling_subject(normalized_subject("Re: abcd"))
