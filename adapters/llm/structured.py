"""Getting an answer that fits a model class from endpoints that can enforce a schema, only JSON, or nothing at all."""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from openai import pydantic_function_tool
from pydantic import BaseModel, ValidationError

from adapters.llm.blocks import encodable

T = TypeVar("T", bound=BaseModel)

_MOST_CHARACTERS = 200_000
_MOST_STARTS = 50
_MOST_PROBLEMS = 12
_CAMEL_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SAFE_KINDS = {
    "missing", "extra_forbidden", "enum", "literal_error", "string_too_short", "string_too_long",
    "string_pattern_mismatch", "greater_than", "greater_than_equal", "less_than", "less_than_equal", "multiple_of",
    "too_long", "too_short", "bool_parsing", "int_parsing", "float_parsing", "finite_number", "int_from_float",
}  # fmt: skip
_LIMIT_WORDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching the regular expression {}",
    "format": "in the format {}",
}


# Docstrings of classes speak to engineers and titles to nobody; strict mode declines defaults and most limits.
_UNSAID = {"default", "title", *_LIMIT_WORDS}


class Structured(StrEnum):
    """How far an endpoint enforces the form of an answer, strongest first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


class Misfit(Exception):  # noqa: N818 - a control signal, not an error people see
    """An answer that does not fit; `problems` names fields and rules and never quotes the answer."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def schema_name(schema: type[BaseModel]) -> str:
    """The class name in snake case, which is the schema's name on the wire."""
    return _CAMEL_BORDER.sub("_", schema.__name__).lower()


@cache
def wire_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The strict JSON schema; limits strict mode does not know are said in the description and checked afterwards."""
    strict = pydantic_function_tool(schema)["function"]["parameters"]
    return dict(_said_in_words(strict))


def response_format(schema: type[BaseModel], structured: Structured) -> dict[str, Any] | None:
    """The `response_format` of a call, None where the endpoint takes none."""
    if structured is Structured.NONE:
        return None
    if structured is Structured.JSON_OBJECT:
        return {"type": "json_object"}
    named = {"name": schema_name(schema), "strict": True, "schema": wire_schema(schema)}
    return {"type": "json_schema", "json_schema": named}


def schema_note(schema: type[BaseModel], structured: Structured) -> str:
    """What the trusted voice must add where the endpoint does not enforce the schema itself."""
    if structured is Structured.JSON_SCHEMA:
        return ""
    text = json.dumps(wire_schema(schema), ensure_ascii=False, separators=(",", ":"))
    name = schema_name(schema)
    return f"Answer with one JSON object named {name} and nothing else. It must fit this JSON schema:\n{text}"


def repair_note(problems: tuple[str, ...]) -> str:
    """What the trusted voice adds to the one repair try."""
    listed = "\n".join(f"- {problem}" for problem in problems)
    return f"Your last answer did not fit the required form:\n{listed}\nAnswer again, in full, in the required form."


def parse_answer(text: str, schema: type[T]) -> T:
    """The first JSON object of the text as the model class. Raises Misfit."""
    found = first_object(text)
    if found is None:
        raise Misfit(("the answer holds no complete JSON object",))
    problems: tuple[str, ...]
    try:
        return schema.model_validate(_encodable(found))
    except ValidationError as error:
        problems = _problems(error, frozenset(_names(wire_schema(schema))))
    raise Misfit(problems)


def first_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text that may hold prose, code fences or a model's thinking around it, else None."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    visible = text[:_MOST_CHARACTERS].rpartition("</think>")[2]
    for start in _starts(visible):
        try:
            return dict(decoder.raw_decode(visible, start)[0])
        except (ValueError, RecursionError):
            continue
    return None


def _starts(text: str) -> Iterator[int]:
    """The first braces of the text; bounded, because each failed start may read to the end."""
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return
        yield start
        start = text.find("{", start + 1)


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _encodable(value: Any) -> Any:
    """The value with every text in it fit for a database."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {encodable(key): _encodable(item) for key, item in value.items()}
    return value


def _problems(error: ValidationError, known: frozenset[str]) -> tuple[str, ...]:
    """Place and rule of each fault; a place the model made up may be mail text: only names of ours are repeated."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[:_MOST_PROBLEMS]
    return tuple(f"{_place(fault['loc'], known)}: {_rule(fault['type'], fault['msg'])}" for fault in found)


def _place(loc: tuple[int | str, ...], known: frozenset[str]) -> str:
    return ".".join(str(part) if isinstance(part, int) or part in known else "?" for part in loc) or "answer"


def _rule(kind: str, message: str) -> str:
    """Some messages quote their input, so only those that are known not to are repeated."""
    return message if kind in _SAFE_KINDS or kind.endswith("_type") else f"not valid ({kind})"


def _names(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from node.get("properties", {})
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _names(child)


def _said_in_words(node: Any) -> Any:
    if isinstance(node, list):
        return [_said_in_words(item) for item in node]
    if not isinstance(node, dict):
        return node
    silent = _UNSAID | ({"description"} if "properties" in node or "enum" in node else set())
    kept = {key: _children(key, value) for key, value in node.items() if key not in silent}
    words = [form.format(node[key]) for key, form in _LIMIT_WORDS.items() if key in node]
    return kept | {"description": _described(kept.get("description"), words)} if words else kept


def _children(key: str, value: Any) -> Any:
    """Under `properties` and `$defs` the keys are names, which may be spelled like a keyword."""
    if key in ("properties", "$defs"):
        return {name: _said_in_words(child) for name, child in value.items()}
    return value if key in ("enum", "const", "required") else _said_in_words(value)


def _described(description: object, words: list[str]) -> str:
    return f"{description or ''} ({', '.join(words)})".strip()
