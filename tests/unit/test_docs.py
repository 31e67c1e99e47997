"""The documents are true: what they name exists, what they tell people to paste works, and links lead somewhere."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from adapters.settings import Settings
from api.app import create_app
from api.webhooks.signatures import BodyCheck, is_fresh, mta_claim, standard_claim
from cli.main import COMMANDS
from cli.stack.first_access import MTA_SOURCE, RAW_SOURCE, Access, secrets_file_text
from cli.stack.namespace import MINIMUM_RETENTION
from cli.stack.ports import StackPorts
from contracts.status import HoldReason, OutboxState, Status
from workflows import policies

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = (ROOT / "README.md").read_text()
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
ADRS = sorted((ROOT / "docs" / "adr").glob("*.md"))
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Made by running, so not in the repository.
MADE = re.compile(r"^(\.venv|\.deskhand|\.env$|deskhand\.(dump|env)$|[\w-]+\.(log|txt|eml|json|db)$|secrets\.env$)")
WRITTEN_ELSEWHERE: set[str] = set()


def blocks(text: str, language: str = "sh") -> list[str]:
    """The fenced blocks of one language."""
    return [body for found, body in FENCED.findall(text) if found == language]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return FENCED.sub("", page.read_text())


def names(pages: list[Path]) -> list[str]:
    """Paths of pages as test ids."""
    return [page.relative_to(ROOT).as_posix() for page in pages]


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_resolve(page: Path) -> None:
    """Every link that is no web address leads to a file or folder of the repository."""
    targets = [t.split("#")[0] for t in re.findall(r"\]\(([^)\s]+)\)", prose(page)) if "://" not in t]
    missing = [t for t in targets if t and not (page.parent / t).exists()]
    assert set(missing) - WRITTEN_ELSEWHERE == set()


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_paths_named_in_code_style_exist(page: Path) -> None:
    """`like/this.py` is there, or is made by running."""
    quoted = re.findall(r"`([\w.-]+(?:/[\w.-]+)*/?)`", prose(page))
    paths = [q for q in quoted if ("/" in q or re.search(r"\.(py|sql|md|yml|toml|sh|yaml)$", q)) and not MADE.match(q)]
    packages = (ROOT, *(ROOT / p for p in ("contracts", "workflows", "activities", "adapters", "cli/stack", "docs")))
    missing = [p for p in paths if not any((base / p).exists() for base in packages)]
    assert [p for p in missing if p not in VERBATIM] == []


# Shapes and media types that look like paths.
VERBATIM = {"message/rfc822", "Stage", "outbox/", "postgres/", "logs/", "lifecycle/", "steps/", "sending/"}


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_no_page_names_a_machine(page: Path) -> None:
    """No absolute path of somebody's machine, no registry, no address beyond loopback and the examples."""
    text = page.read_text()
    assert re.findall(r"(?:^|[\s`(\"'])(/(?:home|Users|root|work|tmp|mnt|opt)/\S*)", text) == []
    hosts = set(re.findall(r"https?://([\w.-]+)", text))
    assert hosts <= {"127.0.0.1", "temporal.io", "www.standardwebhooks.com"}


def make_targets() -> set[str]:
    """The targets of the Makefile."""
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_make_targets_exist(page: Path) -> None:
    """Every `make <target>` in code style or in a block can be called."""
    code = "\n".join([*blocks(page.read_text()), *re.findall(r"`([^`\n]+)`", prose(page))])
    named = set(re.findall(r"(?:^|\s)make ([a-z][a-z-]*)", code, re.MULTILINE))
    assert named - make_targets() == set()


def subcommands(command: str) -> set[str]:
    """The sub-commands of one `deskhand` command."""
    built: Any = typer.main.get_command(importlib.import_module(COMMANDS[command].module).app)
    return set(getattr(built, "commands", {}))


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_deskhand_commands_exist(page: Path) -> None:
    """Every `deskhand <command> [<sub-command>]` is there under that name."""
    code = "\n".join([*blocks(page.read_text()), *re.findall(r"`([^`\n]+)`", prose(page))])
    for command, rest in re.findall(r"\bdeskhand ([a-z]+)(?: ([a-z]+)\b)?", code):
        assert command in COMMANDS, command
        assert not rest or not subcommands(command) or rest in subcommands(command), (command, rest)


