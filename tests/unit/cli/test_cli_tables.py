"""What people and pipes see: no control character of a stranger reaches a terminal."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from cli.tables import age_words, safe_line, safe_text, show_table

NOW = datetime(2026, 2, 2, 12, tzinfo=UTC)


def shown(terminal: bool, *rows: tuple[object, ...]) -> str:
    """A table of two columns as it is written."""
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100, color_system=None, soft_wrap=True)
    show_table(console, ("subject", "from"), rows)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_pipes_get_tabs_and_no_frames() -> None:
    """`cut -f1` works: a line of names, a line per row, tabs between cells."""
    assert shown(False, ("Lamp", "ana"), ("Bill", None)) == "subject\tfrom\nLamp\tana\nBill\t\n"


def test_a_subject_cannot_add_rows_or_cells() -> None:
    """Tabs and line breaks of a stranger become blanks."""
    assert shown(False, ("a\tb\r\nc\u2028d", "x")).splitlines()[1:] == ["a b c d\tx"]


@pytest.mark.parametrize("terminal", [True, False])
def test_no_escape_sequence_survives(terminal: bool) -> None:
    """HU: a subject may hold an escape sequence; the terminal never sees the escape."""
    written = shown(terminal, ("\x1b]0;owned\x07\x1b[2Jhi\x9b31m", "\u202egpj.exe"))
    assert not set(written) & set("\x1b\x07\x9b\u202e")
    assert "hi" in written


def test_markup_is_text() -> None:
    """Square brackets of a subject are shown, not obeyed."""
    assert "[bold]x[/nonsense]" in shown(True, ("[bold]x[/nonsense]", ""))


def test_long_cells_are_cut_with_a_mark() -> None:
    """A subject of ten thousand characters takes one line."""
    assert safe_line("x" * 10_000) == "x" * 199 + "…"


def test_bodies_keep_their_lines() -> None:
    """Several lines stay several lines, without what a terminal would obey."""
    assert safe_text("Hi,\r\n\tone\x1b[31m\nbye") == "Hi,\n    one[31m\nbye"


@pytest.mark.parametrize(
    ("gone", "words"),
    [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_400, "1 d"), (200_000, "2 d")],
)
def test_ages_use_the_largest_unit_that_fits(gone: int, words: str) -> None:
    """Also when a clock is behind: an age is never negative."""
    assert age_words(NOW - timedelta(seconds=gone), NOW) == words
