"""Readers of the team's files: what becomes a passage under which title, and what is refused (P104, HK2, HK3)."""

import io
import zipfile

import pytest

from adapters.importing.archives import checked_members, content_members, open_archive, unpacked
from adapters.importing.limits import REASONS, FileRefused
from adapters.importing.reading import read_file
from domain.knowledge.chunking import passages
from tests.activities.knowledge_samples import docx_of, pdf_of, zip_of


def cut(content: str | bytes, name: str = "page.md") -> list[tuple[str, str]]:
    """Titles and texts of a file."""
    raw = content.encode() if isinstance(content, str) else content
    return [(one.title, one.content) for one in passages(read_file(raw, name), name.split(".")[0])]


def refused(raw: bytes, name: str) -> str:
    """The reason for which a file is refused."""
    with pytest.raises(FileRefused) as refusal:
        read_file(raw, name)
    return refusal.value.reason


def test_markdown_is_cut_at_headings_named_by_the_way_to_them() -> None:
    """A heading without text of its own only names what follows; marks in a heading are not part of its name."""
    page = "# Delivery **now**\n\n## Times\n\nTwo days.\n\n### Abroad\nFive days.\n\n## `Costs` ##\n4.90 euros.\n"
    assert cut(page) == [
        ("Delivery now > Times", "Two days."),
        ("Delivery now > Times > Abroad", "Five days."),
        ("Delivery now > Costs", "4.90 euros."),
    ]


def test_text_before_the_first_heading_bears_the_name_of_the_file() -> None:
    """Plain text without headings is one entry."""
    assert cut("We are open on weekdays.\n", "hours.txt") == [("hours", "We are open on weekdays.")]
    assert cut("Intro.\n\n# A\nText.", "guide.md") == [("guide", "Intro."), ("A", "Text.")]


def test_underlined_headings_lists_tables_and_code_stay_as_they_are() -> None:
    """The dashes of a table are no heading, and a comment of a script is none either."""
    assert cut("Delivery\n========\n\nTimes\n-----\nTwo days.\n") == [("Delivery > Times", "Two days.")]
    page = "# Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two\n\n```sh\n# install\n```\n"
    assert cut(page) == [("Prices", page.partition("\n\n")[2].strip())]


def test_front_matter_is_no_text() -> None:
    """What stands between `---` at the very top is for other programs."""
    assert cut("---\ntitle: x\n---\n# A\nText.\n") == [("A", "Text.")]


def test_the_frame_of_a_page_is_no_knowledge() -> None:
    """Menus, scripts, forms and what is hidden are left out; tables, lists and questions keep their order."""
    page = """<html><head><title>Help</title></head><body><nav>Home</nav><main><h1>Orders</h1><p>Hello <b>bold</b>
    text<br>second line</p><ul><li>one</li><li>two</li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td>
    <td>2</td></tr></table><p hidden>secret</p><script>x()</script><dl><dt>Why?</dt><dd>Because.</dd></dl></main>
    <footer>imprint</footer></body></html>"""
    assert cut(page, "orders.html") == [
        ("Orders", "Hello bold text\nsecond line\n\n- one\n\n- two\n\na | b\n\n1 | 2"),
        ("Orders > Why?", "Because."),
    ]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_a_table_of_questions_is_one_entry_a_row(sign: str) -> None:
    """RFC 4180 with the delimiters that spreadsheets write; a row without an answer is no entry."""
    table = f"id{sign}Question{sign}Answer\n1{sign}How?{sign}\"So{sign} yes\"\n2{sign}Why?{sign}\n"
    assert cut(table, "faq.csv") == [("How?", f"So{sign} yes")]


def test_tables_without_question_and_answer_are_refused() -> None:
    """Two columns need no header; three do."""
    assert cut("How?,So.\n", "faq.csv") == [("How?", "So.")]
    assert refused(b"a,b,c\n1,2,3\n", "faq.csv") == "no_question_column"


def test_pdf_and_word_files_are_read() -> None:
    """A PDF page by page, a Word file by its headings."""
    assert cut(pdf_of("Five years."), "guarantee.pdf") == [("guarantee", "Five years.")]
    assert cut(docx_of("Parking", "Twenty places."), "letter.docx") == [("Parking", "Twenty places.")]


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp", "iso2022_jp"])
def test_text_in_any_charset_is_read(charset: str) -> None:
    """Nothing is guessed away: the Japanese text comes out as it went in."""
    text = "送料は全国一律五百円です。ご注文から三日以内にお届けします。返品は十四日以内にお願いいたします。"
    assert cut(text.encode(charset), "haiso.txt") == [("haiso", text)]


def test_what_is_no_text_is_refused_whatever_its_name() -> None:
    """The bytes decide."""
    assert refused(bytes(range(256)) * 8, "a.txt") == "binary"
    assert refused(b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 9, "a.md") == "binary"
    assert refused(b" \n\t ", "a.md") == refused(b"<p> </p>", "a.html") == "empty"
    assert refused(zip_of({"a.md": b"x"}), "a.txt") == "nested_archive"
    assert refused(zip_of({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}), "a.docx") == "unknown_kind"
    assert refused(pdf_of(""), "scan.pdf") == "no_text_layer"


def test_an_archive_that_unpacks_to_far_more_than_its_size_is_not_unpacked() -> None:
    """HM-35: by the sizes it states, and by files that share their bytes."""
    with open_archive(zip_of({"a.txt": b"0" * 20_000_000})) as archive, pytest.raises(FileRefused) as refusal:
        unpacked(archive, "a.txt")
    assert refusal.value.reason == "zip_bomb"
    with open_archive(zip_of({"a.txt": b"0" * 3_000_000})) as archive, pytest.raises(FileRefused) as refusal:
        checked_members(archive, most_bytes=2_000_000)
    assert refusal.value.reason == "zip_bomb"
    with zipfile.ZipFile(io.BytesIO(zip_of({"a.txt": b"abc", "b.txt": b"def"}))) as archive:
        for member in archive.infolist():
            member.header_offset = 0
        with pytest.raises(FileRefused):
            checked_members(archive)


def test_an_archive_gives_its_pages_only() -> None:
    """Styles, pictures and hidden files are no pages."""
    raw = zip_of({"b.html": b"x", "a/c.md": b"x", "s.css": b"x", "p.png": b"x", ".git/x.md": b"x", "__MACOSX/b": b"x"})
    with open_archive(raw) as archive:
        assert content_members(archive) == ["a/c.md", "b.html"]


def test_nothing_comes_out_that_no_database_stores() -> None:
    """NUL bytes, lone surrogates and invisible characters of any format are left out before anything is stored."""
    assert cut(pdf_of("Fi\\000ve years."), "g.pdf") == [("g", "Five years.")]
    assert cut("<h1>A&#0;&#xD800;</h1><p>b\u200bc &#xDFFF;d</p>", "a.html")[0][1].replace("\ufffd", "") == "bc d"


def test_every_reason_is_a_sentence() -> None:
    """A person can act on each of them."""
    assert all(words.endswith(".") and words[0].isupper() for words in REASONS.values())
