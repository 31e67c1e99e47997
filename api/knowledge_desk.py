"""Imports that come in over HTTP: each runs in the background of this process and leaves its progress in the database.

A process that ends takes its imports with it; what they had stored stays, and the same upload goes on from there.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import structlog

from activities.knowledge.importing import FileOutcome, Importer, ImportOrder, ImportReport
from adapters.importing.limits import FileRefused
from adapters.importing.reader import SandboxedReader
from adapters.importing.sources import AnyFile, members_of
from adapters.knowledge import KnowledgeEmbedder, knowledge_embedder
from adapters.postgres import Database
from adapters.settings import Settings
from adapters.usage import UsageLedger
from contracts.errors import DeskhandError

MOST_AT_ONCE: Final = 4
MOST_REFUSALS: Final = 500
BEAT_EVERY: Final = 20

log = structlog.get_logger("knowledge")


class TooBusy(DeskhandError):
    """As many imports run as this process takes at once."""


class KnowledgeDesk:
    """What the API and the dashboard import with; made once per process, closed at its end."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database = database
        self.embedder: KnowledgeEmbedder | None = knowledge_embedder(settings, UsageLedger(database))
        self._running: set[asyncio.Task[None]] = set()

    async def begin(self, mailbox_id: UUID, name: str, content: bytes, order: ImportOrder) -> UUID:
        """Starts an import of a file or a site export; its id. Raises TooBusy."""
        if len(self._running) >= MOST_AT_ONCE:
            raise TooBusy("Other imports are running. Try again when one has ended.")
        async with self.database.transaction(mailbox_id) as tx:
            import_id: UUID = await tx.value("knowledge_import_begin", mailbox_id, name, 1, order.by)
        task = asyncio.create_task(_Job(self, mailbox_id, import_id, order).run(name, content))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return import_id

    async def close(self) -> None:
        """Stops what runs."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        if self.embedder is not None:
            await self.embedder.close()


class _Job:
    """One import with its row."""

    def __init__(self, desk: KnowledgeDesk, mailbox_id: UUID, import_id: UUID, order: ImportOrder) -> None:
        self.desk, self.mailbox_id, self.import_id, self.order = desk, mailbox_id, import_id, order
        self.report, self.total = ImportReport(), 1

    async def run(self, name: str, content: bytes) -> None:
        """To its end; whatever happens, the row says so."""
        reader = SandboxedReader()
        try:
            await self._import(reader, await self._files(reader, name, content))
            await self._write("done")
        except Exception as fault:
            log.exception("import failed", import_id=str(self.import_id), reason=type(fault).__name__)
            await self._write("failed")
        finally:
            await reader.close()

    async def _files(self, reader: SandboxedReader, name: str, content: bytes) -> Sequence[AnyFile]:
        try:
            return await members_of(content, name, reader)
        except FileRefused as refusal:
            self.report.count(FileOutcome(name, reason=refusal.reason, words=str(refusal)))
            return ()

    async def _import(self, reader: SandboxedReader, files: Sequence[AnyFile]) -> None:
        importer = Importer(self.desk.database, self.mailbox_id, reader, self.desk.embedder)
        self.total = max(len(files), 1)
        async for outcome in importer.run(files, self.order):
            self.report.count(outcome)
            if self.report.seen % BEAT_EVERY == 0:
                await self._write("running")
        self.report.count_gone(await importer.finish(files, self.order))

    async def _write(self, state: str) -> None:
        added, report = self.report.added, self.report
        async with self.desk.database.transaction(self.mailbox_id) as tx:
            await tx.run(
                "knowledge_import_beat", self.import_id, self.total, report.seen, added.stored, added.known,
                added.superseded, _refusals(report), state,
            )  # fmt: skip


def _refusals(report: ImportReport) -> list[dict[str, Any]]:
    return [{"name": o.name, "reason": o.reason, "words": o.words} for o in report.refused[:MOST_REFUSALS]]
