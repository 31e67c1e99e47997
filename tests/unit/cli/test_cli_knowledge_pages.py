"""Cutting help pages into entries: one per heading, titled with the way to it."""

from pathlib import Path

import pytest

from cli.knowledge_pages import MOST_CHARACTERS, Section, UnreadablePage, read_pages, sections_of


def cut(text: str, name: str = "page") -> list[tuple[str, str]]:
    """Titles and texts of a page."""
    return [(section.title, section.content) for section in sections_of(text, name)]


def test_one_entry_per_heading_named_by_the_way_to_it() -> None:
    """A heading without text of its own only names what follows; a sibling replaces its sibling."""
    page = "# Delivery\n\n## Times\n\nTwo days.\n\n### Abroad\nFive days.\n\n## Costs ##\n4.90 euros.\n"
    assert cut(page) == [
        ("Delivery > Times", "Two days."),
        ("Delivery > Times > Abroad", "Five days."),
        ("Delivery > Costs", "4.90 euros."),
    ]


def test_text_before_the_first_heading_bears_the_name_of_the_file() -> None:
    """Plain text without headings is one entry."""
    assert cut("We are open on weekdays.\n", "hours") == [("hours", "We are open on weekdays.")]
    assert cut("Intro.\n# A\nText.", "guide") == [("guide", "Intro."), ("A", "Text.")]


def test_underlined_headings() -> None:
    """`===` is the first level and `---` the second; a rule below a paragraph of two lines is no heading."""
    assert cut("Delivery\n========\n\nTimes\n-----\nTwo days.\n") == [("Delivery > Times", "Two days.")]
    assert cut("One line\nand another\n---\nmore\n") == [("page", "One line\nand another\n---\nmore")]


def test_code_fences_hold_no_headings() -> None:
    """A comment of a shell script is no heading, whatever closes the fence."""
    page = "# Setup\n```sh\n# install\n~~~\n## still code\n```\nDone.\n## After\nYes.\n"
    assert [title for title, _ in cut(page)] == ["Setup", "Setup > After"]
    assert cut("```\n\nname\n----\n```\n") == [("page", "```\n\nname\n----\n```")]


def test_front_matter_is_no_text() -> None:
    """What stands between `---` at the very top is for other programs."""
    assert cut("---\ntitle: x\n---\n# A\nText.\n") == [("A", "Text.")]
    assert cut("---\nno end of it\n") == [("page", "---\nno end of it")]


def test_lists_and_tables_are_kept_as_text() -> None:
    """A table's dashes are no underline of its head."""
    page = "# Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two\n"
    assert cut(page) == [("Prices", page.partition("\n\n")[2].strip())]


def test_long_sections_are_cut_between_paragraphs() -> None:
    """Each piece fits a briefing, nothing is lost, and pieces are numbered."""
    paragraphs = [f"{number} " + "word " * 150 for number in range(12)]
    sections = list(sections_of("# Long\n" + "\n\n".join(paragraphs), "page"))
    assert [section.title for section in sections] == ["Long", "Long (2)", "Long (3)", "Long (4)"]
    assert all(len(section.content) <= MOST_CHARACTERS for section in sections)
    assert "\n\n".join(section.content for section in sections) == "\n\n".join(paragraphs).strip()


def test_a_paragraph_longer_than_the_limit_is_cut_all_the_same() -> None:
    """No line of a hundred thousand characters becomes an entry that no briefing can hold."""
    sections = list(sections_of("x" * 10_000, "page"))
    assert [len(section.content) for section in sections] == [3000, 3000, 3000, 1000]


def test_a_page_without_text_gives_nothing() -> None:
    """Headings alone, or nothing at all, are no knowledge."""
    assert cut("# A\n## B\n") == [] and cut("") == [] and cut("\n\n") == []


def test_folders_are_read_deeply_and_sorted(tmp_path: Path) -> None:
    """Markdown and text files; a byte order mark is no character of the text."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_bytes(b"\xef\xbb\xbfSecond.")
    (tmp_path / "one.md").write_text("First.", encoding="utf-8")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    pages = read_pages([tmp_path])
    assert [page.file.name for page in pages] == ["two.txt", "one.md"]
    assert pages[0].sections == (Section("two", "Second."),)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    """Nothing of an import is guessed."""
    (tmp_path / "old.md").write_bytes("Rückgabe".encode("latin-1"))
    with pytest.raises(UnreadablePage, match="old.md is no UTF-8 text"):
        read_pages([tmp_path / "old.md"])
