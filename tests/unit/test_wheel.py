"""A wheel holds everything the product reads at run time; what is not in it fails on the machine of somebody else."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGES = ("contracts", "domain", "workflows", "activities", "adapters", "api", "cli", "offline")
ROOT_FILES = ("pyproject.toml", "README.md", "LICENSE", "schema.sql", "worker.py")
LOOK = """
import json, sys
sys.path.insert(0, sys.argv[1])
import adapters.postgres, adapters.settings, api.dashboard.assets, api.dashboard.rendering, api.dashboard.words
import cli.demo_cases, cli.stack.schema, offline.head, worker
print(json.dumps({
    "root": str(adapters.settings.PROJECT_ROOT),
    "queries": len(adapters.postgres.QUERIES),
    "schema": cli.stack.schema.schema_digest(),
    "worker": worker.__file__,
}))
"""


@pytest.fixture(scope="module")
def source(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project in a folder of its own, because a build writes beside its sources."""
    copy = tmp_path_factory.mktemp("wheel") / "source"
    for name in (*PACKAGES, "deploy"):
        shutil.copytree(project_root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    for name in ROOT_FILES:
        shutil.copy(project_root / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    """The wheel as pip builds it, with the tools that are installed."""
    target = source.parent / "dist"
    command = [
        sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", ".", "--no-deps",
        "--no-build-isolation", "--quiet", "--wheel-dir", str(target),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = target.glob("deskhand-*.whl")
    return found


def _wanted(source: Path) -> set[str]:
    """Every file of every package, whatever its kind, and the two files of the root."""
    files = (path for name in PACKAGES for path in (source / name).rglob("*") if path.is_file())
    return {str(path.relative_to(source)) for path in files} | {"schema.sql", "worker.py"}


def test_the_wheel_holds_every_file_of_the_packages(source: Path, wheel: Path) -> None:
    """Schema, statements, templates, styles, words, demo mails and offline data, without a list that can grow old."""
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = _wanted(source)
    assert {"adapters/queries/door.sql", "cli/demo_mails/01-password.eml", "offline/data/head.npz"} <= wanted
    assert sorted(wanted - names) == []


def test_the_wheel_holds_nothing_else(source: Path, wheel: Path) -> None:
    """No tests, no benchmarks, no build tools: they would be importable names on another machine."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert sorted(names - _wanted(source)) == []


def test_what_is_installed_finds_its_files(source: Path, wheel: Path, tmp_path: Path) -> None:
    """The code of the wheel reads the files of the wheel, not those of the checkout."""
    place = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(place)
    command = [sys.executable, "-I", "-c", LOOK, str(place)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["root"] == str(place) and seen["worker"] == str(place / "worker.py")
    statements = sum(f.read_text().count("-- name: ") for f in (source / "adapters/queries").glob("*.sql"))
    assert seen["queries"] == statements and len(seen["schema"]) == 64
