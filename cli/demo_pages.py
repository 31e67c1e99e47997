"""What the demo shows: a table that lives while the mails move, their runs in the Temporal Web UI, and what next."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cli.demo_cases import FORCED
from cli.demo_run import Watched
from cli.message_ids import short_id
from cli.tables import say, show_table
from contracts.status import Status

COLUMNS = ("mail", "shows", "status", "category", "why", "run")
WIDE_FROM = 132


@contextmanager
def live_table(console: Console, rows: Callable[[], Sequence[Watched]]) -> Iterator[Callable[[], None]]:
    """On a terminal, a table that is redrawn at each change; elsewhere nothing until the end."""
    if not console.is_terminal:
        yield lambda: None
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda: live.update(_table(rows(), console.width), refresh=True)


def _table(rows: Sequence[Watched], width: int) -> Table:
    """The run has its column where there is room; it stands below the table in any case."""
    is_wide = width >= WIDE_FROM
    table = Table(*(COLUMNS if is_wide else COLUMNS[:-1]), header_style="bold")
    for one in rows:
        cells = [Text(cell) for cell in _cells(one)]
        style = "green" if one.as_expected else "yellow"
        run = Text(_run_name(one), style=f"link {one.standing.link}" if one.standing.link else "")
        row = [*cells[:2], Text(one.standing.words, style=style), *cells[3:], run]
        table.add_row(*(row if is_wide else row[:-1]))
    return table


def _cells(one: Watched) -> tuple[str, str, str, str, str]:
    return one.mail.file, one.mail.shows, one.standing.words, one.standing.category, one.standing.reason


def _run_name(one: Watched) -> str:
    return f"message/…{short_id(one.standing.message_id)}" if one.standing.message_id else ""


def show_end(console: Console, rows: Sequence[Watched]) -> None:
    """Where every mail ended, its run, what did not end as expected, and how to approve a draft."""
    if console.is_terminal:
        console.print(_table(rows, console.width))
        say(console, "Runs in the Temporal Web UI:", "bold")
        for one in rows:
            say(console, f"  {one.mail.file:<28} {one.standing.link}")
    else:
        show_table(console, COLUMNS, [(*_cells(one), one.standing.link) for one in rows])
    for one in rows:
        if not one.as_expected:
            say(console, f"{one.mail.file}: expected {one.mail.expected}, found {one.standing.words}", "red")
    _show_next_step(console, rows)


def _show_next_step(console: Console, rows: Sequence[Watched]) -> None:
    done = sum(one.as_expected for one in rows)
    say(console, f"{done} of {len(rows)} mails ended where they should.", "bold")
    ready = [one.standing for one in rows if one.standing.status == Status.DRAFT_READY]
    drafted = [standing for standing in ready if standing.reason not in FORCED]
    if drafted:
        name = short_id(drafted[0].message_id)
        say(console, f"Read a draft:     deskhand review show {name}")
        say(console, f"Approve it:       deskhand review approve {name}")
        say(console, "See it go out:    deskhand demo outbox   (after the undo window of 15 s)")
