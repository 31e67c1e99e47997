"""`deskhand knowledge`: what drafts may be answered from, straight into the database as the app role (P104)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from activities.knowledge.retrieval import Question, embed_question
from activities.knowledge.vectors import Reembedding
from adapters.settings import Settings
from cli.knowledge_import import EntryType, ImportRun, OpenKnowledge, added_words, import_paths, open_knowledge
from cli.tables import plain_console, safe_line, say, show_table
from contracts.errors import DeskhandError
from contracts.llm import UsageContext

SHOWN: Final = 5
PREVIEW: Final = 160
T = TypeVar("T")

app = typer.Typer(help="Import and search knowledge.", no_args_is_help=True)
Mailbox = Annotated[str | None, typer.Option(help="Address, name or id of the mailbox; default: the default one.")]
Paths = Annotated[list[Path], typer.Argument(exists=True, help="Files, folders of them, or a site export (.zip).")]


class EmbeddingsOff(DeskhandError):
    """There is no embedding model to make vectors with."""


@app.callback()
def knowledge() -> None:
    """What drafts may be answered from."""


@app.command("import")
@app.command("add", hidden=True)
def import_files(
    paths: Paths,
    entry_type: Annotated[EntryType, typer.Option("--type", help="What kind of knowledge it is.")] = EntryType.FAQ,
    mailbox: Mailbox = None,
    collection: Annotated[str, typer.Option(help="Name of the folder or export; default: its own name.")] = "",
    keep_vanished: Annotated[bool, typer.Option(help="Keep documents that the folder no longer holds.")] = False,
) -> None:
    """Import Markdown, text, HTML, PDF, DOCX, CSV of questions and answers, folders and site exports.

    What is known stays; a changed passage supersedes its older text, a vanished one is retired. Exit code 1 if a file
    was refused; the others are imported all the same.
    """
    console = plain_console()
    run = ImportRun(entry_type, collection, retire=not keep_vanished, console=console)
    report = asyncio.run(_with_knowledge(mailbox, lambda known: import_paths(known, paths, run)))
    for one in report.refused:
        typer.secho(f"{safe_line(one.name)}: {one.words} [{one.reason}]", fg="red", err=True)
    say(console, added_words(report.added))
    if report.without_vectors:
        say(console, "The embedding model did not answer: found by words alone until the worker makes the vectors.")
    if report.refused:
        raise typer.Exit(1)


@app.command("list")
def list_entries(
    mailbox: Mailbox = None, past: Annotated[bool, typer.Option(help="Also what no longer holds.")] = True
) -> None:
    """Everything this mailbox knows."""
    show_entries(asyncio.run(_with_knowledge(mailbox, lambda known: known.every_entry(past))))


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="A question as a customer would put it.")],
    mailbox: Mailbox = None,
    most: Annotated[int, typer.Option(min=1, max=50, help="At most so many entries.")] = SHOWN,
) -> None:
    """What would be found for a question, best first. Exit code 1 if nothing is."""
    entries = asyncio.run(_with_knowledge(mailbox, lambda known: _search(known, question, most)))
    show_entries(entries)
    if not entries:
        raise typer.Exit(1)


@app.command()
def embed(mailbox: Mailbox = None) -> None:
    """Make the vectors that are missing for the configured model; the worker does the same in the background."""
    made = asyncio.run(_with_knowledge(mailbox, _embed))
    say(plain_console(), f"{made} vectors made.")


async def _search(known: OpenKnowledge, text: str, most: int) -> list[dict[str, Any]]:
    question = Question(text, known.mailbox_id, past=True)
    context = UsageContext(mailbox_id=str(known.mailbox_id))
    asked = await embed_question(known.database, known.embedder, question, context)
    return await known.curation.search(asked, datetime.now(UTC), most)


async def _embed(known: OpenKnowledge) -> int:
    if known.embedder is None:
        raise EmbeddingsOff("Embeddings are switched off (LLM_EMBEDDING_MODEL=off).")
    return await Reembedding(known.database, known.embedder).run(known.mailbox_id)


def show_entries(entries: Sequence[dict[str, Any]]) -> None:
    """A table of entries with the beginning of each text."""
    rows = [
        (standing(one), one["title"], safe_line(one["content"], PREVIEW), one["said_by"], one["contact"] or "everybody")
        for one in entries
    ]
    show_table(plain_console(), ("kind", "title", "text", "said by", "for"), rows)


def standing(entry: dict[str, Any]) -> str:
    """Type and trust, or why it no longer holds."""
    past = next((word for word in ("superseded", "retired", "expired") if entry[word]), None)
    return f"{entry['type']}, {past or entry['trust']}"


async def _with_knowledge(mailbox: str | None, work: Callable[[OpenKnowledge], Awaitable[T]]) -> T:
    async with open_knowledge(Settings(), mailbox) as known:
        return await work(known)
