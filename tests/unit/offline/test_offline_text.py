"""Folding, sentences, language, tokens: the plain text rules everything else stands on."""

import time

import pytest
import quicktok

from bench.offline_model import held_out_mails
from offline.language import language_of
from offline.sentences import MOST_SENTENCES, is_farewell, is_greeting, message_sentences, sentences_of
from offline.tokens import token_count
from offline.words import folded, matches


def test_folding_levels_case_accents_and_invisible_signs() -> None:
    """One cue finds every spelling."""
    assert folded("Caf\u00e9, STRASSE stra\u00dfe i\u200bgnore œuvre") == " cafe strasse strasse ignore oeuvre "


def test_no_phrase_is_found_across_sentences() -> None:
    """"... nadie. ¿Pueden ..." is not "nadie puede"."""
    words = folded("No ha llegado nadie. ¿Pueden mirar?")
    assert matches(words, ("nadie puede",)) == 0 and matches(words, ("llegado nadie ", "pueden ")) == 2


def test_a_cue_begins_a_word_and_a_final_blank_ends_it() -> None:
    """`refund` finds refunded; `bill ` does not find billiards."""
    assert matches(folded("Refunded for billiards"), ("refund", "bill ", "liards")) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Osei wrote. He asks why?", 2), ("Am 30. April kam nichts. Warum?", 2), ("- one\n- two\n3) three", 3),
        ("Version 4.2 is out. Nice!", 2), ("z. B. so", 1), ("", 0), ("\n\n", 0), ("Really?! Yes… ok", 3),
    ],
)  # fmt: skip
def test_sentences_end_where_people_end_them(text: str, count: int) -> None:
    """Abbreviations and ordinal numbers end nothing; list items do."""
    assert len(sentences_of(text)) == count


def test_wrapped_lines_are_one_sentence() -> None:
    """Mail programs break lines at 70-odd characters."""
    line = "This sentence is so long that the mail program broke it in the"
    assert sentences_of(f"{line}\nmiddle of a thought.") == [f"{line} middle of a thought."]


def test_greeting_farewell_and_quotes_are_cut() -> None:
    """What is left is what the sender wants to say."""
    quote = "On Monday Ms Weber wrote:\n> On Friday he wrote:\n> nothing"
    body = f"Hello Ms Weber,\n\nwhere is it?\n\n{quote}\n\nKind regards,\nTom\nExample Ltd"
    assert message_sentences(body) == ["where is it?"]


@pytest.mark.parametrize("body", ["> all of it is quoted", "Hello,", "Regards", "He wrote:\n> this"])
def test_a_body_of_one_kind_of_line_is_kept(body: str) -> None:
    """Cutting never leaves nothing of something."""  # C27
    assert message_sentences(body)


def test_formulas_of_four_languages() -> None:
    """Greetings and farewells are known in each language."""
    assert all(map(is_greeting, ["Dear all,", "Sehr geehrte Damen und Herren,", "Bonjour à tous,", "Buenos días:"]))
    assert all(map(is_farewell, ["Kind regards", "Mit freundlichen Grüßen", "Cordialement,", "Un saludo"]))
    assert not is_greeting("Hello, where is my order?") and not is_farewell("best of all, it works")


@pytest.mark.parametrize("unit", ["a. ", "x", ". ", "(", "- ", "\n", "a.\n", "¿", "1. "])
def test_hostile_text_costs_linear_time(unit: str) -> None:
    """Twice the text costs about twice the CPU, never the square of it."""  # HF6

    def cost(piece: str) -> float:
        began = time.process_time()
        sentences_of(piece), token_count(piece), folded(piece)
        return time.process_time() - began

    text = unit * (200_000 // len(unit))
    cost(text[:1000])
    assert cost(text) < 8 * max(cost(text[: len(text) // 2]), 0.05)


def test_the_number_of_sentences_is_bounded_unless_all_are_wanted() -> None:
    """Who reads for meaning stops at 200; who looks for attacks reads on."""
    text = "no. " * 3 + "Yes! " * 1000
    assert len(sentences_of(text)) == MOST_SENTENCES < len(sentences_of(text, most=None))


def test_the_language_of_every_held_out_mail_is_right() -> None:
    """224 mails in four languages, none of them confused."""
    wrong = [m.mail.subject for m in held_out_mails() if language_of(f"{m.mail.subject}\n{m.mail.body}") != m.language]
    assert wrong == []


def test_too_little_text_gives_the_fallback() -> None:
    """A number is in no language."""
    assert (language_of("4711", "fr"), language_of("", "de"), language_of("Где мой заказ?", "es")) == ("fr", "de", "es")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_token_counts_follow_a_real_tokenizer(language: str) -> None:
    """The estimate stays within a quarter of what a common tokenizer counts, in every language."""  # P65
    text = "\n".join(m.mail.body for m in held_out_mails() if m.language == language)
    assert token_count(text) == pytest.approx(quicktok.get_encoding("cl100k_base").count(text), rel=0.25)


def test_token_counts_of_other_scripts() -> None:
    """No script is counted at the ratio of another."""  # P65
    for text in ("Привет, где мой заказ?", "こんにちは、注文はどこですか", "مرحبا أين طلبي"):
        assert token_count(text) >= len(text) / 4
    assert token_count("") == 0 and token_count(" ") == 1
