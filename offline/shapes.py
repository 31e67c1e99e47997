"""Which answer a request wants: told by the schema it carries, and by nothing a mail could say."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from offline.faults import EndpointError, malformed, unsupported
from offline.wire import ChatRequest

# Every answer this endpoint can give, by the properties that make it what it is.
SHAPES: Mapping[str, frozenset[str]] = {
    "guard_verdict": frozenset({"is_injection", "confidence"}),
    "classify_answer": frozenset({"category", "priority", "intents"}),
    "self_check": frozenset({"score", "complete"}),
    "draft_options": frozenset({"options"}),
    "draft_answer": frozenset({"reply"}),
    "extract_answer": frozenset({"claims"}),
}
PLAIN = ""
_QUOTED_NAME = re.compile(r'"([a-z_]{1,40})"')


def shape_of(request: ChatRequest) -> str:
    """The name of the wanted shape, empty for plain text. Raises EndpointError 422 for a schema it cannot fill.

    Where no schema is enforced, the trusted text holds it, and its property names stand there in quotes.
    """
    wanted = request.response_format
    names = frozenset(_QUOTED_NAME.findall(request.system))
    if wanted is None or wanted.type == "text":
        return _shape_with(names) if "properties" in names else PLAIN
    if wanted.type == "json_object":
        return _shape_with(names)
    if wanted.json_schema is None:
        raise malformed("A response format of type json_schema needs a schema.", "json_schema")
    return _shape_with(_properties(wanted.json_schema.schema_))


def fitted(answer: dict[str, Any], request: ChatRequest) -> dict[str, Any]:
    """The answer without properties the schema does not have. Raises EndpointError 422 where it needs another one."""
    wanted = request.response_format
    if wanted is None or wanted.json_schema is None:
        return answer
    schema = _resolved(wanted.json_schema.schema_)
    names = schema.get("properties", {})
    if not set(schema.get("required", ())) <= set(answer):
        raise _no_shape()
    return {name: value for name, value in answer.items() if name in names}


def _shape_with(properties: Iterable[str]) -> str:
    given = frozenset(properties)
    found = next((name for name, own in SHAPES.items() if own <= given), "")
    if not found:
        raise _no_shape()
    return found


def _properties(schema: dict[str, Any]) -> Iterable[str]:
    properties = _resolved(schema).get("properties", {})
    return properties if isinstance(properties, dict) else ()


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema behind a reference at its top."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    found = schema.get("$defs", {}).get(name) if name else schema
    return found if isinstance(found, dict) else schema


def _no_shape() -> EndpointError:
    return unsupported("fill this JSON schema", "json_schema")
