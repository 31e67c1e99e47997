"""Prints what was measured as it comes and keeps it in a file, failures included."""

import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.house import BUDGETS_SAID

RESULTS = Path(__file__).resolve().parent / "results.json"


def machine() -> dict[str, str]:
    """What must be known to read the numbers."""
    return {
        "cores": str(os.cpu_count()),
        "load_at_start": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


class Report:
    """One run: facts about it, values by name, and the reason of each part that failed."""

    def __init__(self, quick: bool, say: Callable[[str], None], results: Path = RESULTS) -> None:
        self.values: dict[str, float] = {}
        self.failed: dict[str, str] = {}
        self._say, self._results = say, results
        self._facts = {"size": "quick, proves that it works" if quick else "full", **machine()}
        self._facts |= {"started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "rate_budgets": BUDGETS_SAID}
        for name, fact in self._facts.items():
            say(f"{name}: {fact}")

    def add(self, values: dict[str, float]) -> None:
        """Print and keep measured values."""
        self.values |= values
        for name, value in values.items():
            self._say(f"{name}: {shown(value)}")
        self._write()

    def fail(self, part: str, reason: str) -> None:
        """Print and keep that a part failed."""
        self.failed[part] = reason
        self._say(f"failed_{part}: {reason}")
        self._write()

    def _write(self) -> None:
        kept: dict[str, Any] = {"about": self._facts, "values": self.values, "failed": self.failed}
        draft = self._results.with_suffix(".new")
        draft.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        draft.replace(self._results)


def shown(value: float) -> str:
    """Four significant digits, and all of a whole number."""
    return str(int(value)) if float(value).is_integer() else f"{value:.4g}"
