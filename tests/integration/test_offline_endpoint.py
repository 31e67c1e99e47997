"""The offline endpoint over HTTP: its protocol, its errors, and our own adapter as its client."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import numpy as np
import pytest

from adapters.llm.client import Models
from adapters.llm.embeddings import embedder_for
from adapters.llm.probe import probe
from adapters.llm.structured import wire_schema
from bench.offline_model import server
from contracts.classification import Category, ClassifyAnswer, DraftOptions, GuardVerdict, SelfCheck
from contracts.errors import PermanentFault, UnknownModel
from contracts.llm import ModelTask, Prompt
from domain.prompts.classify import classify_prompt
from domain.prompts.draft import DraftAnswer, draft_prompt
from domain.prompts.guard import guard_prompt
from domain.prompts.options import options_prompt
from domain.prompts.self_check import self_check_prompt
from tests.peers.model_setup import CONTEXT, PeerSettings, RecordingSink

FAST, CAPABLE, EMBED = "deskhand-offline-fast", "deskhand-offline-capable", "use-multilingual-v3"
OTHER_FORM = {"type": "json_schema", "json_schema": {"schema": {"properties": {"colour": {}}}}}
BRIEFING = """[CONTACT]
email: ines@example.org
name: Ortega, Inés

[KNOWLEDGE]
- policy: Devoluciones: los artículos sin usar se devuelven en 30 días; la etiqueta está en su cuenta.
- claimed by ines@example.org on 2026-01-02, unverified: we promised her 500 euros

[CURRENT MESSAGE]
from: Ortega, Inés <ines@example.org>
to: ayuda@example.com
subject: Devolver zapatos
date: 2026-03-02 09:00 UTC

Hola:

Los zapatos no me valen. ¿Cómo puedo devolver el artículo?

Un saludo
Inés"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a running endpoint, a process of its own."""
    with server() as running:
        yield f"http://127.0.0.1:{running.port}/v1"


@pytest.fixture
def settings(url: str) -> PeerSettings:
    """Our settings as the embedded stack makes them."""
    return PeerSettings(llm_base_url=url, llm_model_fast=FAST, llm_model_capable=CAPABLE, llm_embedding_model=EMBED)


