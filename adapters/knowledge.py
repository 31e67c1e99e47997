"""What the doors to knowledge share: whose it is, and embedders for more than the configured model (P104, P107)."""

from collections.abc import Callable, Sequence
from uuid import UUID

from adapters.llm.embeddings import Embedder, Vector, embedder_for
from adapters.llm.ledger import UsageSink
from adapters.postgres import Database
from adapters.settings import Settings
from contracts.errors import DeskhandError
from contracts.llm import UsageContext


class NoSuchMailbox(DeskhandError):
    """No mailbox, or more than one, goes by that name."""


async def find_mailbox(database: Database, name: str | None) -> tuple[UUID, str]:
    """Id and address of a mailbox by address, name or id; None is the default one. Raises NoSuchMailbox."""
    async with database.transaction() as tx:
        rows = await tx.rows("knowledge_mailbox", name)
    if len(rows) != 1:
        raise NoSuchMailbox(f"No single mailbox goes by {name!r}." if name else "There is no default mailbox yet.")
    return rows[0]["id"], rows[0]["address"]


class KnowledgeEmbedder:
    """The configured embedder, and those of former models until their vectors are replaced (P107)."""

    def __init__(self, configured: Embedder, make: Callable[[str], Embedder | None]) -> None:
        self._configured, self._make = configured, make
        self._others: dict[str, Embedder | None] = {}

    @property
    def model(self) -> str:
        """The configured model."""
        return self._configured.model

    async def embed(self, texts: Sequence[str], context: UsageContext) -> list[Vector]:
        """One vector per text, by the configured model."""
        return await self._configured.embed(texts, context)

    def of(self, model: str) -> Embedder | None:
        """The embedder of a model by its name, at the same endpoint or the offline one."""
        if model == self.model:
            return self._configured
        if model not in self._others:
            self._others[model] = self._make(model)
        return self._others[model]

    async def close(self) -> None:
        """Close them all."""
        for embedder in (self._configured, *self._others.values()):
            if embedder is not None:
                await embedder.close()


def knowledge_embedder(settings: Settings, sink: UsageSink) -> KnowledgeEmbedder | None:
    """The embedder for knowledge; None where embeddings are switched off."""
    configured = embedder_for(settings, sink)
    if configured is None:
        return None

    def make(model: str) -> Embedder | None:
        return embedder_for(settings.model_copy(update={"llm_embedding_model": model}), sink)

    return KnowledgeEmbedder(configured, make)
