"""The command line: quick help, messages instead of tracebacks."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from cli import main
from contracts.errors import SettingsFault

LOADED = """
import sys
from cli.main import app
sys.argv = ["deskhand", "--help"]
try:
    app()
except SystemExit:
    print("loaded", [name for name in ("temporalio", "asyncpg", "openai", "fastapi") if name in sys.modules])
"""


def test_the_help_imports_no_sub_command(project_root: Path) -> None:
    """A list of commands comes at once and also when one of them cannot be imported."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=project_root
    )
    assert "run" in done.stdout and "doctor" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded []"


@pytest.mark.parametrize("name", sorted(main.COMMANDS))
def test_every_listed_command_can_be_called(name: str) -> None:
    """What the help shows exists and explains itself."""
    assert CliRunner().invoke(main.app, [name, "--help"]).exit_code == 0


def test_a_fault_of_ours_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback for what a person can put right; exit code 1."""
    broken = typer.Typer()

    @broken.command()
    def fail() -> None:
        """Fail on purpose."""
        raise SettingsFault("API_PORT: read 0.")

    monkeypatch.setattr(main, "load", lambda name: typer.main.get_command(broken))
    outcome = CliRunner().invoke(main.app, ["run"])
    assert outcome.exit_code == 1
    assert outcome.output == "API_PORT: read 0.\n"


def test_an_unknown_command_is_refused() -> None:
    """A typing error is named."""
    outcome = CliRunner().invoke(main.app, ["rnu"])
    assert outcome.exit_code == 2 and "rnu" in outcome.output
