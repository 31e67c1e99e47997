"""What the team itself knows: imported once per content, superseded by its newer text, found two ways (P104, P107)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from adapters.llm.embeddings import OFFLINE_DIMENSIONS, Embedder, Vector
from adapters.postgres import Database, Transaction
from contracts.errors import DeskhandError, PermanentFault
from contracts.llm import UsageContext

TRUST: Final = {"policy": "policy"}
VERIFIED: Final = "verified"
PAGE: Final = 500
LEG: Final = 30
# P107: ranks of both legs are fused by 1/(60 + rank).
FUSION: Final = 60


class NoSuchMailbox(DeskhandError):
    """No mailbox, or more than one, goes by that name."""


@dataclass(frozen=True)
class Fact:
    """One piece of knowledge to import; `source` names where the team keeps it."""

    title: str
    content: str
    source: str

    @property
    def sha256(self) -> str:
        """Digest of the content, hex."""
        return hashlib.sha256(self.content.encode()).hexdigest()


@dataclass(frozen=True)
class Entry:
    """One stored entry. `contact` is the address it is limited to, empty for the whole mailbox."""

    id: UUID
    type: str
    trust: str
    said_by: str
    title: str
    content: str
    superseded: bool
    contact: str | None
    embedded: bool
    created_at: datetime


@dataclass(frozen=True)
class Added:
    """What an import did: entries new or changed, known already, and older texts they supersede."""

    stored: int
    known: int
    superseded: int


class Knowledge:
    """The knowledge of one mailbox. `embedder` is None where embeddings are off; then only words are matched."""

    def __init__(self, database: Database, mailbox_id: UUID, embedder: Embedder | None) -> None:
        self.database = database
        self.mailbox_id = mailbox_id
        self.embedder = embedder

    async def add(self, facts: Sequence[Fact], entry_type: str) -> Added:
        """Import for the whole mailbox: `policy` for type policy, otherwise `verified` (P104). A repeat stores nothing.

        Raises PermanentFault if the embedding model does not fit the database.
        """
        distinct = list({(fact.title, fact.sha256): fact for fact in facts}.values())
        new = await self._unknown(distinct, entry_type)
        vectors = await self._vectors([f"{fact.title}\n{fact.content}" for fact in new])
        async with self.database.transaction(self.mailbox_id) as tx:
            superseded = 0
            for fact, vector in zip(new, vectors, strict=True):
                superseded += await self._put(tx, fact, entry_type, vector, distinct)
        return Added(len(new), len(distinct) - len(new), superseded)

    async def _unknown(self, facts: Sequence[Fact], entry_type: str) -> list[Fact]:
        async with self.database.transaction(self.mailbox_id) as tx:
            rows = await tx.rows("knowledge_known", self.mailbox_id, [fact.sha256 for fact in facts])
        known = {tuple(row.values()) for row in rows}
        model = self.embedder.model if self.embedder else None
        return [f for f in facts if (f.title, f.sha256, entry_type, f.source, model) not in known]

    async def _put(
        self, tx: Transaction, fact: Fact, entry_type: str, vector: str | None, imported: Sequence[Fact]
    ) -> int:
        model = self.embedder.model if self.embedder else None
        entry_id = await tx.value(
            "knowledge_put", self.mailbox_id, entry_type, TRUST.get(entry_type, VERIFIED), fact.source, fact.title,
            fact.content, fact.sha256, vector, model,
        )  # fmt: skip
        kept = [one.sha256 for one in imported if (one.title, one.source) == (fact.title, fact.source)]
        return await tx.run("knowledge_supersede", self.mailbox_id, fact.source, fact.title, entry_id, kept)

    async def _vectors(self, texts: Sequence[str]) -> list[str | None]:
        if self.embedder is None or not texts:
            return [None] * len(texts)
        vectors = await self.embedder.embed(texts, UsageContext(mailbox_id=str(self.mailbox_id)))
        return [_literal(vector, self.embedder.model) for vector in vectors]

    async def entries(self) -> list[Entry]:
        """Every entry, by title; read in pages."""
        found: list[Entry] = []
        async with self.database.transaction(self.mailbox_id) as tx:
            after: tuple[str, UUID] = ("", UUID(int=0))
            while rows := await tx.rows("knowledge_list", self.mailbox_id, *after, PAGE):
                found += [Entry(**row) for row in rows]
                after = (rows[-1]["title"], rows[-1]["id"])
        return found

    async def search(self, question: str, most: int) -> list[Entry]:
        """The best entries for a question, by words and by meaning; superseded ones come last (P107)."""
        (vector,) = await self._vectors([question])
        async with self.database.transaction(self.mailbox_id) as tx:
            legs = [await tx.rows("knowledge_search_text", self.mailbox_id, question, LEG)]
            if vector is not None and self.embedder:
                legs.append(await tx.rows("knowledge_search_vector", self.mailbox_id, vector, self.embedder.model, LEG))
        return _fused(legs)[:most]


async def find_mailbox(database: Database, name: str | None) -> tuple[UUID, str]:
    """Id and address of a mailbox by address, name or id; None is the default one. Raises NoSuchMailbox."""
    async with database.transaction() as tx:
        rows = await tx.rows("knowledge_mailbox", name)
    if len(rows) != 1:
        raise NoSuchMailbox(f"No single mailbox goes by {name!r}." if name else "There is no default mailbox yet.")
    return rows[0]["id"], rows[0]["address"]


def _fused(legs: Sequence[Sequence[Any]]) -> list[Entry]:
    scores: dict[UUID, float] = {}
    found: dict[UUID, Entry] = {}
    for leg in legs:
        for rank, row in enumerate(leg, start=1):
            found[row["id"]] = Entry(**row)
            scores[row["id"]] = scores.get(row["id"], 0.0) + 1 / (FUSION + rank)
    return sorted(found.values(), key=lambda entry: (entry.superseded, -scores[entry.id], str(entry.id)))


def _literal(vector: Vector, model: str) -> str:
    """The vector as pgvector reads it. The column has one width; a model of another width cannot be searched in it."""
    if len(vector) != OFFLINE_DIMENSIONS:
        raise PermanentFault(
            f"The embedding model {model!r} gives {len(vector)} numbers, the database holds {OFFLINE_DIMENSIONS}. "
            "Leave LLM_EMBEDDING_MODEL unset for the offline embedder, or set it to 'off'."
        )
    return "[" + ",".join(f"{number:.7g}" for number in vector) + "]"
