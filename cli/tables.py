"""Tables for people and for pipes: ruled on a terminal, tab-separated lines elsewhere, and never a control character.

Subjects and names are written by strangers; a terminal would obey the escape sequences in them.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from domain.text.characters import clean_characters

LINE_MOST: Final = 200
_BREAKS: Final = str.maketrans(dict.fromkeys("\t\r\n\x0b\x0c\x85\u2028\u2029", " "))


def plain_console() -> Console:
    """Standard output without automatic colouring, and without line breaks of its own in pipes."""
    return Console(highlight=False, soft_wrap=True)


def safe_line(value: object, most: int = LINE_MOST) -> str:
    """One line of visible characters, cut at `most` with an ellipsis; None is empty."""
    text = "" if value is None else str(value)
    line = " ".join(clean_characters(text.translate(_BREAKS)).text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def safe_text(value: str) -> str:
    """Several lines of visible characters, with LF between them."""
    return "\n".join(clean_characters(line.expandtabs(4)).text for line in value.splitlines())


def age_words(since: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that fits: `40 s`, `12 min`, `3 h`, `2 d`."""
    gone = max(now - since, timedelta())
    for unit, size in (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1))):
        if gone >= size:
            return f"{gone // size} {unit}"
    return f"{int(gone.total_seconds())} s"


def moment_words(moment: str | datetime | None) -> str:
    """A time as the API writes it, by the clock of this machine, to the second."""
    if not moment:
        return ""
    at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")


def table_of(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> Table:
    """A ruled table; cells are shown as they are, without markup."""
    table = Table(*columns, title=title or None, title_justify="left", header_style="bold")
    for row in rows:
        table.add_row(*(Text(safe_line(cell), overflow="fold") for cell in row))
    return table


def show_table(console: Console, columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """The table, ruled on a terminal, otherwise a line of column names and one line per row, cells parted by tabs."""
    if console.is_terminal:
        console.print(table_of(columns, rows, title))
        return
    for row in (columns, *rows):
        say(console, "\t".join(safe_line(cell) for cell in row))


@contextmanager
def waiting(console: Console, words: str) -> Iterator[None]:
    """A spinner with words on a terminal, nothing in pipes."""
    if not console.is_terminal:
        yield
        return
    with console.status(Text(words)):
        yield


def say(console: Console, text: str = "", style: str = "") -> None:
    """Text as it is: no markup; in pipes no wrapping, and tabs stay tabs."""
    if console.is_terminal:
        console.print(Text(text, style=style), soft_wrap=True)
    else:
        print(text, file=console.file)