def routes() -> set[tuple[str, str]]:
    """Method and path of every endpoint, parameters as `{}`."""
    key = "ab" * 32
    app = create_app(Settings(_env_file=None, database_url="postgresql://a:b@127.0.0.1/c", organisation_key=key))
    paths = app.openapi()["paths"].items()
    return {(method.upper(), re.sub(r"\{\w+\}", "{}", path)) for path, methods in paths for method in methods}


def test_rest_calls_exist() -> None:
    """Every `METHOD /api/…` that a page names is an endpoint of the API."""
    text = "\n".join(page.read_text() for page in PAGES)
    named = set(re.findall(r"\b(GET|POST|PUT|DELETE) (/api/[\w/<>.-]+)", text))
    wanted = {(method, re.sub(r"<[^>]+>", "{}", path)) for method, path in named}
    calls = {(method, re.sub(r"/flags/[\w.]+", "/flags/{}", path)) for method, path in wanted}
    assert calls and calls - routes() == set()


def test_settings_named_in_the_readme_exist() -> None:
    """Every variable in code style is read by somebody."""
    known = {n.upper() for n in (*Settings.model_fields, *StackPorts.model_fields)}
    code = " ".join(re.findall(r"`([^`\n]+)`", FENCED.sub("", README + OPERATIONS)))
    used = set(re.findall(r"\b([A-Z]{2,}(?:_[A-Z]+)+)\b", code))
    deploy = {"POSTGRES_SUPERUSER_URL", "TEMPORAL_HISTORY_SHARDS", "DESKHAND_STATE_DIR"}
    assert used - known - deploy == set()


def test_ports_in_the_documents_are_the_defaults() -> None:
    """The numbers of operations.md and of every loopback address are those of the code."""
    defaults = {name.upper(): field.default for name, field in StackPorts.model_fields.items()}
    for name in ("API_PORT", "POSTGRES_PORT", "TEMPORAL_PORT", "TEMPORAL_UI_PORT", "OFFLINE_PORT", "METRICS_PORT"):
        assert re.search(rf"`{name}`\s{defaults[name]}\b", OPERATIONS), name
    ports = {int(port) for page in PAGES for port in re.findall(r"127\.0\.0\.1:(\d+)", page.read_text())}
    assert ports <= set(defaults.values())


def test_the_vocabulary_is_complete() -> None:
    """Every status is in the glossary, every outbox state in sending.md, and the hold people must act on too."""
    glossary, sending = ((ROOT / "docs" / name).read_text() for name in ("glossary.md", "sending.md"))
    assert [s for s in Status if f"`{s}`" not in glossary] == []
    assert [s for s in OutboxState if f"`{s}`" not in sending] == []
    assert HoldReason.DELIVERY_AMBIGUOUS in sending


def test_numbers_are_those_of_the_code() -> None:
    """When proof of a delivery is looked for, how often the sweep runs, and how long Temporal keeps runs."""
    sending = (ROOT / "docs" / "sending.md").read_text()
    assert [int(p.total_seconds()) for p in policies.RECONCILE_AFTER] == [2, 30, 300, 1500]
    assert "After 2 s, 30 s, 5 min and 25 min" in sending
    assert policies.SWEEP_EVERY.total_seconds() == 60 and policies.FULL_SWEEP_EVERY.total_seconds() == 3600
    assert MINIMUM_RETENTION.days == 30


