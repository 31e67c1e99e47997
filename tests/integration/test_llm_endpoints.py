"""Endpoints differ: in the form they enforce, the parameters and prices they have, and whether they are there."""

import asyncio
import json
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest
import pytest_asyncio

from adapters.llm.client import Models
from adapters.llm.ledger import MeteredUsage
from contracts.classification import ClassifyAnswer
from contracts.errors import BadApiKey, PermanentFault, TransientFault
from contracts.llm import ModelTask, UsageContext
from domain.prompts.classify import classify_prompt
from domain.prompts.draft import DraftAnswer, draft_prompt
from tests.peers.model_behaviour import OFFLINE_FINGERPRINT, Fails
from tests.peers.model_peer import DEFAULT_ANSWERS, ModelPeer
from tests.peers.model_setup import CONTEXT, PeerSettings, RecordingSink

pytestmark = pytest.mark.asyncio

MAIL = "Hello, my order 4711 from Tuesday has not arrived yet. Ada"
PRICES = {"gpt-4o-mini": {"in": 1, "out": 2}}
GOOD = json.dumps(DEFAULT_ANSWERS["classify_answer"])


@pytest_asyncio.fixture
async def peer() -> AsyncIterator[ModelPeer]:
    """A fresh endpoint."""
    async with ModelPeer() as one:
        yield one


@pytest.fixture
def sink() -> RecordingSink:
    """A fresh ledger."""
    return RecordingSink()


@pytest_asyncio.fixture
async def models(peer: ModelPeer, sink: RecordingSink) -> AsyncIterator[Models]:
    """The models behind the endpoint."""
    async with Models(PeerSettings(llm_base_url=peer.base_url, llm_api_key="k-1", llm_prices=PRICES), sink) as one:
        yield one


async def classify(models: Models) -> ClassifyAnswer:
    """One classify call of the mail."""
    return (await models.ask(ModelTask.CLASSIFY, classify_prompt(MAIL), ClassifyAnswer, CONTEXT)).value


async def test_nobody_listening_is_transient_and_free(peer: ModelPeer, sink: RecordingSink) -> None:
    """A refused connection costs nothing and is tried again later."""  # P34
    async with ModelPeer() as closed:
        gone = closed.base_url
    async with Models(PeerSettings(llm_base_url=gone), sink) as models:
        with pytest.raises(TransientFault, match="LLM_BASE_URL"):
            await classify(models)
    assert sink.outcomes == ["unreachable"] and sink.rows[0].tokens_in == 0


@pytest.mark.parametrize(
    ("level", "answer"),
    [("json_object", GOOD), ("none", f"Sure! Here it is:\n```json\n{GOOD}\n```\nAnything else?")],
)
async def test_a_weaker_endpoint_is_learned_once(
    models: Models, peer: ModelPeer, sink: RecordingSink, level: str, answer: str
) -> None:
    """A 400 that names the response format costs one call per level and is remembered."""
    peer.structured = level
    peer.answer("classify_answer", answer)
    await classify(models)
    learning = len(peer.calls)
    await classify(models)
    assert len(peer.calls) == learning + 1 and peer.calls[-1].structured == level
    assert sink.outcomes == ["unsupported"] * (learning - 1) + ["ok", "ok"]
    assert '"is_injection"' not in peer.calls[-1].message("system") and '"intents"' in peer.calls[-1].message("system")


async def test_twenty_calls_at_once_learn_together(models: Models, peer: ModelPeer, sink: RecordingSink) -> None:
    """Calls that run beside each other do not weaken the form twice."""
    peer.structured = "json_object"
    await asyncio.gather(*(classify(models) for _ in range(20)))
    assert {call.structured for call in peer.calls} == {"json_schema", "json_object"}
    assert len(peer.calls) == len(sink.rows) and sink.outcomes.count("ok") == 20


async def test_reasoning_models_get_the_parameters_they_take(models: Models, peer: ModelPeer) -> None:
    """No `max_tokens`, no temperature: the call is made without them and the next one at once so."""
    peer.declines = {"max_tokens", "temperature"}
    await classify(models)
    await classify(models)
    assert len(peer.calls) == 4 and "max_completion_tokens" in peer.calls[-1].body


async def test_a_parameter_that_stays_declined_is_a_fault(models: Models, peer: ModelPeer) -> None:
    """Learning ends; it never loops."""
    peer.answer("classify_answer", Fails(400, "response_format is wrong"))
    with pytest.raises(PermanentFault):
        await classify(models)
    assert len(peer.calls) == 3


async def test_the_offline_endpoint_is_known_by_its_fingerprint(
    models: Models, peer: ModelPeer, sink: RecordingSink
) -> None:
    """What it wrote must go before a person, so every row and answer says so, and it costs nothing."""  # P79
    peer.fingerprint = OFFLINE_FINGERPRINT
    answer = await models.ask(ModelTask.DRAFT, draft_prompt(MAIL), DraftAnswer, CONTEXT)
    assert answer.usage.offline and sink.rows[0].offline and sink.rows[0].cost_usd == 0


async def test_an_unpriced_model_counts_as_the_dearest(models: Models, sink: RecordingSink) -> None:
    """The capable model has no price here."""  # P110
    await models.ask(ModelTask.DRAFT, draft_prompt(MAIL), DraftAnswer, CONTEXT)
    assert (sink.rows[0].model, sink.rows[0].unpriced) == ("gpt-4o", True)
    assert sink.rows[0].cost_usd == Decimal("0.00014")


async def test_without_an_endpoint_nothing_leaves(sink: RecordingSink) -> None:
    """No address and no key: a named error before any call, so no row either."""  # P109
    async with Models(PeerSettings(), sink) as models:
        with pytest.raises(BadApiKey, match="LLM_BASE_URL"):
            await classify(models)
    assert sink.rows == []


async def test_the_environment_of_other_programs_is_not_ours(
    peer: ModelPeer, sink: RecordingSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys, organisations and proxies meant for others reach no endpoint of ours on this machine."""  # P109
    for name, value in {"OPENAI_API_KEY": "other", "OPENAI_ORG_ID": "org", "OPENAI_PROJECT_ID": "proj"}.items():
        monkeypatch.setenv(name, value)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with Models(PeerSettings(llm_base_url=peer.base_url), sink) as models:
        await classify(models)
    headers = peer.calls[0].headers
    assert "other" not in headers["authorization"] and not {"openai-organization", "openai-project"} & set(headers)


async def test_the_row_is_written_before_the_answer_counts(peer: ModelPeer) -> None:
    """A ledger that cannot write stops the step: spending that nobody sees is worse than waiting."""  # P110

    class Broken(RecordingSink):
        async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
            raise ConnectionError("the ledger is away")

    async with Models(PeerSettings(llm_base_url=peer.base_url), Broken()) as models:
        with pytest.raises(ConnectionError):
            await classify(models)
