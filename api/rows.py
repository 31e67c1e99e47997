"""Rows of the database as plain values for JSON, and the links that go with them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from adapters.settings import Settings


def plain(row: Mapping[str, Any] | Any, *without: str) -> dict[str, Any]:
    """A row as a dict; decimals as numbers, named columns left out."""
    return {name: _value(value) for name, value in dict(row).items() if name not in without}


def _value(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def temporal_link(settings: Settings, workflow_id: str | None) -> str | None:
    """The run in the Temporal Web UI."""
    if workflow_id is None:
        return None
    base = f"{settings.temporal_ui_url}/namespaces/{quote(settings.temporal_namespace, safe='')}"
    return f"{base}/workflows/{quote(workflow_id, safe='')}"
