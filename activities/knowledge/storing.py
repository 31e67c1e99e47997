"""One document into the database in one transaction: nothing of it is half visible, whatever happens (P104)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from activities.knowledge.vectors import store_vectors
from activities.ports import Database, Row, Transaction
from domain.knowledge.blocks import ReadDocument
from domain.knowledge.chunking import Passage
from domain.knowledge.entries import imported_trust
from domain.knowledge.languages import stemmed
from domain.knowledge.renewal import Added, Held, Renewal, plan_renewal, successors

# Raised when passages are cut differently; documents are then read anew although their bytes are the same.
READER: Final = 1


@dataclass(frozen=True)
class NewDocument:
    """A document that was read and cut. `source` is its name within the mailbox, `language` an ISO 639-1 code or ""."""

    source: str
    collection: str
    entry_type: str
    read: ReadDocument
    passages: Sequence[Passage]
    sha256: str
    bytes: int
    language: str
    imported_by: str


class Shelf:
    """The documents of one mailbox."""

    def __init__(self, database: Database, mailbox_id: UUID) -> None:
        self.database, self.mailbox_id = database, mailbox_id

    async def unchanged(self, source: str, sha256: str, entry_type: str) -> int | None:
        """How many passages a document has that is stored with the same bytes and type; None if it has to be read."""
        async with self.database.transaction(self.mailbox_id) as tx:
            row = await tx.one("knowledge_document", self.mailbox_id, source)
        if row is None or row["retired_at"] is not None:
            return None
        same = (row["content_sha256"], row["entry_type"], row["reader"]) == (sha256, entry_type, READER)
        return int(row["passages"]) if same else None

    async def unknown(self, document: NewDocument) -> list[Passage]:
        """The passages that are not stored yet and have to be embedded."""
        async with self.database.transaction(self.mailbox_id) as tx:
            return (await self._plan(tx, document)).new

    async def put(self, document: NewDocument, vectors: dict[tuple[str, str], Sequence[float]], model: str) -> Added:
        """Stores the document with its passages, and retires what it no longer holds. Vectors go by passage key."""
        async with self.database.transaction(self.mailbox_id) as tx:
            await tx.value("knowledge_import_lock", self.mailbox_id)
            plan = await self._plan(tx, document)
            stored = await self._put_entries(tx, document, plan.new)
            ids = {**plan.kept, **stored}
            document_id = await self._put_document(tx, document)
            await self._put_passages(tx, document_id, document.passages, ids)
            gone = await self._make_way(tx, plan.gone, stored)
            pairs = {stored[key]: vector for key, vector in vectors.items() if key in stored}
            await store_vectors(tx, self.mailbox_id, model, pairs)
        return Added(len(plan.new), len(document.passages) - len(plan.new), gone)

    async def _plan(self, tx: Transaction, document: NewDocument) -> Renewal:
        row = await tx.one("knowledge_document", self.mailbox_id, document.source)
        held = [_held(one) for one in await tx.rows("knowledge_held", row["id"])] if row else []
        digests = [passage.sha256 for passage in document.passages]
        known = [_held(one) for one in await tx.rows("knowledge_known", self.mailbox_id, digests)]
        elsewhere = [one for one in known if row is None or one.document_id != row["id"]]
        return plan_renewal(document.passages, held, elsewhere, document.entry_type)

    async def _put_entries(
        self, tx: Transaction, document: NewDocument, new: Sequence[Passage]
    ) -> dict[tuple[str, str], UUID]:
        if not new:
            return {}
        columns = list(zip(*((p.title, p.content, p.sha256, p.fingerprint) for p in new), strict=True))
        kind = document.entry_type
        rows = await tx.rows(
            "knowledge_put", self.mailbox_id, kind, imported_trust(kind), f"team: {document.source}",
            stemmed(document.language), *map(list, columns),
        )  # fmt: skip
        return {(row["title"], row["content_sha256"]): row["id"] for row in rows}

    async def _put_document(self, tx: Transaction, document: NewDocument) -> UUID:
        document_id: UUID = await tx.value(
            "knowledge_document_put", self.mailbox_id, document.source, document.collection, document.read.title,
            document.read.kind, document.entry_type, document.language, document.sha256, document.bytes, READER,
            document.imported_by,
        )  # fmt: skip
        return document_id

    async def _put_passages(
        self, tx: Transaction, document_id: UUID, passages: Sequence[Passage], ids: dict[tuple[str, str], UUID]
    ) -> None:
        await tx.run("knowledge_passages_clear", document_id)
        entries, pages = [ids[passage.key] for passage in passages], [passage.page for passage in passages]
        numbers = list(range(1, len(passages) + 1))
        await tx.run("knowledge_passages_put", document_id, self.mailbox_id, numbers, entries, pages)

    async def _make_way(self, tx: Transaction, gone: Sequence[Held], stored: dict[tuple[str, str], UUID]) -> int:
        pairs = successors(gone, stored)
        olds, news = [old for old, _ in pairs], [new for _, new in pairs]
        superseded = await tx.run("knowledge_give_way", self.mailbox_id, olds, news)
        retired = await tx.run("knowledge_retire_unheld", self.mailbox_id, [one.id for one in gone])
        return superseded + retired

    async def retire_vanished(self, collection: str, present: Sequence[str]) -> int:
        """Retires the documents of a collection that it no longer holds; the number of entries that went."""
        async with self.database.transaction(self.mailbox_id) as tx:
            await tx.value("knowledge_import_lock", self.mailbox_id)
            rows = await tx.rows("knowledge_vanished", self.mailbox_id, collection, list(present))
            return sum([await self._retire(tx, row["id"]) for row in rows])

    async def retire_document(self, document_id: UUID) -> int:
        """Takes one document back; the number of entries that went."""
        async with self.database.transaction(self.mailbox_id) as tx:
            await tx.value("knowledge_import_lock", self.mailbox_id)
            return await self._retire(tx, document_id)

    async def _retire(self, tx: Transaction, document_id: UUID) -> int:
        if not await tx.run("knowledge_document_retire", self.mailbox_id, document_id):
            return 0
        entries = [row["entry_id"] for row in await tx.rows("knowledge_document_entries", document_id)]
        return await tx.run("knowledge_retire_unheld", self.mailbox_id, entries)


def _held(row: Row) -> Held:
    return Held(row["id"], row["title"], row["content_sha256"], row["type"], row["document_id"])
