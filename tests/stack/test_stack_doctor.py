"""`deskhand doctor`: right when all is well, and for each fault a line that says what to do."""

import asyncio
import socket
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from typer.testing import CliRunner

from adapters.settings import Settings
from cli.checks.database import check_database
from cli.checks.finding import Finding
from cli.checks.machine import check_env_file, check_ports, check_state_folder
from cli.checks.mail_relay import check_mail_relay
from cli.checks.model_endpoint import check_model
from cli.checks.temporal_server import check_temporal
from cli.main import app
from cli.stack.embedded import EmbeddedServices
from cli.stack.namespace import ensure_namespace
from cli.stack.ports import StackPorts, spare_ports
from cli.stack.postgres import OWNER, SUPERUSER
from cli.stack.roles import create_database
from cli.stack.state import StateDir
from tests.peers.model_peer import ModelPeer

NOWHERE = "postgresql://app:pw@127.0.0.1:1/deskhand"


def settings(**values: object) -> Settings:
    """Complete settings with some values changed."""
    return Settings(_env_file=None, **{"database_url": NOWHERE, "organisation_key": "ab" * 32, **values})


def wrong_ones(findings: list[Finding]) -> list[str]:
    """What is wrong, each with advice."""
    wrong = [finding for finding in findings if not finding.is_ok]
    assert all(finding.advice for finding in wrong)
    return [finding.what for finding in wrong]


async def test_a_database_of_ours_is_in_order(database_url: str) -> None:
    """Role, schema and extensions of the embedded stack pass."""
    assert wrong_ones(await check_database(settings(database_url=database_url))) == []


@pytest.mark.parametrize("role", [SUPERUSER, OWNER])  # HB1
async def test_a_role_past_the_walls_is_told(services: EmbeddedServices, database_name: str, role: str) -> None:
    """A superuser and the owner of the tables both pass row-level security."""
    url = services.postgres.url(role, database_name)
    assert wrong_ones(await check_database(settings(database_url=url))) == ["Database role"]


@pytest_asyncio.fixture
async def bare_database_url(services: EmbeddedServices) -> AsyncIterator[str]:
    """A database without schema and extensions."""
    connection = await services.postgres.connect()
    await create_database(connection, "bare")
    yield services.postgres.url(database="bare")
    await connection.execute("DROP DATABASE bare WITH (FORCE)")
    await connection.close()


async def test_a_missing_schema_is_told(bare_database_url: str) -> None:
    """Both what is missing and the command that brings it."""
    findings = await check_database(settings(database_url=bare_database_url))
    assert wrong_ones(findings) == ["Schema", "Extensions"]
    assert "deskhand setup" in findings[2].advice


async def test_a_database_that_is_away_is_one_finding() -> None:
    """No traceback, and no password in the line."""
    findings = await check_database(settings())
    assert wrong_ones(findings) == ["Database"]
    assert "pw" not in findings[0].detail


async def test_a_temporal_of_ours_is_in_order(services: EmbeddedServices) -> None:  # P31, P31a
    """Namespace, retention and search attributes of the embedded stack pass."""
    assert wrong_ones(await check_temporal(settings(temporal_address=services.temporal.address))) == []


async def test_a_short_retention_and_missing_attributes_are_told(services: EmbeddedServices) -> None:  # P31, P31a
    """A namespace somebody made by hand is not good enough as it is."""
    await ensure_namespace(await services.temporal.client(), "by-hand", timedelta(days=1))
    read = settings(temporal_address=services.temporal.address, temporal_namespace="by-hand")
    assert wrong_ones(await check_temporal(read)) == ["Temporal namespace", "Search attributes"]


async def test_a_missing_namespace_is_told(services: EmbeddedServices) -> None:
    """A typing error in TEMPORAL_NAMESPACE shows."""
    read = settings(temporal_address=services.temporal.address, temporal_namespace="no-such")
    assert wrong_ones(await check_temporal(read)) == ["Temporal namespace"]


