"""Finding mails on disk: what counts as one, in which order, and with how much memory."""

import io
import mailbox
import os
from pathlib import Path
from typing import Any

import pytest

from cli.mail_files import FoundMail, find_mails, is_mbox, size_of
from cli.mbox import mails_in_mbox

MAIL = b"From: Ana Ruiz <ana@customer.example>\nTo: support@example.org\nSubject: Lamp\n\nIs it in stock?\n"
ROOM = 1_000_000


def boxed(text: bytes, most: int = ROOM) -> list[bytes]:
    """The mails of an mbox."""
    return [mail.content for mail in mails_in_mbox(io.BytesIO(text), most)]


def entry(content: bytes, sender: str = "ana@customer.example") -> bytes:
    """A mail as an mbox holds it: separator, content, blank line."""
    return f"From {sender} Mon Feb  2 10:15:01 2026\n".encode() + content + b"\n"


def found(*paths: Path) -> list[FoundMail]:
    """Every mail below the paths."""
    return list(find_mails(paths))


def test_mbox_gives_each_mail_without_separator_and_closing_blank_line() -> None:
    """SE7 ingest: two mails in, the same two byte strings out."""
    assert boxed(entry(MAIL) + entry(MAIL + b"\nSecond paragraph.\n")) == [MAIL, MAIL + b"\nSecond paragraph.\n"]


def test_mbox_with_windows_line_ends() -> None:
    """CRLF files are read too, and their bytes stay as they are."""
    text = (entry(MAIL) + entry(MAIL)).replace(b"\n", b"\r\n")
    assert boxed(text) == [MAIL.replace(b"\n", b"\r\n")] * 2


def test_a_sentence_that_begins_with_from_does_not_part_a_mail() -> None:
    """Only a From line after a blank line and with a time of day begins the next mail."""
    body = MAIL + b"\nFrom the shop I got no answer.\nFrom 10:15 on Monday I waited.\n"
    assert boxed(entry(body)) == [body]


def test_quoted_from_lines_lose_one_mark() -> None:
    """mboxrd: `>From ` was `From `, `>>From ` was `>From `; other quotes stay."""
    body = MAIL + b">From here on\n>>From there\n> From afar\n"
    assert boxed(entry(body)) == [MAIL + b"From here on\n>From there\n> From afar\n"]


def test_mbox_agrees_with_the_library_that_wrote_it(tmp_path: Path) -> None:
    """A file written by the standard library comes back mail for mail."""
    box = mailbox.mbox(tmp_path / "box", create=True)
    written = [MAIL, MAIL + b"\n\nFrom the start\n\n\n", b"Subject: empty\n\n"]
    for content in written:
        box.add(content)
    box.flush()
    assert boxed((tmp_path / "box").read_bytes()) == written


def test_a_line_longer_than_a_piece_is_kept_whole_and_never_a_separator() -> None:
    """C24: a body line of several MiB, with the look of a separator or a quote in its middle, stays as it is."""
    for inside in (b"From a@b.example Mon Feb  2 10:15:01 2026", b">From afar"):
        line = b"x" * 65_536 + inside + b"y" * 3_000_000 + b"\n"
        assert boxed(entry(MAIL + line), 10_000_000) == [MAIL + line]


def test_a_mail_above_the_cap_is_cut_and_the_next_one_read() -> None:
    """RC20: too long a mail costs no more memory than the cap and does not hide its neighbours."""
    mails = list(mails_in_mbox(io.BytesIO(entry(MAIL + b"z" * 5000 + b"\n") + entry(MAIL)), 1000))
    assert [(len(mail.content), mail.cut) for mail in mails] == [(1000, True), (len(MAIL), False)]


def test_spans_add_up_to_the_file() -> None:
    """The progress bar ends at the size of the file."""
    text = entry(MAIL) + entry(MAIL + b">From x\n") + entry(b"")
    assert sum(mail.span for mail in mails_in_mbox(io.BytesIO(text), ROOM)) == len(text)


