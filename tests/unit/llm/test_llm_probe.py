"""Probing an endpoint: what is there, what it knows, how far it enforces a form."""

import pytest

from adapters.llm.client import Models
from adapters.llm.dialect import Dialect
from adapters.llm.probe import PROBE_CONTEXT, probe
from adapters.llm.structured import Structured
from contracts.classification import GuardVerdict
from contracts.llm import ModelTask
from domain.prompts.guard import guard_prompt
from tests.peers.model_behaviour import Fails, Sends
from tests.peers.model_peer import ModelPeer
from tests.peers.model_setup import CONTEXT, PeerSettings, RecordingSink

pytestmark = pytest.mark.asyncio


async def test_a_good_endpoint_is_reported_with_its_models() -> None:
    """One question per configured model, one row per question, charged to no mailbox."""  # A94
    sink = RecordingSink()
    async with ModelPeer() as peer:
        report = await probe(PeerSettings(llm_base_url=peer.base_url), sink)
    assert (report.reachable, report.models, report.structured) == (True, ("gpt-4o-mini", "gpt-4o"), "json_schema")
    assert sink.outcomes == ["ok", "ok"] and len(peer.calls) == 2
    assert sink.contexts == [PROBE_CONTEXT] * 2 and PROBE_CONTEXT.mailbox_id == ""


@pytest.mark.parametrize("level", list(Structured))
async def test_the_weakest_form_is_found_and_handed_on(level: Structured) -> None:
    """What the probe finds is where the first mail starts: no declined call is paid again."""
    async with ModelPeer() as peer:
        peer.structured = level.value
        settings = PeerSettings(llm_base_url=peer.base_url, llm_model="one")
        report = await probe(settings)
        peer.calls.clear()
        async with Models(settings, RecordingSink(), known=report.known) as models:
            await models.ask(ModelTask.GUARD, guard_prompt("x", hidden=False), GuardVerdict, CONTEXT)
    assert report.structured is level and report.known == {"one": Dialect(structured=level)}
    assert [call.structured for call in peer.calls] == [level.value]


async def test_a_model_that_never_fits_the_form_is_reported() -> None:
    """A model that cannot do structured answers is named before it meets a mail."""
    async with ModelPeer() as peer:
        peer.answer("guard_verdict", "I would rather chat.")
        report = await probe(PeerSettings(llm_base_url=peer.base_url, llm_model="chatty"))
    assert report.reachable and report.structured is Structured.NONE and report.known == {}
    assert "chatty" in report.detail


async def test_a_model_missing_from_the_list_is_named() -> None:
    """A typing error in LLM_MODEL shows in `deskhand doctor`."""  # P109
    async with ModelPeer() as peer:
        peer.script(Fails(404))
        report = await probe(PeerSettings(llm_base_url=peer.base_url, llm_model="gpt-4-o"))
    assert report.reachable and "gpt-4-o" in report.detail and "not in the endpoint's list" in report.detail


async def test_a_refused_key_is_reachable_but_told() -> None:
    """The endpoint is there; the key is what to change."""
    async with ModelPeer() as peer:
        peer.script(Fails(401))
        report = await probe(PeerSettings(llm_base_url=peer.base_url, llm_model="one"))
    assert report.reachable and "LLM_API_KEY" in report.detail and report.structured is Structured.NONE


async def test_nobody_there_and_nothing_configured_are_not_reachable() -> None:
    """A probe never raises; it says what is missing."""
    async with ModelPeer() as peer:
        gone = peer.base_url
    absent = await probe(PeerSettings(llm_base_url=gone))
    unset = await probe(PeerSettings())
    assert not absent.reachable and "LLM_BASE_URL" in absent.detail
    assert not unset.reachable and "LLM_API_KEY" in unset.detail


async def test_an_endpoint_without_a_list_of_models_is_still_tried() -> None:
    """Not every endpoint can list; what counts is whether it answers."""
    async with ModelPeer() as peer:
        peer.models_body = Sends(b"<html>", "text/html", 404)
        report = await probe(PeerSettings(llm_base_url=peer.base_url, llm_model="one"))
    assert report.reachable and report.models == () and report.structured is Structured.JSON_SCHEMA