def post(url: str, body: object, path: str = "/chat/completions") -> httpx2.Response:
    """One request; bytes go out as they are."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx2.post(url + path, content=content, headers={"content-type": "application/json"}, timeout=60)


def chat(model: str = FAST, text: str = "Where is my order?", **more: Any) -> dict[str, Any]:
    """A chat request."""
    return {"model": model, "messages": [{"role": "user", "content": text}], **more}


async def test_our_probe_finds_models_that_enforce_schemas(settings: PeerSettings) -> None:
    """The endpoint lists its three models and needs no weaker dialect."""  # P109
    report = await probe(settings)
    assert report.reachable and set(report.models) == {FAST, CAPABLE, EMBED} and report.structured == "json_schema"


async def test_every_task_of_a_message_is_answered_offline(settings: PeerSettings) -> None:
    """Guard, class, draft, check and options of one mail, each one HTTP call, each offline and free."""  # P67-P77
    sink = RecordingSink()
    async with Models(settings, sink) as models:
        guard = await models.ask(ModelTask.GUARD, guard_prompt(BRIEFING, False), GuardVerdict, CONTEXT)
        answer = await models.ask(ModelTask.CLASSIFY, classify_prompt(BRIEFING), ClassifyAnswer, CONTEXT)
        prompt = draft_prompt(BRIEFING, signature="El equipo de ayuda", language="es")
        draft = await models.ask(ModelTask.DRAFT, prompt, DraftAnswer, CONTEXT)
        reply = draft.value.reply
        check = await models.ask(ModelTask.SELF_CHECK, self_check_prompt(BRIEFING, reply), SelfCheck, CONTEXT)
        options = await models.ask(ModelTask.DRAFT, options_prompt(BRIEFING, reply), DraftOptions, CONTEXT)
    assert not guard.value.is_injection and answer.value.category in (Category.SUPPORT, Category.OTHER)
    assert reply.startswith("Hola, Inés:") and "30 días" in reply and "500" not in reply
    assert reply.endswith("El equipo de ayuda") and draft.value.language == "es"
    assert "unsupported_fact" not in check.value.flags and reply not in options.value.options
    assert sink.outcomes == ["ok"] * 5 and all(row.offline and row.cost_usd == 0 for row in sink.rows)
    assert all(row.tokens_in > 50 and row.tokens_out > 5 and not row.estimated for row in sink.rows)


@pytest.mark.parametrize("structured", ["json_object", "none"])
@pytest.mark.parametrize("schema", [ClassifyAnswer, GuardVerdict, SelfCheck, DraftOptions, DraftAnswer])
def test_the_schema_in_the_trusted_text_is_enough(url: str, structured: str, schema: type[Any]) -> None:
    """Clients that cannot send a schema say it in words, and the answer still fits."""  # P109
    note = f"It must fit this JSON schema:\n{json.dumps(wire_schema(schema))}"
    messages = [{"role": "system", "content": note}, {"role": "user", "content": "Where is my order?"}]
    form = {"response_format": {"type": "json_object"}} if structured == "json_object" else {}
    answer = post(url, {"model": FAST, "messages": messages, **form}).json()
    schema.model_validate_json(answer["choices"][0]["message"]["content"])


def test_a_schema_in_the_mail_chooses_nothing(url: str) -> None:
    """Only the trusted text decides which task it is."""  # HW1
    text = f"My order is late.\n{json.dumps(wire_schema(GuardVerdict))}"
    content = post(url, chat(text=text)).json()["choices"][0]["message"]["content"]
    assert "is_injection" not in content and content.startswith("Hello,")


def test_plain_text_is_a_reply_or_a_summary(url: str) -> None:
    """Without a schema the endpoint drafts, and where the trusted text asks for a summary it picks sentences."""
    sentence = "The committee met on Monday and spoke about the roof."
    messages = [{"role": "system", "content": "Summarise the text."}, {"role": "user", "content": f"{sentence} " * 3}]
    summary = post(url, {"model": FAST, "messages": messages}).json()["choices"][0]["message"]["content"]
    assert summary == sentence


def test_an_answer_names_its_origin_and_counts_tokens(url: str) -> None:
    """Fingerprint, model and usage stand in every answer."""  # P79, P110
    body = post(url, chat()).json()
    usage = body["usage"]
    assert body["system_fingerprint"] == "deskhand-offline" and body["model"] == FAST
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > usage["prompt_tokens"] > 0
    assert body["choices"][0]["finish_reason"] == "stop"


def test_a_token_limit_cuts_and_says_so(url: str) -> None:
    """`length` tells the client that the text is not whole."""
    choice = (body := post(url, chat(max_tokens=5)).json())["choices"][0]
    assert choice["finish_reason"] == "length" and body["usage"]["completion_tokens"] <= 5


def test_a_stream_brings_the_same_text_and_the_usage(url: str) -> None:
    """Server-sent chunks end with the usage and `[DONE]`."""
    whole = post(url, chat()).json()["choices"][0]["message"]["content"]
    events = post(url, chat(stream=True, stream_options={"include_usage": True})).text.strip().split("\n\n")
    chunks = [json.loads(event.removeprefix("data: ")) for event in events[:-1]]
    text = "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])
    assert events[-1] == "data: [DONE]" and text == whole and chunks[-1]["usage"]["total_tokens"] > 0


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        (b"{", 400, None), (b"\xff\xfe", 400, None), ({"model": FAST}, 400, "messages"),
        (chat() | {"messages": []}, 400, "messages"),
        (chat(max_tokens=0), 400, "max_tokens"), (chat(temperature=9), 400, "temperature"), ([], 400, None),
        (chat(response_format={"type": "json_schema"}), 400, "json_schema"), (chat("gpt-x"), 404, "model"),
        (chat(tools=[{"type": "function"}]), 422, "tools"), (chat(n=2), 422, "n"),
        (chat(response_format=OTHER_FORM), 422, "json_schema"),
        (chat(response_format={"type": "json_object"}), 422, "json_schema"),
        (chat(text="x" * 500_000), 413, None), (b"[" + b" " * 5_000_000 + b"]", 413, None),
    ],
)  # fmt: skip
def test_errors_have_the_shape_clients_read(url: str, body: object, status: int, param: str | None) -> None:
    """Status, type, code and parameter; never a word of the request."""
    answer = post(url, body)
    error = answer.json()["error"]
    assert (answer.status_code, error["param"], error["type"]) == (status, param, "invalid_request_error")
    assert error["code"] and error["message"] and "order" not in error["message"].lower()


def test_unknown_paths_and_methods_have_that_shape_too(url: str) -> None:
    """A client with a wrong base URL reads an error it knows."""
    assert post(url, {}, "/completions").json()["error"]["code"] == "no_such_route"
    assert httpx2.get(f"{url}/chat/completions").status_code == 405
    assert httpx2.get(f"{url}/models/{CAPABLE}").json()["id"] == CAPABLE
    assert httpx2.get(f"{url}/models/other").json()["error"]["code"] == "model_not_found"


async def test_our_adapter_reads_the_errors(settings: PeerSettings) -> None:
    """An unknown model and a schema nobody can fill are permanent faults, and the dialect stays strong."""  # P34

    class Unfillable(SelfCheck):
        """A schema with a property of its own."""

        colour: str

    async with Models(settings, RecordingSink()) as models:
        with pytest.raises(PermanentFault):
            await models.ask(ModelTask.CLASSIFY, Prompt(trusted="x"), Unfillable, CONTEXT)
        assert models.dialect_of(ModelTask.CLASSIFY, Unfillable).structured == "json_schema"
    async with Models(PeerSettings(llm_base_url=settings.llm_base_url), RecordingSink()) as strange:
        with pytest.raises(UnknownModel):
            await strange.ask(ModelTask.CLASSIFY, Prompt(trusted="x"), SelfCheck, CONTEXT)


async def test_embeddings_of_the_endpoint_are_those_of_the_process(settings: PeerSettings) -> None:
    """512 dimensions of unit length, whether asked over HTTP or in-process."""  # P109
    texts = ["Where is my parcel?", "¿Dónde está mi paquete?", ""]
    over_http, inside = embedder_for(settings, RecordingSink()), embedder_for(PeerSettings(), RecordingSink())
    assert over_http is not None and inside is not None
    ours, theirs = np.array(await over_http.embed(texts, CONTEXT)), np.array(await inside.embed(texts, CONTEXT))
    await over_http.close()
    assert ours.shape == (3, 512) and ours == pytest.approx(theirs, abs=1e-4)
    assert np.linalg.norm(ours, axis=1) == pytest.approx(np.ones(3), abs=1e-3) and ours[0] @ ours[1] > 0.5


def test_embeddings_in_base64_and_their_errors(url: str) -> None:
    """Packed floats for clients that ask for them; no empty text, no other size, no other model."""
    good = {"model": EMBED, "input": "hello"}
    plain = post(url, good, "/embeddings").json()["data"][0]["embedding"]
    packed = post(url, good | {"encoding_format": "base64"}, "/embeddings").json()["data"][0]["embedding"]
    assert np.frombuffer(base64.b64decode(packed), np.float32) == pytest.approx(plain, abs=1e-6)
    bad = [{"input": [""]}, {"input": []}, {"dimensions": 64}, {"model": FAST}, {"input": ["x"] * 2049}]
    assert [post(url, good | wrong, "/embeddings").status_code for wrong in bad] == [400, 400, 422, 404, 400]
