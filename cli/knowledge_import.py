"""One import from the command line: which files, how far it is, and what came of it (P104)."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from activities.knowledge.curation import Curation
from activities.knowledge.importing import Importer, ImportOrder, ImportReport
from adapters.importing.reader import SandboxedReader
from adapters.importing.sources import files_below
from adapters.knowledge import KnowledgeEmbedder, find_mailbox, knowledge_embedder
from adapters.postgres import Database
from adapters.settings import Settings
from adapters.usage import UsageLedger
from cli.tables import safe_line
from domain.knowledge.renewal import Added

PAGE: Final = 500
BY: Final = "cli"
NAME_MOST: Final = 40


class EntryType(StrEnum):
    """What the team imports: questions with answers, facts, or policies, which come first in every briefing."""

    FAQ = "faq"
    POLICY = "policy"
    FACT = "fact"


@dataclass(frozen=True)
class ImportRun:
    """How an import is done. Without a console it is silent."""

    entry_type: str
    collection: str = ""
    retire: bool = True
    console: Console | None = None


@dataclass
class OpenKnowledge:
    """The knowledge of one mailbox, open."""

    database: Database
    mailbox_id: UUID
    embedder: KnowledgeEmbedder | None
    reader: SandboxedReader

    @property
    def curation(self) -> Curation:
        """What people do with it."""
        return Curation(self.database, self.mailbox_id)

    async def every_entry(self, past: bool = True) -> list[dict[str, Any]]:
        """All entries by title, read in pages."""
        found: list[dict[str, Any]] = []
        after: tuple[str, UUID] = ("", UUID(int=0))
        while rows := await self.curation.page(after, past=past, most=PAGE):
            found += rows
            after = (rows[-1]["title"], rows[-1]["id"])
        return found


@asynccontextmanager
async def open_knowledge(settings: Settings, mailbox: str | None = None) -> AsyncIterator[OpenKnowledge]:
    """The knowledge of a mailbox with the configured embedder, closed afterwards. Raises NoSuchMailbox."""
    database = await Database.connect(settings.database_url.get_secret_value(), most=2, name="deskhand-knowledge")
    embedder, reader = knowledge_embedder(settings, UsageLedger(database)), SandboxedReader()
    try:
        mailbox_id, _ = await find_mailbox(database, mailbox)
        yield OpenKnowledge(database, mailbox_id, embedder, reader)
    finally:
        await reader.close()
        if embedder is not None:
            await embedder.close()
        await database.close()


async def import_paths(known: OpenKnowledge, paths: Sequence[Path], run: ImportRun) -> ImportReport:
    """Imports what lies below the paths; a folder or archive is a collection, whose vanished files are retired."""
    report = ImportReport()
    importer = Importer(known.database, known.mailbox_id, known.reader, known.embedder)
    for path in paths:
        whole = path.is_dir() or path.suffix.lower() == ".zip"
        files = await files_below(path, known.reader)
        collection = run.collection or (path.resolve().name if path.is_dir() else "")
        order = ImportOrder(run.entry_type, BY, collection, retire=run.retire and whole)
        with _bar(run.console, len(files)) as step:
            async for outcome in importer.run(files, order):
                report.count(outcome)
                step(outcome.name)
        report.count_gone(await importer.finish(files, order))
    return report


@contextmanager
def _bar(console: Console | None, total: int) -> Iterator[Any]:
    """A progress bar on a terminal, nothing in pipes."""
    if console is None or not console.is_terminal:
        yield lambda name: None
        return
    name = TextColumn("{task.fields[name]}", markup=False)
    with Progress(name, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console) as progress:
        task = progress.add_task("", total=total, name="")
        yield lambda name: progress.update(task, advance=1, name=safe_line(name, NAME_MOST))


def added_words(added: Added) -> str:
    """What an import did, in words."""
    return f"{added.stored} entries stored, {added.known} known already, {added.superseded} older texts superseded."
