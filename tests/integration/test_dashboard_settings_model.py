"""The model endpoint on the page: its key is never shown, and trying it says what it can do or what is wrong (P109)."""

import pytest

from adapters.settings import Settings
from adapters.usage import UsageLedger
from api.dashboard.settings.trial import EndpointTrial, Trial
from tests.integration.running import Running
from tests.integration.settings_forms import ROOT, person, save, texts
from tests.peers.model_behaviour import Fails

MODEL = f"{ROOT}/model"


def with_settings(running: Running, patience_s: float = 20, **changed: object) -> Settings:
    """The page now works with other settings."""
    services = running.app.state.services
    services.settings = services.settings.model_copy(update=changed)
    services.model_trial = EndpointTrial(services.settings, UsageLedger(services.database), patience_s)
    settings: Settings = services.settings
    return settings


@pytest.fixture(autouse=True)
def as_before(api_only: Running) -> None:
    """Each test begins with the endpoint of the installation."""
    with_settings(api_only, llm_base_url=api_only.model.base_url, llm_model="", llm_model_capable="")
    api_only.model.structured = "json_schema"


async def test_the_endpoint_is_shown_without_its_key(api_only: Running) -> None:
    """Address and models are named; of the key only that it is set."""
    key = api_only.settings.llm_api_key.get_secret_value()
    page = (await (await person(api_only, "viewer")).get(MODEL)).text
    facts = texts(page, ".facts dd")
    assert facts[0] == api_only.model.base_url and facts[1].startswith("set")
    assert facts[2:4] == ["gpt-4o-mini", "gpt-4o"]
    assert f">{key}<" not in page and f'"{key}"' not in page


async def test_trying_it_says_what_it_can_do(api_only: Running) -> None:  # A94, P110
    """Each model with its ability and time; every call has its row in the ledger; the act is in the log."""
    admin = await person(api_only)
    calls, rows = len(api_only.model.calls), await api_only.value("SELECT count(*) FROM llm_usage")
    page = (await save(admin, MODEL)).text
    able = "answers in an enforced form (JSON schema)"
    assert sorted(texts(page, ".state.good li")) == [f"gpt-4o-mini: {able}", f"gpt-4o: {able}"]
    made, times = len(api_only.model.calls) - calls, texts(page, "tbody td.figure:nth-child(3)")
    assert made == len(times) and all(text.endswith("s") for text in times)
    assert await api_only.value("SELECT count(*) FROM llm_usage") == rows + made
    actor = await api_only.value("SELECT actor FROM audit_log WHERE action = 'model_tried' ORDER BY id DESC LIMIT 1")
    assert actor.startswith("user:")


async def test_a_weaker_endpoint_is_described_as_it_is(api_only: Running) -> None:
    """One that enforces nothing is fine, and the page says so."""
    api_only.model.structured = "none"
    page = (await save(await person(api_only), MODEL)).text
    assert all(text.endswith("the form is checked afterwards") for text in texts(page, ".state.good li"))
    assert "does not take a parameter" in page
    with_settings(api_only, llm_model="unheard-of")
    assert "unheard-of is not in the list of the endpoint." in (await save(await person(api_only), MODEL)).text


async def test_what_is_wrong_is_said_in_words(api_only: Running) -> None:
    """Nobody there, a refused key, an unknown model: each in the reader's language, and never with the key."""
    admin = await person(api_only)
    with_settings(api_only, llm_base_url="http://127.0.0.1:9/v1")
    assert "The endpoint cannot be reached." in (await save(admin, MODEL)).text
    with_settings(api_only, llm_base_url=api_only.model.base_url)
    api_only.model.script(*[Fails(401)] * 2)
    assert "the key was refused" in (await save(admin, MODEL)).text
    api_only.model.script(*[Fails(404, code="model_not_found")] * 2)
    assert "the model is not known there" in (await save(admin, MODEL)).text
    with_settings(api_only, llm_base_url="", llm_api_key=type(api_only.settings.llm_api_key)(""))
    assert "No endpoint is set." in (await save(admin, MODEL)).text
    with_settings(api_only, llm_api_key=api_only.settings.llm_api_key)


async def test_an_endpoint_that_hangs_does_not_hold_the_page(api_only: Running) -> None:
    """After the patience of the trial the page says that no answer came."""
    with_settings(api_only, patience_s=0.0)
    page = (await save(await person(api_only), MODEL)).text
    assert "No answer within 25 seconds" in page


async def test_a_german_reader_reads_german(api_only: Running) -> None:
    """Through the port alone: whatever it finds, the page has words for it."""

    async def found() -> Trial:
        return Trial(True, True, ("m1",), {"m1": "json_object"}, "m1 answers.", ())

    api_only.app.state.services.model_trial = found
    admin = await person(api_only)
    await admin.post("/dashboard/preferences", {"language": "de", "scheme": "", "back": MODEL})
    page = (await save(admin, MODEL)).text
    assert texts(page, ".state.good li") == ["m1: antwortet in JSON, ohne erzwungene Form"]
    assert "1 Modell wird dort angeboten" in page
