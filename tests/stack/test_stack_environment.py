"""Which settings the stack decides, and when its offline endpoint stands in."""

import pytest

from adapters.settings import PROJECT_ROOT
from cli.stack import environment
from cli.stack.environment import (
    child_environment,
    decided_settings,
    is_offline_mark,
    model_settings,
    source_digest,
    wants_offline_model,
)
from cli.stack.ports import StackPorts
from cli.stack.postgres import Postgres
from cli.stack.state import StateDir
from cli.stack.temporal import Temporal

OURS = {
    "LLM_BASE_URL": "http://127.0.0.1:8304/v1",
    "LLM_API_KEY": "deskhand-offline",
    "DESKHAND_OFFLINE_MODEL": "true",
    "LLM_MODEL_FAST": "deskhand-offline-fast",
    "LLM_MODEL_CAPABLE": "deskhand-offline-capable",
}
THEIRS = {"LLM_BASE_URL": "https://llm.example.org/v1", "LLM_API_KEY": "k"}


@pytest.mark.parametrize(
    ("in_file", "in_environment", "wanted"),
    [
        ({}, {}, True),
        ({}, {"LLM_API_KEY": "", "LLM_BASE_URL": ""}, True),
        ({"LLM_API_KEY": ""}, {}, True),
        (OURS, {}, True),
        (OURS, {"LLM_API_KEY": "k"}, False),
        (OURS, {"LLM_BASE_URL": "http://127.0.0.1:1/v1"}, False),
        (THEIRS, {}, False),
        ({"LLM_API_KEY": "k"}, {}, False),
        (OURS | THEIRS, {}, False),
        (OURS | {"LLM_BASE_URL": THEIRS["LLM_BASE_URL"]}, {}, False),
    ],
)  # P109
def test_the_offline_endpoint_stands_in_only_when_none_is_named(
    in_file: dict[str, str], in_environment: dict[str, str], wanted: bool
) -> None:
    """Empty counts as unset; the stack's own lines of the last start are not mistaken for the operator's."""
    assert wants_offline_model(in_file, in_environment) is wanted


def test_only_our_own_lines_are_dropped() -> None:
    """When a real endpoint is named, the offline lines go and the operator's stay."""
    assert model_settings(False, OURS, 8304) == dict.fromkeys(OURS)
    assert model_settings(False, OURS | THEIRS, 8304) == {}
    assert model_settings(True, {}, 8304) == OURS
    dropped = model_settings(False, OURS | {"LLM_MODEL_FAST": "small-model"}, 8304)
    assert "LLM_MODEL_FAST" not in dropped and dropped["LLM_MODEL_CAPABLE"] is None
    assert is_offline_mark(OURS)


def decided(state: StateDir, ports: StackPorts) -> dict[str, str]:
    """What the stack decides for these ports."""
    return decided_settings(state, ports, Postgres(state, ports.postgres_port), Temporal(state, ports.temporal_port, 1))


def test_the_organisation_key_is_made_once(state: StateDir, ports: StackPorts) -> None:
    """Another key would void every reply token that is under way."""
    first = decided(state, ports)
    state.write_environment(first)
    assert len(bytes.fromhex(first["ORGANISATION_KEY"])) == 32
    assert decided(state, ports)["ORGANISATION_KEY"] == first["ORGANISATION_KEY"]


def test_a_folder_chosen_by_the_operator_stays(state: StateDir, ports: StackPorts) -> None:
    """Mail files go on landing where somebody looks for them."""
    state.write_environment({"FILE_CHANNEL_DIR": "/srv/mail out"})
    assert decided(state, ports)["FILE_CHANNEL_DIR"] == "/srv/mail out"


def test_children_never_learn_the_owner(
    state: StateDir, ports: StackPorts, monkeypatch: pytest.MonkeyPatch
) -> None:  # HB1
    """API and worker get the app role, also when the shell names another database, and bind to loopback."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/x")
    monkeypatch.setenv("API_HOST", "0.0.0.0")
    given = child_environment(state, decided(state, ports))
    assert given["DATABASE_URL"] == Postgres(state, ports.postgres_port).url("deskhand_app")
    assert "DATABASE_OWNER_URL" not in given
    assert given["API_HOST"] == "127.0.0.1"


def test_the_build_name_follows_the_code(monkeypatch: pytest.MonkeyPatch, tmp_path: pytest.TempPathFactory) -> None:
    """The same code has the same name, changed code another (D8)."""
    assert source_digest() == source_digest()
    assert (PROJECT_ROOT / "contracts" / "errors.py").is_file()
    before = source_digest()
    monkeypatch.setattr(environment, "SOURCES", environment.SOURCES[1:])
    assert source_digest() != before
