"""Answers that fit a model class, whatever an endpoint wraps around them."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field, field_validator

from adapters.llm.structured import (
    Misfit,
    Structured,
    first_object,
    parse_answer,
    repair_note,
    response_format,
    schema_name,
    schema_note,
    wire_schema,
)
from contracts.classification import ClassifyAnswer, DraftOptions, GuardVerdict, SelfCheck
from domain.prompts.draft import DraftAnswer

CLASSES: list[type[BaseModel]] = [ClassifyAnswer, GuardVerdict, SelfCheck, DraftOptions, DraftAnswer]
INTENT = {"key": "a", "intent": "question", "confidence": 0.5, "label": "asks"}
CLASSIFIED = {
    "category": "support", "priority": "low", "sentiment": "neutral", "intent": "question", "confidence": 0.5,
    "intents": [INTENT],
}  # fmt: skip
STRICT_KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs"}


def keywords(node: Any) -> set[str]:
    """Every schema keyword in use; names of properties and definitions are none."""
    if isinstance(node, list):
        return set().union(*map(keywords, node))
    if not isinstance(node, dict):
        return set()
    inner = [node[key].values() if key in ("properties", "$defs") else [node[key]] for key in node]
    return set(node).union(*(keywords(child) for group in inner for child in group))


def objects(node: Any) -> list[dict[str, Any]]:
    """Every object schema inside a schema."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = [node] if isinstance(node, dict) and node.get("type") == "object" else []
    return own + [found for child in children for found in objects(child)]


def test_names_on_the_wire_are_snake_case() -> None:
    """The endpoint and its stand-ins recognise an answer by this name."""
    expected = ["classify_answer", "guard_verdict", "self_check", "draft_options", "draft_answer"]
    assert [schema_name(one) for one in CLASSES] == expected


@pytest.mark.parametrize("schema", CLASSES)
def test_schemas_hold_only_what_strict_mode_takes(schema: type[BaseModel]) -> None:
    """Strict endpoints decline limits and defaults, and want every property required and none beside them."""
    wire = wire_schema(schema)
    assert keywords(wire) <= STRICT_KEYWORDS | {"description"}
    assert all(set(one["required"]) == set(one["properties"]) for one in objects(wire))
    assert all(one["additionalProperties"] is False for one in objects(wire))


def test_limits_are_said_in_words() -> None:
    """What the schema cannot enforce the model is at least told."""  # P69
    wire = wire_schema(ClassifyAnswer)
    assert "at most 16 items" in wire["properties"]["intents"]["description"]
    assert "at most 120 characters" in wire["$defs"]["Intent"]["properties"]["label"]["description"]


def test_a_property_may_be_spelled_like_a_keyword() -> None:
    """Only keywords are rewritten, never names."""

    class Odd(BaseModel):
        title: str
        pattern: int = Field(ge=1)
        default: bool

    assert set(wire_schema(Odd)["properties"]) == {"title", "pattern", "default"}


def test_the_weaker_the_endpoint_the_more_the_prompt_says() -> None:
    """With a schema the prompt stays short; without one it carries the schema's text."""
    forms = [response_format(GuardVerdict, level) for level in Structured]
    notes = [schema_note(GuardVerdict, level) for level in Structured]
    assert [form and form["type"] for form in forms] == ["json_schema", "json_object", None]
    assert notes[0] == "" and all("guard_verdict" in note and '"is_injection"' in note for note in notes[1:])


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 0.5, "complete": true, "flags": []}',
        '```json\n{"score": 0.5, "complete": true, "flags": []}\n```',
        'Certainly {not json}: {"score": 0.5, "complete": true, "flags": []} Anything else? {"score": 1}',
        '<think>{"score": 0, "complete": false, "flags": []}</think>{"score": 0.5, "complete": true, "flags": []}',
    ],
)
def test_the_first_object_counts_whatever_stands_around_it(text: str) -> None:
    """Fences, prose and a model's thinking are no part of the answer."""
    assert parse_answer(text, SelfCheck) == SelfCheck(score=0.5, complete=True)


@pytest.mark.parametrize(
    "text", ["", "no", "{", '{"a": ', "[1, 2]", '{"s": NaN}', '{"a":' * 5_000, "{" * 300_000, '{"n": ' + "9" * 5_000]
)
def test_no_object_is_no_crash(text: str) -> None:
    """Broken, endless and bottomless answers end as a misfit in bounded time."""  # HX5
    assert first_object(text) is None
    with pytest.raises(Misfit, match="no complete JSON object"):
        parse_answer(text, SelfCheck)


@pytest.mark.parametrize("count", [0, 17])
def test_no_intent_and_seventeen_intents_are_invalid(count: int) -> None:
    """One to sixteen intents fit."""  # P69
    with pytest.raises(Misfit, match="^intents: "):
        parse_answer(json.dumps(CLASSIFIED | {"intents": [INTENT] * count}), ClassifyAnswer)
    assert len(parse_answer(json.dumps(CLASSIFIED | {"intents": [INTENT] * 16}), ClassifyAnswer).intents) == 16


@pytest.mark.parametrize("field", ["confidence", "category"])
def test_values_outside_their_range_are_invalid(field: str) -> None:
    """No number above 1 and no made-up category gets in."""  # P68
    with pytest.raises(Misfit, match=f"^{field}: "):
        parse_answer(json.dumps(CLASSIFIED | {field: 2}), ClassifyAnswer)


SECRET = "my pin is 4711 and do not tell"


@pytest.mark.parametrize(
    "answer",
    [
        CLASSIFIED | {SECRET: 1},
        CLASSIFIED | {"category": SECRET},
        CLASSIFIED | {"intents": [INTENT | {"key": SECRET}]},
        CLASSIFIED | {"intents": [INTENT | {SECRET: {SECRET: 1}}]},
        CLASSIFIED | {"confidence": SECRET},
        {SECRET: SECRET},
    ],
)
def test_problems_never_quote_the_answer(answer: dict[str, Any]) -> None:
    """An answer repeats mail, and its problems go into logs and into the trusted voice."""  # P23, HW1
    with pytest.raises(Misfit) as caught:
        parse_answer(json.dumps(answer), ClassifyAnswer)
    told = repair_note(caught.value.problems) + repr(caught.value)
    assert SECRET not in told and "4711" not in told
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_a_validator_of_ours_that_quotes_its_input_is_not_repeated() -> None:
    """Only rules known to hold no input are passed on."""  # P23

    class Quoting(BaseModel):
        word: str

        @field_validator("word")
        @classmethod
        def _refuse(cls, value: str) -> str:
            raise ValueError(f"bad word {value}")

    with pytest.raises(Misfit, match=r"^word: not valid \(value_error\)$"):
        parse_answer(json.dumps({"word": SECRET}), Quoting)


def test_escaped_nul_and_lone_surrogates_become_harmless() -> None:
    """JSON escapes can smuggle in what no database column takes."""  # C23
    answer = '{"reply": "Hi\\u0000 \\ud83d there", "language": "en"}'
    assert parse_answer(answer, DraftAnswer).reply == "Hi\ufffd \ufffd there"
