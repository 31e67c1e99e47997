"""The production shape, as far as a machine without containers can check it: settings, secrets, ports and twins.

docker-compose.yml repeats what the embedded stack and the Makefile say elsewhere; these tests keep the twins equal.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from adapters.settings import Settings
from cli.main import COMMANDS
from cli.stack.parts import api_part, worker_part
from cli.stack.ports import StackPorts
from cli.stack.state import StateDir
from cli.stack.temporal import DYNAMIC_CONFIG, program
from deploy.new_env import main as make_env
from deploy.new_env import with_secrets
from deploy.prepare_postgres import cluster_from

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
EXAMPLE = (ROOT / ".env.example").read_text()
USED = re.compile(r"\$\{(\w+)")
SERVERS = ("postgres", "temporal", "temporal-ui", "api", "worker")
JOBS = ("roles", "temporal-schema", "setup")
PROGRAMS = ("setup", "api", "worker")
INFRASTRUCTURE = {"POSTGRES_PASSWORD", "TEMPORAL_DB_PASSWORD", "TEMPORAL_HISTORY_SHARDS", "TEMPORAL_UI_PORT"}


def example_names() -> list[str]:
    """The variables of .env.example in their order."""
    return re.findall(r"^(\w+)=", EXAMPLE, re.MULTILINE)


def setting_names() -> set[str]:
    """Every variable that the settings read."""
    return {name.upper() for name in Settings.model_fields}


def secrets_given(service: str) -> set[str]:
    """The variables of .env that reach a service."""
    return set(USED.findall(yaml.safe_dump(SERVICES[service].get("environment", {}))))


def test_every_service_is_known_to_these_tests() -> None:
    """A new service is put among the servers or the jobs, and so meets the rules below."""
    assert set(SERVICES) == {*SERVERS, *JOBS}


def test_every_variable_stands_in_the_example_and_is_used() -> None:
    """No variable of docker-compose.yml is missing from .env.example, and none there is without effect."""
    used = set(USED.findall((ROOT / "docker-compose.yml").read_text()))
    assert sorted(example_names()) == sorted(used)


@pytest.mark.parametrize("service", PROGRAMS)
def test_our_programs_get_settings_that_exist(service: str) -> None:
    """A renamed setting cannot leave a dead variable in the compose file."""
    assert set(SERVICES[service]["environment"]) - setting_names() == set()


def test_the_example_holds_settings_and_the_four_of_the_servers() -> None:
    """Whatever is no setting of Deskhand belongs to Postgres or Temporal."""
    assert set(example_names()) - setting_names() == INFRASTRUCTURE


def test_a_setting_that_compose_leaves_out_has_a_reason() -> None:
    """A new setting is given to the programs, or named here: made by the image, or of the embedded stack alone."""
    left_out = setting_names() - set(SERVICES["setup"]["environment"])
    assert left_out == {"BUILD_ID", "FILE_CHANNEL_DIR", "DESKHAND_OFFLINE_MODEL"}


def test_each_secret_reaches_only_who_needs_it() -> None:  # HB1
    """The superuser's password stays with Postgres and the job of roles; API and worker never see the owner."""
    holders = {name: {s for s in SERVICES if name in secrets_given(s)} for name in example_names()}
    assert holders["POSTGRES_PASSWORD"] == {"postgres", "roles"}
    assert holders["DATABASE_OWNER_URL"] == {"roles", "setup"}
    assert holders["TEMPORAL_DB_PASSWORD"] == {"roles", "temporal-schema", "temporal"}
    assert holders["ORGANISATION_KEY"] == {"setup", "api", "worker"}


def test_ports_are_bound_to_loopback_and_only_pages_have_one() -> None:
    """Nothing listens beyond this machine; database and Temporal's frontend are not published at all."""
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert set(published) == {"api", "temporal-ui"}
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)


