"""Texts from people: never lost, never with what belongs to the editor."""

import io
import stat
import sys
from pathlib import Path

import pytest

from cli.editing import SCISSORS, NoText, text_from


def editor_that(folder: Path, script: str) -> str:
    """An editor that is a Python script; `file` is the path it was given."""
    program = folder / "an editor.py"
    program.write_text(f"import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\n{script}\n", encoding="utf-8")
    return f"{sys.executable} '{program}'"


@pytest.fixture(autouse=True)
def no_editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No editor of the developer's own, and a temporary folder of ours."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_the_editor_gets_draft_and_mail_and_gives_back_the_text_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The customer's mail stands below the scissors and is dropped with them; the file is private, and then gone."""
    script = (
        "text = file.read_text(); assert 'Hello' in text and '# Is it in stock?' in text\n"
        "assert file.stat().st_mode & 0o077 == 0\n"
        "file.write_text(text.replace('Hello', 'Good morning'))"
    )
    monkeypatch.setenv("EDITOR", editor_that(tmp_path, script))
    assert text_from(None, "Hello,\n\nyes.", "Is it in stock?") == "Good morning,\n\nyes."
    assert list(tmp_path.glob("deskhand-reply-*")) == []


def test_visual_comes_before_editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As everywhere else."""
    monkeypatch.setenv("EDITOR", "/nonexistent")
    monkeypatch.setenv("VISUAL", editor_that(tmp_path, "file.write_text('from visual')"))
    assert text_from(None, "", "") == "from visual"


def test_a_failed_editor_keeps_the_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`:cq` means no; what was written stays in the file that the message names."""
    monkeypatch.setenv("EDITOR", editor_that(tmp_path, "file.write_text('an hour of work'); sys.exit(1)"))
    with pytest.raises(NoText, match="ended with code 1") as fault:
        text_from(None, "", "")
    (kept,) = tmp_path.glob("deskhand-reply-*")
    assert str(kept) in str(fault.value) and kept.read_text() == "an hour of work"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@pytest.mark.parametrize("editor", ["/nonexistent/editor", "'unclosed"])
def test_an_editor_that_cannot_start_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, editor: str) -> None:
    """And nothing is left behind."""
    monkeypatch.setenv("EDITOR", editor)
    with pytest.raises(NoText, match="--from FILE"):
        text_from(None, "x", "")
    assert list(tmp_path.glob("deskhand-reply-*")) == []


@pytest.mark.parametrize("left", ["", "   \n\n", f"{SCISSORS}\nrest"])
def test_an_empty_text_is_no_reply(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, left: str) -> None:
    """Deleting everything means no."""
    monkeypatch.setenv("EDITOR", editor_that(tmp_path, f"file.write_text({left!r})"))
    with pytest.raises(NoText, match="empty"):
        text_from(None, "Hello", "")


def test_a_file_and_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`--from FILE` and `--from -`, without a byte order mark and without line ends around."""
    (tmp_path / "reply.txt").write_bytes(b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe\r\n")
    assert text_from(str(tmp_path / "reply.txt"), "", "") == "Grüße"
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe\n"))
    assert text_from("-", "", "") == "from a pipe"


@pytest.mark.parametrize(("content", "words"), [(None, "cannot be read"), (b"\xff\xfe", "no UTF-8")])
def test_a_file_that_is_no_text_is_named(tmp_path: Path, content: bytes | None, words: str) -> None:
    """Nothing is guessed."""
    file = tmp_path / "reply.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(NoText, match=words):
        text_from(str(file), "", "")
