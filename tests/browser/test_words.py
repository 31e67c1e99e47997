"""The pieces behind the pages that need neither server nor browser: words, differences, addresses, icons (HU3)."""

import re
from pathlib import Path

import pytest

from api.dashboard.forms import safe_path
from api.dashboard.inbox import search_of
from api.dashboard.rendering import reflowed, seen
from api.dashboard.word_diff import word_diff
from api.dashboard.words import LANGUAGES, Words, catalogue, preferred

FOLDER = Path(__file__).resolve().parents[2] / "api" / "dashboard"
FIELDS = re.compile(r"\{(\w+)\}")
CALLED = re.compile(r"""(?:\bt|words)\('([a-z0-9_.]+)'(?=[,)])|words\("([a-z0-9_.]+)"(?=[,)])""")


def sources() -> list[Path]:
    """Templates and modules of the pages."""
    return [*FOLDER.glob("templates/*.html"), *FOLDER.glob("*.py")]


def test_every_language_says_the_same_things() -> None:
    """The same keys with the same fields; nothing is empty."""
    english = catalogue("en")
    for language in LANGUAGES:
        other = catalogue(language)
        assert set(other) == set(english)
        assert [k for k, text in other.items() if not text.strip()] == []
        assert [k for k in other if sorted(FIELDS.findall(other[k])) != sorted(FIELDS.findall(english[k]))] == []


def test_every_sentence_of_a_page_is_in_the_catalogue() -> None:
    """A key that a template or a module names in full exists."""
    used = {a or b for f in sources() for a, b in CALLED.findall(f.read_text(encoding="utf-8"))}
    assert len(used) > 150 and used - set(catalogue("en")) == set()


def test_nothing_of_a_mail_is_marked_safe() -> None:  # HU3
    """No template switches escaping off, and none holds a script, a style or a handler of its own."""
    for file in FOLDER.glob("templates/*.html"):
        text = file.read_text(encoding="utf-8")
        assert "|safe" not in text.replace(" ", "") and "autoescape false" not in text, file.name
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?! src=)|javascript:", text), file.name


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de", "de"),
        ("de-AT,en;q=0.9", "de"),
        ("fr,de;q=0.4,en;q=0.5", "en"),
        ("", "en"),
        ("de;q=0", "en"),
        ("x" * 9000, "en"),
        ("*", "en"),
    ],
)
def test_the_browsers_language(header: str, language: str) -> None:
    """The best of ours by weight; English where it names none."""
    assert preferred(header) == language


def test_one_is_said_in_the_singular() -> None:
    """Where a language has a form for it."""
    assert (
        Words("en")("letter.hidden", n=1) == "1 hidden passage"
        and Words("de")("letter.hidden", n=2) == "2 versteckte Stellen"
    )
    assert Words("xx").language == "en" and Words("en").named("status", "brand_new") == "brand new"


def test_a_difference_gives_back_both_texts() -> None:
    """Without what is gone it is the new text, without what is new the old one; words, not lines."""
    before, after = "Dear Anna,\nyour order leaves today.", "Dear Anna,\nyour order left  yesterday."
    pieces = word_diff(before, after)
    assert (
        "".join(t for k, t in pieces if k != "gone") == after and "".join(t for k, t in pieces if k != "new") == before
    )
    assert ("same", "Dear Anna,\nyour order ") in pieces
    long = word_diff("a " * 5000, "b " * 5000)
    assert [k for k, _ in long] == ["gone", "new"]


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example",
        "https://evil.example",
        "/dashboard//evil.example",
        "/dashboard/\\evil",
        "/api/x",
        "",
        "/dashboard/\n",
        "/dashboard/é",
    ],
)
def test_only_places_of_ours_are_gone_back_to(path: str) -> None:  # HU5
    """Everything else leads to the inbox."""
    assert safe_path(path) == "/dashboard/inbox"
    assert safe_path("/dashboard/inbox/review?at=1&x=//y") == "/dashboard/inbox/review?at=1&x=//y"


def test_a_search_is_only_words() -> None:  # P114
    """Each by its beginning; operators and quotes never reach the query language."""
    assert search_of("Anna's order!") == "'Anna':* & 's':* & 'order':*"
    assert search_of("") is None and search_of("  ' | ! ") == "'\u0001'"


def test_direction_marks_become_words() -> None:  # HU3
    """So that a name reads as it is written."""
    assert seen("invoice\u202efdp.exe") == "invoice⟦RLO⟧fdp.exe" and seen(None) == ""


def test_broken_lines_are_whole_again() -> None:  # P116
    """Only where the next word had no room; greetings, lists and short lines stay."""
    rest = "Where is it?\n- one\n- two\nAnna"
    broken = f"Hello,\n\nI cannot sign in to my account any more because I forgot the\npassword. {rest}"
    assert (
        reflowed(broken) == f"Hello,\n\nI cannot sign in to my account any more because I forgot the password. {rest}"
    )
    assert reflowed("") == "" and reflowed("a\nb") == "a\nb"
