"""What the first `make` installs from: pinned, hashed, from nowhere in particular, and only when something changed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

FILES = ("Makefile", "pyproject.toml", "requirements/bootstrap.txt", "requirements/lock.txt")


@pytest.mark.parametrize("name", ["requirements/bootstrap.txt", "requirements/lock.txt"])
def test_every_package_is_pinned_by_version_and_hash(project_root: Path, name: str) -> None:
    """A changed file on a mirror is refused, and the same commit installs the same everywhere."""
    blocks = re.split(r"\n(?=\S)", (project_root / name).read_text(encoding="utf-8").strip())
    assert blocks
    for block in blocks:
        assert re.match(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+ ", block), block.splitlines()[0]
        assert "--hash=sha256:" in block, block.splitlines()[0]


@pytest.mark.parametrize("name", ["Makefile", ".ci/run", "requirements/bootstrap.txt", "requirements/lock.txt"])
def test_no_registry_is_named(project_root: Path, name: str) -> None:
    """Where packages come from is the machine's own setting."""
    text = (project_root / name).read_text(encoding="utf-8")
    assert "://" not in text and "index-url" not in text


def test_the_ci_script_is_executable_and_runs_the_tests(project_root: Path) -> None:
    """CI takes the way that people take, and ends as the tests do."""
    script = project_root / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text(encoding="utf-8").splitlines()
    assert "set -euo pipefail" in lines
    assert lines[-1].startswith("make test") and "|| true" not in lines[-1]


@pytest.fixture
def installed(project_root: Path, tmp_path: Path) -> Path:
    """A checkout whose packages were installed a moment ago."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(project_root / name, tmp_path / name)
        os.utime(tmp_path / name, (1_000, 1_000))
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "deskhand-installed").touch()
    return tmp_path


def is_up_to_date(folder: Path) -> bool:
    """Whether `make setup` would do nothing."""
    return subprocess.run(["make", "-q", "setup"], cwd=folder, capture_output=True, check=False).returncode == 0


def test_a_second_make_installs_nothing(installed: Path) -> None:
    """The stamp saves the time from the second call on."""
    assert is_up_to_date(installed)


@pytest.mark.parametrize("name", FILES[1:])
def test_a_changed_lock_is_installed(installed: Path, name: str) -> None:
    """After an update of the code the next call brings the packages in line."""
    (installed / name).touch()
    os.utime(installed / ".venv" / "deskhand-installed", (2_000, 2_000))
    assert not is_up_to_date(installed)


def test_an_old_python_is_told(installed: Path) -> None:
    """Without a Python new enough the message says what is needed and how to name one."""
    (installed / ".venv" / "deskhand-installed").unlink()
    done = subprocess.run(
        ["make", "setup", "PYTHON="], cwd=installed, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "Python 3.11 or newer" in done.stdout
