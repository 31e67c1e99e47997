"""Our calls against an OpenAI-compatible server that others wrote, as a check on our own idea of the protocol."""

from collections.abc import Iterator

import pytest
from llmock.testing import LLMockServer
from pydantic import BaseModel

from adapters.llm.client import Models
from adapters.llm.embeddings import embedder_for
from adapters.llm.probe import probe
from contracts.classification import ClassifyAnswer, DraftOptions, GuardVerdict, SelfCheck
from contracts.llm import ModelTask
from domain.prompts.classify import classify_prompt
from domain.prompts.draft import DraftAnswer
from tests.peers.model_setup import CONTEXT, PeerSettings, RecordingSink

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def settings() -> Iterator[PeerSettings]:
    """Settings that name the foreign server."""
    with LLMockServer() as server:
        yield PeerSettings(llm_base_url=server.base_url("openai"), llm_embedding_model="text-embedding-3-small")


@pytest.mark.parametrize("schema", [ClassifyAnswer, GuardVerdict, SelfCheck, DraftOptions, DraftAnswer])
async def test_our_schemas_are_understood(settings: PeerSettings, schema: type[BaseModel]) -> None:
    """A server that makes answers up from the schema alone makes one that fits."""
    sink = RecordingSink()
    async with Models(settings, sink) as models:
        answer = await models.ask(ModelTask.CLASSIFY, classify_prompt("Where is my order?"), schema, CONTEXT)
    assert isinstance(answer.value, schema) and sink.outcomes == ["ok"] and sink.rows[0].tokens_in > 0


async def test_probe_and_embeddings_work(settings: PeerSettings) -> None:
    """Lists, trial questions and vectors are read as others write them."""
    report = await probe(settings)
    embedder = embedder_for(settings, RecordingSink())
    assert embedder is not None
    vectors = await embedder.embed(["one", "two"], CONTEXT)
    await embedder.close()
    assert report.reachable and report.structured == "json_schema" and "gpt-4o" in report.models
    assert len(vectors) == 2 and len(vectors[0]) == len(vectors[1]) > 0
