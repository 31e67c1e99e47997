"""Reading the Temporal server's own metrics: how often it wrote to its database, by operation and namespace."""

import asyncio
import re
import urllib.request
from collections.abc import Mapping
from typing import Final

METRIC: Final = "persistence_requests"
WRITES: Final = ("CreateWorkflowExecution", "UpdateWorkflowExecution")
_LINE = re.compile(r"^(\w+)\{([^}]*)\} ([0-9.e+]+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')


def writes_in(text: str, namespace: str) -> dict[str, int]:
    """The transactions of each writing operation in a namespace, from a Prometheus page; 0 for one not seen yet."""
    counts = dict.fromkeys(WRITES, 0)
    for name, labels, value in _LINE.findall(text):
        found = dict(_LABEL.findall(labels))
        if name == METRIC and found.get("namespace") == namespace and found.get("operation") in counts:
            counts[found["operation"]] += int(float(value))
    return counts


def between(before: Mapping[str, int], after: Mapping[str, int]) -> int:
    """How many transactions of all writing operations lie between two readings."""
    return sum(after.values()) - sum(before.values())


async def read_writes(port: int, namespace: str) -> dict[str, int]:
    """One reading of a server that was started with `--metrics-port`."""
    return writes_in(await asyncio.to_thread(_page, port), namespace)


def _page(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as page:
        return str(page.read().decode())
