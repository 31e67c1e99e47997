"""The one table and the one function that decide which model answers a task."""

import pytest
from pydantic import SecretStr

from adapters.llm.tasks import OPENAI_URL, TASKS, model_for
from contracts.llm import ModelTask, Tier
from tests.peers.model_setup import PeerSettings

CHAT_TASKS = [task for task in ModelTask if task is not ModelTask.EMBED]
CAPABLE = {ModelTask.DRAFT, ModelTask.SUPERVISE}


def test_every_task_has_limits() -> None:
    """No task can be asked without a tier, a length and a time limit."""  # P109
    assert set(TASKS) == set(ModelTask)
    assert all(limits.timeout_s > 0 for limits in TASKS.values())
    assert all(TASKS[task].max_output_tokens > 0 for task in CHAT_TASKS)


@pytest.mark.parametrize("task", CHAT_TASKS)
def test_tiers_are_those_of_the_table(task: ModelTask) -> None:
    """Draft and supervise are capable, all other tasks fast."""  # P109
    assert TASKS[task].tier is (Tier.CAPABLE if task in CAPABLE else Tier.FAST)


@pytest.mark.parametrize(
    ("task", "temperature"),
    [
        (ModelTask.GUARD, 0.0),  # P56
        (ModelTask.CLASSIFY, 0.2),  # P67
        (ModelTask.SELF_CHECK, 0.1),  # P75
        (ModelTask.DRAFT, 0.4),  # P73
    ],
)
def test_temperatures_are_fixed_by_the_task(task: ModelTask, temperature: float) -> None:
    """A temperature is a property of the task, not of a setting."""
    assert model_for(task, PeerSettings()).limits.temperature == temperature


@pytest.mark.parametrize(
    ("settings", "fast", "capable"),
    [
        (PeerSettings(), "gpt-4o-mini", "gpt-4o"),
        (PeerSettings(llm_model="one"), "one", "one"),
        (PeerSettings(llm_model="one", llm_model_fast="quick"), "quick", "one"),
        (PeerSettings(llm_model="one", llm_model_capable="deep"), "one", "deep"),
        (PeerSettings(llm_model="  ", llm_model_fast="", llm_model_capable=None), "gpt-4o-mini", "gpt-4o"),
    ],
)
def test_a_model_is_the_tiers_own_or_the_common_one_or_the_default(
    settings: PeerSettings, fast: str, capable: str
) -> None:
    """Setting only LLM_MODEL runs everything on it; empty counts as unset."""  # P109
    assert model_for(ModelTask.CLASSIFY, settings).model == fast
    assert model_for(ModelTask.DRAFT, settings).model == capable


def test_a_key_alone_means_openai_and_an_address_alone_needs_no_key() -> None:
    """Either setting is enough to call a model."""  # P109
    by_key = model_for(ModelTask.DRAFT, PeerSettings(llm_api_key=SecretStr("k-1"))).endpoint
    by_address = model_for(ModelTask.DRAFT, PeerSettings(llm_base_url="http://127.0.0.1:9/v1")).endpoint
    assert (by_key.base_url, by_key.api_key, by_key.configured) == (OPENAI_URL, "k-1", True)
    assert by_address.base_url == "http://127.0.0.1:9/v1" and by_address.configured


@pytest.mark.parametrize("empty", ["", "   ", None, SecretStr("")])
def test_empty_address_and_key_are_no_endpoint(empty: object) -> None:
    """Nothing leaves the machine because a variable was set to nothing."""  # P109
    assert not model_for(ModelTask.DRAFT, PeerSettings(llm_base_url=empty, llm_api_key=empty)).endpoint.configured
