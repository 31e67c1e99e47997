"""An import of files, one at a time: read in the sandbox, cut, embed, stored in one transaction each (P104).

A file that cannot be read is refused by name and reason, and its former text stays; the rest is imported.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from activities.knowledge.ports import Reader
from activities.knowledge.storing import NewDocument, Shelf
from activities.ports import Database, Embedder
from contracts.errors import DatabaseFault, DeskhandError, TransientFault
from contracts.llm import UsageContext
from domain.knowledge.blocks import ReadDocument
from domain.knowledge.chunking import Passage, passages
from domain.knowledge.languages import KNOWN
from domain.knowledge.renewal import Added
from domain.mail.language import detect_language


class FileToRead(Protocol):
    """One file of an import. `name` is its path within the collection; `read` may refuse it."""

    @property
    def name(self) -> str: ...
    async def read(self, reader: Reader) -> tuple[ReadDocument, str, int]: ...
    async def digest(self) -> str | None: ...


@dataclass(frozen=True)
class FileOutcome:
    """What became of one file. `reason` is empty for a file that was taken, `words` explain a refusal."""

    name: str
    added: Added = Added()
    reason: str = ""
    words: str = ""
    notes: tuple[str, ...] = ()
    embedded: bool = True


@dataclass
class ImportReport:
    """The sum of an import so far."""

    added: Added = Added()
    seen: int = 0
    refused: list[FileOutcome] = field(default_factory=list)
    without_vectors: int = 0

    def count(self, outcome: FileOutcome) -> None:
        """Add one file."""
        self.seen += 1
        self.added += outcome.added
        self.without_vectors += 0 if outcome.embedded else 1
        if outcome.reason:
            self.refused.append(outcome)

    def count_gone(self, entries: int) -> None:
        """Add entries that went with vanished documents."""
        self.added += Added(superseded=entries)


@dataclass(frozen=True)
class ImportOrder:
    """How to import. `collection` names the folder or export; `by` is the person, `retire` lets go what vanished."""

    entry_type: str
    by: str
    collection: str = ""
    retire: bool = True


class Importer:
    """Imports into the knowledge of one mailbox. Without an embedder, or while it is down, words alone are indexed."""

    def __init__(self, database: Database, mailbox_id: UUID, reader: Reader, embedder: Embedder | None) -> None:
        self.shelf, self.database, self.mailbox_id = Shelf(database, mailbox_id), database, mailbox_id
        self.reader, self.embedder = reader, embedder

    async def run(self, files: Sequence[FileToRead], order: ImportOrder) -> AsyncIterator[FileOutcome]:
        """Every file in turn. Raises DatabaseFault where the database is away; what was stored stays."""
        for file in files:
            yield await self.import_file(file, order)

    async def finish(self, files: Sequence[FileToRead], order: ImportOrder) -> int:
        """Retires what the collection no longer holds, and counts the words anew; the number of entries that went.

        A collection that came empty retires nothing: a wrong path is likelier than a team that forgot everything.
        """
        gone = 0
        if order.collection and order.retire and files:
            gone = await self.shelf.retire_vanished(order.collection, [source_of(file, order) for file in files])
        async with self.database.transaction(self.mailbox_id) as tx:
            if await tx.value("knowledge_words_stale", self.mailbox_id):
                await tx.run("knowledge_count_words", self.mailbox_id)
        return gone

    async def import_file(self, file: FileToRead, order: ImportOrder) -> FileOutcome:
        """One file; a refusal is an outcome, not an exception."""
        try:
            return await self._import(file, order)
        except DatabaseFault:
            raise
        except DeskhandError as refusal:
            reason = getattr(refusal, "reason", type(refusal).__name__)
            return FileOutcome(file.name, reason=reason, words=str(refusal))

    async def _import(self, file: FileToRead, order: ImportOrder) -> FileOutcome:
        source, early = source_of(file, order), await file.digest()
        if early and (known := await self.shelf.unchanged(source, early, order.entry_type)) is not None:
            return FileOutcome(file.name, Added(known=known))
        read, sha256, size = await file.read(self.reader)
        if not early and (known := await self.shelf.unchanged(source, sha256, order.entry_type)) is not None:
            return FileOutcome(file.name, Added(known=known))
        document = _document(source, order, read, sha256, size)
        vectors, model = await self._vectors(await self.shelf.unknown(document))
        added = await self.shelf.put(document, vectors, model)
        return FileOutcome(file.name, added, notes=read.notes, embedded=bool(model) or self.embedder is None)

    async def _vectors(self, new: Sequence[Passage]) -> tuple[dict[tuple[str, str], Sequence[float]], str]:
        """Vectors by passage and the model that made them; none while the model is away: upkeep makes them later."""
        if self.embedder is None:
            return {}, ""
        try:
            made = await self.embedder.embed(
                [passage.embedded_text for passage in new], UsageContext(mailbox_id=str(self.mailbox_id))
            ) if new else ()  # fmt: skip
        except TransientFault:
            return {}, ""
        return {passage.key: vector for passage, vector in zip(new, made, strict=True)}, self.embedder.model


def source_of(file: FileToRead, order: ImportOrder) -> str:
    """The name of a document within its mailbox."""
    return f"{order.collection}/{file.name}" if order.collection else file.name


def _document(source: str, order: ImportOrder, read: ReadDocument, sha256: str, size: int) -> NewDocument:
    name = source.rsplit("/", 1)[-1]
    cut = passages(read, name.rsplit(".", 1)[0] or name)
    text = " ".join(passage.content for passage in cut)[:10_000]
    language = detect_language(text, KNOWN)
    return NewDocument(source, order.collection, order.entry_type, read, cut, sha256, size, language, order.by)
