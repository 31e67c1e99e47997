"""A text from a person: from a file, from standard input, or from their editor, which never loses it."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from cli.tables import safe_text
from contracts.errors import DeskhandError

SCISSORS: Final = "# ------------------------ >8 ------------------------"
BELOW: Final = f"{SCISSORS}\n# This line and all below it are dropped. The mail you answer:\n"
STANDARD_INPUT: Final = "-"
EDITOR: Final = "vi"


class NoText(DeskhandError):
    """No text came out: the editor failed, or what is left is empty."""


def text_from(source: str | None, start: str, answered: str) -> str:
    """The text of a file, `-` for standard input, else what the editor makes of `start`. Raises NoText."""
    text = _from_source(source) if source else _from_editor(start, answered)
    if not text.strip():
        raise NoText("The text is empty; nothing was done.")
    return text.strip("\r\n")


def _from_source(source: str) -> str:
    try:
        return sys.stdin.read() if source == STANDARD_INPUT else Path(source).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise NoText(f"{source} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise NoText(f"{source} is no UTF-8 text.") from None


def _from_editor(start: str, answered: str) -> str:
    descriptor, name = tempfile.mkstemp(prefix="deskhand-reply-", suffix=".txt")
    file = Path(name)
    with open(descriptor, "w", encoding="utf-8") as opened:
        opened.write(f"{start}\n\n{BELOW}{_quoted(answered)}")
    _edit(file)
    text = file.read_text(encoding="utf-8", errors="replace")
    file.unlink()
    return text.partition(SCISSORS)[0].strip()


def _quoted(answered: str) -> str:
    return "".join(f"# {line}\n" for line in safe_text(answered).splitlines())


def _edit(file: Path) -> None:
    """Run the editor; where it fails, the file stays, for it may hold an hour of work."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or EDITOR
    try:
        code = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
    except (OSError, ValueError):
        file.unlink()
        raise NoText(f"The editor {editor!r} cannot be started. Set EDITOR, or use --from FILE.") from None
    if code:
        raise NoText(f"The editor {editor!r} ended with code {code}; nothing was done. The text is in {file}.")
