"""What knowledge needs of the outside world, as Protocols."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from activities.ports import Embedder
from domain.knowledge.blocks import ReadDocument


class Refusal(Protocol):
    """Why a file is not imported: a stable word; the sentence is the exception's own text."""

    reason: str


class Reader(Protocol):
    """Reads files in a sandbox: the document, the SHA-256 of its bytes and their number. Refusals are DeskhandErrors
    with a `reason`."""

    async def read(self, raw: bytes, name: str) -> tuple[ReadDocument, str, int]: ...
    async def open_archive(self, raw: bytes) -> list[str] | None: ...
    async def read_member(self, archive: bytes, name: str) -> tuple[ReadDocument, str, int]: ...


@runtime_checkable
class EmbeddingModels(Protocol):
    """An embedder that can also embed with another model than the configured one, while that one still serves."""

    def of(self, model: str) -> Embedder | None: ...


def embedder_of(embedder: Embedder | None, model: str) -> Embedder | None:
    """The embedder of a model, or None where it cannot be asked any more."""
    if embedder is None or embedder.model == model:
        return embedder
    return embedder.of(model) if isinstance(embedder, EmbeddingModels) else None


def literal(vector: Sequence[float]) -> str:
    """A vector as pgvector reads it."""
    return "[" + ",".join(f"{number:.7g}" for number in vector) + "]"