@pytest.mark.parametrize("page", ADRS, ids=names(ADRS))
def test_decisions_have_their_form(page: Path) -> None:
    """At most 40 lines, numbered as the file is, with context, decision and consequences."""
    text = page.read_text()
    assert len(text.splitlines()) <= 40
    assert text.startswith(f"# {int(page.name[:4])}. ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]


def test_decisions_are_numbered_without_gaps() -> None:
    """One number, one decision."""
    assert [int(page.name[:4]) for page in ADRS] == list(range(1, len(ADRS) + 1))


FAKE_CURL = """
import json, sys
sys.stdout.write(json.dumps(sys.argv[1:]))
"""


@pytest.fixture
def shell(tmp_path: Path) -> Any:
    """Runs a block of the README in a folder with secrets, and a curl that only says what it was told to send."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "curl").write_text(f"#!/bin/sh\nexec '{sys.executable}' '{tools / 'curl.py'}' \"$@\"\n")
    (tools / "curl").chmod(0o755)
    (tools / "curl.py").write_text(FAKE_CURL)
    (tmp_path / ".deskhand").mkdir()
    access = Access("dh_token", "ab" * 32, "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU=")
    (tmp_path / ".deskhand" / "secrets.env").write_text(secrets_file_text(access))

    def run(block: str) -> tuple[dict[str, str], bytes, str]:
        """Headers, body and address of the request that the block would send."""
        path = {"PATH": f"{tools}:{os.environ['PATH']}"}
        ran = subprocess.run(["sh", "-eu", "-c", block], cwd=tmp_path, env=path, capture_output=True, timeout=60)
        assert ran.returncode == 0, ran.stderr.decode()
        words = json.loads(ran.stdout)
        pairs = [word.split(": ", 1) for word in words if re.match(r"[\w-]+: ", word)]
        headers = {name.lower(): value for name, value in pairs}
        data = words[words.index("--data-binary") + 1]
        body = (tmp_path / data[1:]).read_bytes() if data.startswith("@") else data.encode()
        return headers, body, words[-1]

    run.access = access  # type: ignore[attr-defined]
    return run


def block_with(text: str) -> str:
    """The one block of the README that holds a text."""
    found = [block for block in blocks(README) if text in block]
    assert len(found) == 1
    return found[0]


def test_the_json_lines_of_the_readme_are_signed_as_the_door_wants_it(shell: Any) -> None:  # AD2
    """Pasted as they stand, they make a fresh and valid signature over a body the adapter understands."""
    headers, body, url = shell(block_with("/webhooks/mta"))
    claim = mta_claim(headers)
    check = BodyCheck(claim, [shell.access.mta_secret])  # type: ignore[arg-type]
    check.feed(body)
    assert check.passes_hex() and is_fresh(claim, int(headers["x-mta-timestamp"]))  # type: ignore[arg-type]
    assert json.loads(body)["inboundPayload"]["to"] == Settings.model_fields["default_mailbox_address"].default
    assert url.endswith(f"/webhooks/{MTA_SOURCE}")


def test_the_raw_lines_of_the_readme_are_signed_as_the_door_wants_it(shell: Any) -> None:  # AD3
    """The key behind `whsec_` is decoded, and the bytes of the file are what is signed."""
    headers, body, url = shell(block_with("/webhooks/raw/"))
    check = BodyCheck(standard_claim(headers), [shell.access.raw_secret])  # type: ignore[arg-type]
    check.feed(body)
    assert check.passes_standard(body)
    assert b"\nTo: support@example.org\n" in body and url.endswith(f"/webhooks/raw/{RAW_SOURCE}")


@pytest.mark.parametrize("scheme", ["mta", "standard"])
def test_the_python_lines_of_webhooks_md_sign_as_the_door_wants_it(scheme: str) -> None:  # AD2, AD3
    """Both functions make headers that pass, over bytes that are no UTF-8."""
    scope: dict[str, Any] = {}
    exec(blocks((ROOT / "docs" / "webhooks.md").read_text(), "python")[0], scope)  # noqa: S102 - our own page
    body, secret = b"caf\xe9", "whsec_" + "QUJD" * 10
    made = scope["mta_headers"](secret[6:], body) if scheme == "mta" else scope["standard_headers"](secret, "e1", body)
    headers = {name.lower(): value for name, value in made.items()}
    claim = mta_claim(headers) if scheme == "mta" else standard_claim(headers)
    check = BodyCheck(claim, [secret[6:] if scheme == "mta" else secret])  # type: ignore[arg-type]
    check.feed(body)
    assert check.passes_hex() if scheme == "mta" else check.passes_standard(body)
