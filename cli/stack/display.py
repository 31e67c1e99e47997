"""What a person sees while the stack starts, runs and stops: a live list on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.panel import Panel
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table


class PlainDisplay:
    """One line per event, for logs and pipes."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, soft_wrap=True)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Print the step when it is done, with its seconds."""
        began = time.monotonic()
        try:
            yield
        except BaseException:
            self.say(f"{name}: failed")
            raise
        self.say(f"{name}: ready after {time.monotonic() - began:.1f} s")

    def say(self, text: str) -> None:
        """Print one line."""
        self.console.print(text, markup=False)


class LiveDisplay(PlainDisplay):
    """A spinner per step on a terminal; use it as a context around the start."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.progress = Progress(
            SpinnerColumn(finished_text="[green]✓[/]"), TextColumn("{task.description}"), TimeElapsedColumn(),
            console=console,
        )  # fmt: skip

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Show a spinner, then a tick, or a cross."""
        task = self.progress.add_task(name, total=1)
        try:
            yield
        except BaseException:
            self.progress.update(task, description=f"[red]{name}: failed[/]")
            self.progress.stop_task(task)
            raise
        self.progress.update(task, completed=1)


@contextmanager
def display_for(console: Console) -> Iterator[PlainDisplay]:
    """The display that suits the console; spinners turn while the context is open."""
    if not console.is_terminal:
        yield PlainDisplay(console)
        return
    live = LiveDisplay(console)
    with live.progress:
        yield live


def welcome(facts: dict[str, str], title: str) -> Panel:
    """The box with addresses and the first login."""
    table = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        table.add_row(f"[bold]{name}[/]", value)
    return Panel(table, title=title, expand=False)
