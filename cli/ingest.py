"""`deskhand ingest`: mail files to the webhook, by the same door and the same rules as mail from anywhere else."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from cli.access import RAW_SECRET, find_access
from cli.door import Door, DoorRefuses, DoorShut, Fate, Receipt
from cli.follow import follow, show_standings
from cli.mail_files import FoundMail, find_mails, size_of
from cli.stack.first_access import RAW_SOURCE
from cli.stack.together import together
from cli.tables import plain_console, safe_line, say, waiting
from contracts.errors import DeskhandError

AT_ONCE: Final = 8
FAULTS_SHOWN: Final = 20

Seen = Callable[[FoundMail, Receipt], None]

app = typer.Typer(help="Hand mail files to the webhook.")


@dataclass
class Tally:
    """What became of the mails so far; only the first faults are kept by name."""

    counts: dict[Fate, int] = field(default_factory=lambda: dict.fromkeys(Fate, 0))
    faults: list[str] = field(default_factory=list)
    message_ids: list[str] = field(default_factory=list)

    def add(self, mail: FoundMail, receipt: Receipt) -> None:
        """Count one mail."""
        self.counts[receipt.fate] += 1
        if receipt.fate in (Fate.STORED, Fate.DUPLICATE):
            self.message_ids += receipt.message_ids
        if receipt.fate in (Fate.FAILED, Fate.POISON) and len(self.faults) < FAULTS_SHOWN:
            self.faults.append(f"{receipt.fate}: {mail.place}: {receipt.detail}")

    def words(self) -> str:
        """The counts on one line."""
        return ", ".join(f"{count} {fate}" for fate, count in self.counts.items())

    @property
    def all_accepted(self) -> bool:
        """Whether the door took every mail; poison is taken too, and waits for a person."""
        return self.counts[Fate.FAILED] == 0


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(exists=True, help=".eml files, mbox files, Maildir or other folders.")],
    source: Annotated[str, typer.Option(help="The source at /webhooks/raw/<source>.")] = RAW_SOURCE,
    url: Annotated[str | None, typer.Option(help="The address of the API; default: this machine.")] = None,
    secret: Annotated[str | None, typer.Option(help=f"The source's secret; better set {RAW_SECRET}.")] = None,
    follow_each: Annotated[bool, typer.Option("--follow", help="Follow each message until it rests.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many mails.")] = None,
) -> None:
    """Hand mail files to the webhook; a repeat changes nothing. Exit code 1 if any mail was not accepted."""
    access, console = find_access(url), plain_console()
    door_secret, tally = access.secret(RAW_SECRET, secret), Tally()
    mails = islice(find_mails(paths), limit)

    async def work() -> None:
        with progress_of(console, paths, tally) as seen:
            async with access.client() as http:
                await hand_in(mails, Door(http, source, door_secret), seen)

    fault = run_until_fault(work)
    summarise(console, tally, fault)
    if follow_each and tally.message_ids:
        with waiting(console, f"Following {len(tally.message_ids)} messages ..."):
            standings = asyncio.run(follow(access, tally.message_ids))
        show_standings(console, standings)
    if fault or not tally.all_accepted:
        raise typer.Exit(1)


def run_until_fault(work: Callable[[], object]) -> DeskhandError | None:
    """Run it; a door that stays shut ends it early, with what is known so far."""
    try:
        asyncio.run(work())  # type: ignore[arg-type]
    except (DoorShut, DoorRefuses) as fault:
        return fault
    return None


async def hand_in(mails: Iterator[FoundMail], door: Door, seen: Seen, at_once: int = AT_ONCE) -> None:
    """Send every mail, `at_once` of them at a time and in memory, oldest path first."""
    turn = asyncio.Lock()

    async def next_mail() -> FoundMail | None:
        async with turn:
            return await asyncio.to_thread(next, mails, None)

    async def carry() -> None:
        while (mail := await next_mail()) is not None:
            seen(mail, await _hand_over(mail, door))

    await together(*(carry() for _ in range(at_once)))


async def _hand_over(mail: FoundMail, door: Door) -> Receipt:
    return Receipt(Fate.FAILED, detail=mail.fault) if mail.fault else await door.send(mail.content)


@contextmanager
def progress_of(console: Console, paths: Sequence[Path], tally: Tally) -> Iterator[Seen]:
    """A bar over the bytes with the counts beside it; nothing in pipes."""
    if not console.is_terminal:
        yield tally.add
        return
    bar = Progress(
        BarColumn(), DownloadColumn(), TimeRemainingColumn(), TextColumn("{task.description}"), console=console
    )
    with bar:
        task = bar.add_task(tally.words(), total=size_of(paths))

        def seen(mail: FoundMail, receipt: Receipt) -> None:
            tally.add(mail, receipt)
            bar.update(task, advance=mail.span, description=tally.words())

        yield seen


def summarise(console: Console, tally: Tally, fault: DeskhandError | None) -> None:
    """The counts, the first faults by name, and why it ended early if it did."""
    say(console, tally.words())
    for line in tally.faults:
        say(console, f"  {safe_line(line, 400)}")
    hidden = tally.counts[Fate.FAILED] + tally.counts[Fate.POISON] - len(tally.faults)
    if hidden > 0:
        say(console, f"  and {hidden} more")
    if fault:
        typer.secho(str(fault), fg="red", err=True)
