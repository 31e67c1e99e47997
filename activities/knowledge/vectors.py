"""Vectors beside the entries, and the change from one embedding model to another without a gap (P107).

While a new model makes its vectors, the old one serves; it steps down in one statement once the new one has them all.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from activities.knowledge.ports import literal
from activities.ports import Database, Embedder, Transaction
from contracts.errors import PermanentFault
from contracts.llm import UsageContext

BATCH: Final = 128
LEAVING_BATCH: Final = 5_000


async def store_vectors(
    tx: Transaction, mailbox_id: UUID, model: str, vectors: Mapping[UUID, Sequence[float]]
) -> None:
    """Stores the vectors one model made, by entry. Raises PermanentFault if the model changed its dimension."""
    if not vectors:
        return
    width = len(next(iter(vectors.values())))
    known = await tx.value("knowledge_model_seen", mailbox_id, model, width)
    if known != width or any(len(vector) != width for vector in vectors.values()):
        raise PermanentFault(
            f"The embedding model {model!r} gives {width} numbers where it gave {known} before. "
            "Give the other model another name in LLM_EMBEDDING_MODEL, or name the former one."
        )
    await tx.run(
        "knowledge_vectors_put", mailbox_id, model, width, list(vectors), [literal(v) for v in vectors.values()]
    )


class Reembedding:
    """Makes the vectors that are missing for the configured model, in the background, for one mailbox at a time."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self.database, self.embedder = database, embedder

    async def run(self, mailbox_id: UUID) -> int:
        """Fills what is missing, lets the model serve, and throws away what the former ones made; the number made.

        Safe to stop at any moment and to run again. Raises the faults of the embedder.
        """
        made = await self._fill(mailbox_id)
        await self._take_over(mailbox_id)
        while await self._clear(mailbox_id):
            pass
        return made

    async def _fill(self, mailbox_id: UUID) -> int:
        made, after = 0, UUID(int=0)
        while True:
            async with self.database.transaction(mailbox_id) as tx:
                rows = await tx.rows("knowledge_without_vector", mailbox_id, self.embedder.model, after, BATCH)
            if not rows:
                return made
            texts = [f"{row['title']}\n{row['content']}" for row in rows]
            vectors = await self.embedder.embed(texts, UsageContext(mailbox_id=str(mailbox_id)))
            pairs = {row["id"]: vector for row, vector in zip(rows, vectors, strict=True)}
            async with self.database.transaction(mailbox_id) as tx:
                await store_vectors(tx, mailbox_id, self.embedder.model, pairs)
            made, after = made + len(rows), rows[-1]["id"]

    async def _take_over(self, mailbox_id: UUID) -> None:
        """Imports hold the same lock, so no entry without a vector slips in between."""
        async with self.database.transaction(mailbox_id) as tx:
            await tx.value("knowledge_import_lock", mailbox_id)
            model = self.embedder.model
            if not await tx.rows("knowledge_without_vector", mailbox_id, model, UUID(int=0), 1):
                await tx.run("knowledge_model_serves", mailbox_id, model)
            else:
                await tx.run("knowledge_model_abandoned", mailbox_id, model)

    async def _clear(self, mailbox_id: UUID) -> int:
        async with self.database.transaction(mailbox_id) as tx:
            gone = await tx.run("knowledge_vectors_leave", mailbox_id, LEAVING_BATCH)
            await tx.run("knowledge_models_left", mailbox_id)
        return gone