async def test_a_temporal_that_is_away_is_one_finding() -> None:
    """The address is in the line."""
    findings = await check_temporal(settings(temporal_address="127.0.0.1:1"))
    assert wrong_ones(findings) == ["Temporal"] and "127.0.0.1:1" in findings[0].detail


async def test_a_model_endpoint_that_is_away_is_told() -> None:
    """The line says which settings name it."""
    findings = await check_model(settings(llm_base_url="http://127.0.0.1:1/v1"))
    assert wrong_ones(findings) == ["Model endpoint"] and "LLM_BASE_URL" in findings[0].advice


async def test_a_relay_that_is_away_is_told() -> None:
    """Host, port and encryption are in the line, the password is not."""
    read = settings(
        delivery_channel="smtp", smtp_host="127.0.0.1", smtp_port=1, smtp_tls="none", smtp_password="s3cr3t"
    )
    findings = await check_mail_relay(read)
    assert wrong_ones(findings) == ["SMTP relay"]
    assert "127.0.0.1:1 (none)" in findings[0].detail and "s3cr3t" not in str(findings)


async def test_a_mail_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file in the way shows before the first reply."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    read = settings(file_channel_dir=tmp_path / "file" / "outbox")
    assert wrong_ones(await check_mail_relay(read)) == ["Delivery"]
    assert wrong_ones(await check_mail_relay(settings(file_channel_dir=tmp_path / "new" / "outbox"))) == []


def test_ports_must_be_free_while_no_stack_runs(state: StateDir) -> None:
    """Each port has a line; the one in use names its setting. While a stack runs, its ports are in use by right."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = StackPorts(_env_file=None, **spare_ports().model_dump() | {"api_port": server.getsockname()[1]})
        assert wrong_ones(check_ports(state, taken)) == [f"Port {taken.api_port} (API_PORT)"]
        state.lock()
        assert wrong_ones(check_ports(StateDir(state.path), taken)) == []


def test_a_settings_file_open_to_others_is_told(state: StateDir) -> None:
    """It holds passwords and keys."""
    state.write_environment({"X": "1"})
    assert wrong_ones([check_env_file(state)]) == []
    state.env_file.chmod(0o644)
    assert wrong_ones([check_env_file(state)]) == ["Settings file"]


def test_a_state_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """The line names the setting."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert wrong_ones([check_state_folder(StateDir(tmp_path / "file" / "state"))]) == ["State folder"]
    assert wrong_ones([check_state_folder(StateDir(tmp_path / "a" / "b"))]) == []


def test_without_settings_the_doctor_says_so_and_exits_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The first thing a newcomer may run must not end in a traceback."""
    monkeypatch.setenv("DESKHAND_STATE_DIR", str(tmp_path / "none"))
    outcome = CliRunner().invoke(app, ["doctor"])
    assert outcome.exit_code == 1
    assert "wrong Settings: DATABASE_URL: nothing was read" in outcome.output
    assert "make run" in outcome.output


@pytest.mark.parametrize(
    ("structured", "answer", "exit_code"), [("json_schema", None, 0), ("none", None, 0), ("none", "I cannot say.", 1)]
)
async def test_the_exit_code_says_whether_all_is_well(
    services: EmbeddedServices, database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    structured: str, answer: str | None, exit_code: int,
) -> None:  # fmt: skip
    """0 for a sound installation, also with a model that enforces no form; 1 as soon as one line is wrong."""
    monkeypatch.setenv("DESKHAND_STATE_DIR", str(tmp_path / "state"))
    async with ModelPeer() as peer:
        peer.structured = structured
        peer.answer("guard_verdict", answer)
        values = {"DATABASE_URL": database_url, "ORGANISATION_KEY": "ab" * 32, "LLM_BASE_URL": peer.base_url}
        values |= {"TEMPORAL_ADDRESS": services.temporal.address}
        for name, value in {**values, **spare_ports().named()}.items():
            monkeypatch.setenv(name, str(value))
        outcome = await asyncio.to_thread(CliRunner().invoke, app, ["doctor"])
    assert outcome.exit_code == exit_code, outcome.output
    assert ("wrong Models" in outcome.output) == bool(exit_code)