def test_mbox_is_a_stream() -> None:
    """Nothing is read beyond the first separator after the mail that was asked for."""

    class Counted(io.BytesIO):
        read_bytes = 0

        def readline(self, *arguments: Any) -> bytes:  # type: ignore[override]
            line = super().readline(*arguments)
            Counted.read_bytes += len(line)
            return line

    mails = mails_in_mbox(Counted(entry(MAIL) * 1000), ROOM)
    next(mails)
    assert Counted.read_bytes < 2 * len(entry(MAIL))


def test_a_named_file_counts_whatever_its_name(tmp_path: Path) -> None:
    """A single mail without the usual ending is one mail when it is named outright."""
    file = tmp_path / "exported"
    file.write_bytes(MAIL)
    assert found(file) == [FoundMail(str(file), MAIL, len(MAIL))]


def test_folders_are_searched_deeply_and_sorted(tmp_path: Path) -> None:
    """.eml files, mbox files of any name and Maildir folders at any depth; other files are no mail."""
    (tmp_path / "b" / "deep").mkdir(parents=True)
    (tmp_path / "b" / "deep" / "one.EML").write_bytes(MAIL)
    (tmp_path / "a-box").write_bytes(entry(MAIL) + entry(MAIL))
    (tmp_path / "notes.txt").write_bytes(b"From here to there at noon\n")
    places = [Path(mail.place).relative_to(tmp_path).as_posix() for mail in found(tmp_path)]
    assert places == ["a-box#1", "a-box#2", "b/deep/one.EML"]


def test_maildir_gives_cur_and_new_and_its_subfolders_but_not_tmp(tmp_path: Path) -> None:
    """What lies in `tmp` was never delivered whole; Maildir++ subfolders begin with a dot."""
    for folder in ("Maildir", "Maildir/.Sent"):
        box = mailbox.Maildir(tmp_path / folder, create=True)
        box.add(MAIL)
    (tmp_path / "Maildir" / "tmp" / "half.eml").write_bytes(MAIL)
    seen = next((tmp_path / "Maildir" / "new").iterdir())
    seen.rename(tmp_path / "Maildir" / "cur" / f"{seen.name}:2,S")
    folders = [Path(mail.place).parent.relative_to(tmp_path).as_posix() for mail in found(tmp_path)]
    assert sorted(folders) == ["Maildir/.Sent/new", "Maildir/cur"]
    assert {mail.content for mail in found(tmp_path)} == {MAIL}


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    """A link to a folder above is not followed."""
    (tmp_path / "one.eml").write_bytes(MAIL)
    (tmp_path / "again").symlink_to(tmp_path)
    assert len(found(tmp_path)) == 1


def test_a_file_that_is_too_long_comes_with_its_fault(tmp_path: Path) -> None:
    """RC20: nothing of it is kept, and it is not passed over in silence."""
    file = tmp_path / "long.eml"
    file.write_bytes(MAIL * 10)
    (mail,) = find_mails([file], most_bytes=100)
    assert mail.content == b"" and mail.fault.startswith("longer than")


def test_what_cannot_be_read_comes_with_its_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mail that is gone, or a folder that may not be listed, is named and stops nothing."""
    closed = tmp_path / "closed"
    closed.mkdir()
    (tmp_path / "one.eml").write_bytes(MAIL)
    really = os.scandir

    def scandir(path: str) -> Any:
        if os.fspath(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(closed))
        return really(path)

    monkeypatch.setattr(os, "scandir", scandir)
    mails = found(tmp_path, tmp_path / "gone.eml")
    assert [bool(mail.fault) for mail in mails] == [False, True, True]
    assert mails[1].place == str(closed)
    assert "No such file" in mails[2].fault


def test_size_is_that_of_the_mail_files_alone(tmp_path: Path) -> None:
    """The bar's whole: bytes of files that hold mail."""
    (tmp_path / "one.eml").write_bytes(MAIL)
    (tmp_path / "box").write_bytes(entry(MAIL))
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8" * 1000)
    assert size_of([tmp_path]) == len(MAIL) + len(entry(MAIL))
    assert is_mbox(tmp_path / "box") and not is_mbox(tmp_path / "one.eml")
