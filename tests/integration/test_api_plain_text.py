"""Every text the API takes, found in its own description, with what no database stores put into it."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.integration.running import Running

UNSTORABLE = ("a\x00b@c.example", "ab\ud800cd")
LEFT_OUT = "/knowledge"
FIXED = {"uuid": "6f0c7f2e-2a55-4d0e-8f6b-3e1f5d9a7c11", "date-time": "2026-11-30T10:00:00Z", "time": "10:00:00"}


def resolved(schema: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """A schema without references and without the choice of null."""
    if "$ref" in schema:
        return resolved(known[schema["$ref"].rpartition("/")[2]], known)
    choices = [one for one in schema.get("anyOf", schema.get("oneOf", [])) if one.get("type") != "null"]
    return resolved(choices[0], known) if choices else schema


def sample(schema: dict[str, Any], known: dict[str, Any]) -> Any:
    """The smallest value of a schema."""
    s = resolved(schema, known)
    if "enum" in s or "const" in s:
        return s.get("const", s.get("enum", [None])[0])
    if s.get("type") == "object":
        return {name: sample(s["properties"][name], known) for name in s.get("required", [])}
    if s.get("type") == "array":
        return [sample(s["items"], known)] * s.get("minItems", 0)
    plain = {"integer": s.get("minimum", 1), "number": s.get("minimum", 1), "boolean": False}
    return plain.get(s.get("type", ""), FIXED.get(s.get("format", ""), "sample text"))


def spoiled(schema: dict[str, Any], known: dict[str, Any], bad: str) -> Iterator[tuple[str, Any]]:
    """The same value with one text at a time made unstorable, with the name of the field."""
    s = resolved(schema, known)
    if s.get("type") == "string" and not {"enum", "const", "format"} & s.keys():
        yield "", bad
    elif s.get("type") == "object":
        base = sample(s, known)
        for name, inner in s.get("properties", {}).items():
            for path, value in spoiled(inner, known, bad):
                yield f"{name}.{path}".strip("."), {**base, name: value}
    elif s.get("type") == "array":
        yield from ((path, [value]) for path, value in spoiled(s["items"], known, bad))


def bodies(about: dict[str, Any], known: dict[str, Any], bad: str) -> Iterator[tuple[str, Any]]:
    """Every spoiled body of an operation."""
    content = about.get("requestBody", {}).get("content", {}).get("application/json", {})
    yield from spoiled(content.get("schema", {}), known, bad)


def queries(about: dict[str, Any], known: dict[str, Any], bad: str) -> Iterator[tuple[str, Any]]:
    """Every spoiled query of an operation."""
    asked = [one for one in about.get("parameters", []) if one["in"] == "query"]
    base = {one["name"]: sample(one["schema"], known) for one in asked if one.get("required")}
    for one in asked:
        yield from ((one["name"], {**base, one["name"]: value}) for _, value in spoiled(one["schema"], known, bad))


async def at(running: Running, path: str) -> str:
    """An address with ids that exist where this installation has them."""
    ids = {"mailbox_id": running.mailbox_id, "category": "support", "action": "approve"}
    for piece in path.split("{")[1:]:
        name = piece.partition("}")[0]
        path = path.replace(f"{{{name}}}", str(ids.get(name, uuid4())))
    return path


async def described(running: Running) -> tuple[dict[str, Any], list[tuple[str, str, dict[str, Any]]]]:
    """The schemas, and every operation with its address."""
    found = (await running.get("/openapi.json")).json()
    every = [(m, path, about) for path, methods in found["paths"].items() for m, about in methods.items()]
    return found["components"]["schemas"], every


@pytest.mark.parametrize("bad", UNSTORABLE, ids=["nul", "half of a pair"])
async def test_a_text_no_database_stores_is_refused_by_name(api_only: Running, bad: str) -> None:
    """NUL and half of a surrogate pair in any field of any body: 422 that names the field, never a fault of ours."""
    known, every = await described(api_only)
    wrong, tried = [], 0
    for method, path, about in every:
        for field, body in bodies(about, known, bad):
            tried += 1
            answer = await api_only.request(method.upper(), await at(api_only, path), content=as_json(body),
                                            headers={"content-type": "application/json"})  # fmt: skip
            if answer.status_code != 422 or field.split(".")[-1] not in answer.text:
                wrong.append((method, path, field, answer.status_code, answer.text[:200]))
    assert tried > 30 and not wrong


async def test_a_nul_in_a_query_is_no_fault(api_only: Running) -> None:
    """Refused with 422, or left out where a search asks by meaning."""
    known, every = await described(api_only)
    wrong, tried = [], 0
    for method, path, about in every:
        for field, query in queries(about, known, UNSTORABLE[0]):
            tried += 1
            answer = await api_only.request(method.upper(), await at(api_only, path), params=query)
            if answer.status_code != 422 and not (LEFT_OUT in path and answer.status_code < 500):
                wrong.append((method, path, field, answer.status_code))
    assert tried > 5 and not wrong


def as_json(value: Any) -> bytes:
    """JSON as programs write it: half a pair as an escape."""
    return json.dumps(value).encode()
