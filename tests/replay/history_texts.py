"""Everything a recorded history says in words, payloads decoded, so that a test can look for what must not be in it."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any


def texts_in(history: Any) -> str:
    """All strings of a history's JSON in lower case, keys included, each base64 payload also as what it encodes."""
    return "\n".join(_texts(history)).lower()


def _texts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, key)
    elif isinstance(value, str):
        yield value
        yield from _decoded(value) if key in ("data", "encoding") else ()


def _decoded(text: str) -> Iterator[str]:
    try:
        yield base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return