def test_no_image_names_a_registry() -> None:
    """Images come from the default registry or from our own Dockerfile; each is pinned to a version."""
    images = {service["image"] for service in SERVICES.values()}
    for image in images:
        name, _, tag = image.partition(":")
        assert tag and tag != "latest"
        assert "." not in name.split("/")[0]


@pytest.mark.parametrize("service", SERVERS)
def test_servers_restart_and_are_watched(service: str) -> None:
    """Every server starts again by itself; all but the page of Temporal say when they are ready."""
    assert SERVICES[service]["restart"] == "unless-stopped"
    assert "healthcheck" in SERVICES[service] or service == "temporal-ui"


@pytest.mark.parametrize("service", JOBS)
def test_jobs_end_and_are_waited_for(service: str) -> None:
    """A job is repeated only when it failed, and whoever needs it waits for its success."""
    assert SERVICES[service]["restart"] == "on-failure"
    waits = [s["depends_on"][service] for s in SERVICES.values() if service in s.get("depends_on", {})]
    assert waits and all(wait == {"condition": "service_completed_successfully"} for wait in waits)


def test_data_lives_in_named_volumes() -> None:
    """Postgres keeps its data where version 18 looks for it; mail files outlive the worker's container."""
    assert SERVICES["postgres"]["volumes"] == ["postgres:/var/lib/postgresql"]
    assert SERVICES["worker"]["volumes"] == ["outbox:/var/lib/deskhand"]
    assert set(COMPOSE["volumes"]) == {"postgres", "outbox"}


def test_mounted_files_are_there() -> None:
    """A mount of a missing file would become an empty folder in the container."""
    mounts = [v for s in SERVICES.values() for v in s.get("volumes", []) if v.startswith("./")]
    assert mounts and all((ROOT / mount.split(":")[0]).is_file() for mount in mounts)


def test_api_and_worker_start_as_in_the_embedded_stack(tmp_path: Path) -> None:
    """The same programs with the same options; only the address differs."""
    ports = StackPorts(_env_file=None, api_port=8300)  # type: ignore[call-arg]
    for service, part in (("api", api_part), ("worker", worker_part)):
        embedded = list(part(StateDir(tmp_path), ports, {}).child.command)
        here = [word.replace("0.0.0.0", "127.0.0.1") for word in SERVICES[service]["command"]]
        assert here[1:] == embedded[1:]


def test_the_worker_may_finish_what_runs() -> None:
    """Compose waits longer than the worker's own 30 s before it kills."""
    assert int(SERVICES["worker"]["stop_grace_period"].removesuffix("s")) > 30


def test_commands_exist() -> None:
    """`deskhand setup` is a command of ours, and every module started with -m can be found."""
    assert SERVICES["setup"]["command"] == ["deskhand", "setup"] and "setup" in COMMANDS
    assert SERVICES["roles"]["command"] == ["python", "-m", "deploy.prepare_postgres"]


