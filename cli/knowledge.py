"""`deskhand knowledge`: what drafts may be answered from, straight into the database as the app role (P104)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, TypeVar

import typer

from adapters.knowledge import Added, Entry, Fact, Knowledge, find_mailbox
from adapters.llm.embeddings import embedder_for
from adapters.postgres import Database
from adapters.settings import Settings
from adapters.usage import UsageLedger
from cli.knowledge_pages import Page, read_pages
from cli.tables import plain_console, safe_line, say, show_table

SHOWN: Final = 5
PREVIEW: Final = 160
T = TypeVar("T")

app = typer.Typer(help="Import and search knowledge.", no_args_is_help=True)
Mailbox = Annotated[str | None, typer.Option(help="Address, name or id of the mailbox; default: the default one.")]


class EntryType(StrEnum):
    """What the team imports: questions with answers, facts, or policies, which come first in every briefing."""

    FAQ = "faq"
    POLICY = "policy"
    FACT = "fact"


@app.callback()
def knowledge() -> None:
    """What drafts may be answered from."""


@app.command()
def add(
    paths: Annotated[list[Path], typer.Argument(exists=True, help="Markdown or text files, or folders of them.")],
    entry_type: Annotated[EntryType, typer.Option("--type", help="What kind of knowledge it is.")] = EntryType.FAQ,
    mailbox: Mailbox = None,
) -> None:
    """Import help pages, one entry per heading. What is known stays; a changed section supersedes its older text."""
    pages, console = read_pages(paths), plain_console()
    added = asyncio.run(_with_knowledge(mailbox, lambda known: add_pages(known, pages, entry_type)))
    say(console, added_words(added))


@app.command("list")
def list_entries(mailbox: Mailbox = None) -> None:
    """Everything this mailbox knows."""
    entries = asyncio.run(_with_knowledge(mailbox, lambda known: known.entries()))
    show_entries(entries)


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="A question as a customer would put it.")],
    mailbox: Mailbox = None,
    most: Annotated[int, typer.Option(min=1, max=50, help="At most so many entries.")] = SHOWN,
) -> None:
    """What would be found for a question, best first. Exit code 1 if nothing is."""
    entries = asyncio.run(_with_knowledge(mailbox, lambda known: known.search(question, most)))
    show_entries(entries)
    if not entries:
        raise typer.Exit(1)


async def add_pages(known: Knowledge, pages: Sequence[Page], entry_type: str) -> Added:
    """Import the entries of pages; each says by which file the team said it."""
    facts = [Fact(one.title, one.content, f"team: {page.file.name}") for page in pages for one in page.sections]
    return await known.add(facts, entry_type)


def added_words(added: Added) -> str:
    """What an import did, in words."""
    return f"{added.stored} entries stored, {added.known} known already, {added.superseded} older texts superseded."


def show_entries(entries: Sequence[Entry]) -> None:
    """A table of entries with the beginning of each text."""
    rows = [
        (_standing(one), one.title, safe_line(one.content, PREVIEW), one.said_by, one.contact or "everybody")
        for one in entries
    ]
    show_table(plain_console(), ("kind", "title", "text", "said by", "for"), rows)


def _standing(entry: Entry) -> str:
    return f"{entry.type}, {'superseded' if entry.superseded else entry.trust}"


@asynccontextmanager
async def open_knowledge(settings: Settings, mailbox: str | None = None) -> AsyncIterator[Knowledge]:
    """The knowledge of a mailbox with the configured embedder, closed afterwards."""
    database = await Database.connect(settings.database_url.get_secret_value(), most=2, name="deskhand-knowledge")
    embedder = embedder_for(settings, UsageLedger(database))
    try:
        mailbox_id, _ = await find_mailbox(database, mailbox)
        yield Knowledge(database, mailbox_id, embedder)
    finally:
        if embedder is not None:
            await embedder.close()
        await database.close()


async def _with_knowledge(mailbox: str | None, work: Callable[[Knowledge], Awaitable[T]]) -> T:
    async with open_knowledge(Settings(), mailbox) as known:
        return await work(known)
