"""The shape of the house as tests: imports, the one writer of status, the one starter of workflows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.postgres import QUERIES

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("contracts", "domain", "workflows", "activities", "adapters", "api", "cli", "offline")
STATUS_WRITE = re.compile(
    r"(update\s+(deskhand\.)?inbound_messages\b[^;]*?\bset\b[^;]*?processing_status\s*=)"
    r"|(insert\s+into\s+(deskhand\.)?inbound_messages\b)",
    re.IGNORECASE,
)


def python_files() -> list[Path]:
    """Every module of the product."""
    return [*(f for p in PACKAGES for f in (ROOT / p).rglob("*.py")), ROOT / "worker.py"]


def test_imports_point_one_way() -> None:
    """contracts <- domain <- {workflows, activities, adapters} <- api, cli; workflows know no I/O library."""
    run = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports")], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stdout[-3000:]


def test_only_the_lifecycle_block_writes_a_status() -> None:
    """P15: SQL that writes a status stands in queries/lifecycle.sql and in schema.sql, nowhere else."""
    files = {file.stem: file.read_text() for file in (ROOT / "adapters" / "queries").glob("*.sql")}
    assert [name for name, text in files.items() if STATUS_WRITE.search(text)] == ["lifecycle"]
    offenders = [f for f in python_files() if STATUS_WRITE.search(f.read_text())]
    assert offenders == []


def test_only_the_lifecycle_package_and_the_claim_use_its_statements() -> None:
    """P15: `lifecycle_move` is named in one module."""
    users = [f for f in python_files() if '"lifecycle_move"' in f.read_text()]
    assert users == [ROOT / "activities" / "lifecycle" / "work.py"]


def test_only_the_relay_starts_workflows() -> None:
    """RC13, RS-71: no other module of the product holds a call that starts a workflow."""
    pattern = re.compile(r"\.(start_workflow|execute_workflow|start_update_with_start_workflow)\(")
    starters = {f.relative_to(ROOT).as_posix() for f in python_files() if pattern.search(f.read_text())}
    assert starters == {"adapters/relay.py"}


def test_every_named_statement_is_used() -> None:
    """A statement nobody runs is a statement nobody tests."""
    code = "\n".join(f.read_text() for f in python_files())
    dynamic = {name for name in QUERIES if name.startswith(("news_",))}
    unused = {name for name in QUERIES if f'"{name}"' not in code and f"'{name}'" not in code} - dynamic
    assert unused == set()


def test_every_statement_named_in_code_exists() -> None:
    """A misspelt statement name fails here and not in production."""
    used: set[str] = set()
    for file in python_files():
        used |= set(re.findall(r"tx\.(?:one|rows|value|run|run_many)\(\s*\"(\w+)\"", file.read_text()))
    assert used - set(QUERIES) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_says_why_it_exists(package: str) -> None:
    """A module opens with a docstring."""
    bare = [f for f in (ROOT / package).rglob("*.py") if f.read_text().strip() and not f.read_text().startswith('"""')]
    assert bare == []