def test_temporal_is_the_version_of_the_embedded_stack() -> None:
    """Server and page are those of the pinned wheel, and the schema tool is the server's own version."""
    said = subprocess.run([str(program()), "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    server, page = re.findall(r"Server ([\d.]+), UI ([\d.]+)", said)[0]
    assert SERVICES["temporal"]["image"] == f"temporalio/server:{server}"
    assert SERVICES["temporal-schema"]["image"] == f"temporalio/admin-tools:{server}"
    assert SERVICES["temporal-ui"]["image"] == f"temporalio/ui:{page}"


def test_temporal_is_configured_as_in_the_embedded_stack() -> None:
    """The dynamic configuration is the same, value by value."""
    given = yaml.safe_load((ROOT / "deploy" / "temporal-dynamic-config.yaml").read_text())
    assert {name: str(values[0]["value"]).lower() for name, values in given.items()} == DYNAMIC_CONFIG


def test_the_log_of_postgres_holds_no_statement() -> None:  # HU10
    """Error texts and statements of clients can hold mail."""
    assert "log_min_error_statement=panic" in SERVICES["postgres"]["command"]


def test_the_env_file_is_made_once_with_fresh_secrets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every empty secret is filled with its own value, only the owner may read it, a second run changes nothing."""
    assert make_env(tmp_path) == 0
    made = tmp_path / ".env"
    text = made.read_text()
    secrets = re.findall(r"[0-9a-f]{64}", text)
    assert len(secrets) == len(set(secrets)) == 5
    assert made.stat().st_mode & 0o777 == 0o600
    assert make_env(tmp_path) == 1 and made.read_text() == text
    assert not any(secret in "".join(capsys.readouterr()) for secret in secrets)


def values_of(text: str) -> dict[str, str]:
    """The variables of an env file, without the empty ones."""
    return {name: value for name, _, value in (x.partition("=") for x in text.splitlines() if x[:1].isupper()) if value}


def test_the_made_env_file_satisfies_settings_and_roles() -> None:
    """What new_env makes is accepted by the job of roles and by the programs as it stands."""
    values = values_of(with_secrets(EXAMPLE))
    assert cluster_from(values).database == "deskhand"
    lowered = {name.lower(): value for name, value in values.items() if name in setting_names()}
    assert Settings(_env_file=None, **lowered).organisation_key_bytes() != b""


def test_the_unfilled_example_is_refused() -> None:
    """Starting from the example without secrets fails by name and not with an empty password."""
    assert "ORGANISATION_KEY" not in values_of(EXAMPLE) and "POSTGRES_PASSWORD" not in values_of(EXAMPLE)
    required = re.findall(r"\$\{(\w+):\?", (ROOT / "docker-compose.yml").read_text())
    assert {"ORGANISATION_KEY", "POSTGRES_PASSWORD", "TEMPORAL_DB_PASSWORD", "DATABASE_URL"} <= set(required)


def resolved(values: dict[str, str]) -> dict[str, Any]:
    """The file with its variables replaced; KeyError names a required one that is empty."""

    def replace(found: re.Match[str]) -> str:
        name, kind, word = found.groups()
        if not values.get(name) and kind == "?":
            raise KeyError(name)
        return values.get(name) or word

    text = (ROOT / "docker-compose.yml").read_text()
    return dict(yaml.safe_load(re.sub(r"\$\{(\w+):([?-])([^}]*)\}", replace, text)))


def read_by_docker_compose(env_file: Path) -> subprocess.CompletedProcess[str]:
    """What docker-compose makes of the file, in an environment of its own."""
    line = ["docker-compose", "--env-file", str(env_file), "-f", str(ROOT / "docker-compose.yml"), "config"]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, env={"PATH": os.environ["PATH"]})


def environments(compose: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The environment of every service, as the text that its process will read."""
    given = {name: service.get("environment", {}) for name, service in compose["services"].items()}
    return {name: {k: "" if v is None else str(v) for k, v in values.items()} for name, values in given.items()}


def test_every_variable_resolves_and_docker_compose_agrees(tmp_path: Path) -> None:
    """A made .env leaves nothing open; docker-compose, where it is installed, reads the very same environments."""
    make_env(tmp_path)
    ours = environments(resolved(values_of((tmp_path / ".env").read_text())))
    assert "$" not in yaml.safe_dump(ours)
    if shutil.which("docker-compose"):
        ran = read_by_docker_compose(tmp_path / ".env")
        assert ran.returncode == 0, ran.stderr[-2000:]
        assert environments(yaml.safe_load(ran.stdout)) == ours


def test_an_empty_env_file_is_refused_by_name(tmp_path: Path) -> None:
    """Without secrets nothing starts; docker-compose says how to make them."""
    with pytest.raises(KeyError):
        resolved({})
    if shutil.which("docker-compose"):
        (tmp_path / "empty").touch()
        ran = read_by_docker_compose(tmp_path / "empty")
        assert ran.returncode != 0 and "deploy/new_env.py" in ran.stderr
