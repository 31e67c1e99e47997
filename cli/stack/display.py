"""What a person sees while the stack starts, runs and stops: a live list on a terminal, plain lines elsewhere."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


def _outcome(error: BaseException) -> str:
    """What did not fail itself was broken off because something else failed, or because a person stopped it."""
    return "broken off" if isinstance(error, asyncio.CancelledError) else "failed"


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
        except BaseException as error:
            self.say(f"{name}: {_outcome(error)}")
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
        except BaseException as error:
            self.progress.update(task, description=f"[red]{name}: {_outcome(error)}[/]")
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


def show_welcome(console: Console, title: str, facts: dict[str, str]) -> None:
    """Addresses and the first login, one a line and never broken, so that they can be copied and clicked."""
    width = max(len(name) for name in facts)
    console.print(f"\n[bold green]{title}[/]")
    for name, value in facts.items():
        console.print(f"  [bold]{name:<{width}}[/]  {escape(value)}", soft_wrap=True)
    console.print()
