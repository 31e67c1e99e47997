"""The settings of a mailbox as fields of forms, made from the one model that also guards the API, so that a page can
offer nothing the API refuses (P113)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from functools import cache
from typing import Any

from pydantic_core import PydanticUndefined

from api.settings_body import ConfigBody

SECTIONS: dict[str, tuple[str, ...]] = {
    "replies": ("tone_description", "signature_template"),
    "sending": (
        "is_auto_reply_enabled", "confidence_threshold", "max_daily_auto_replies", "audit_rate", "require_sender_auth",
        "human_undo_ms", "auto_send_delay_ms",
    ),
    "arrival": ("coalesce_window_ms", "sender_rate_per_min", "sender_burst", "mailbox_rate_per_min", "mailbox_burst"),
    "hours": (
        "working_hours_enabled", "working_hours_days", "working_hours_start", "working_hours_end",
        "working_hours_zone", "holidays_region",
    ),
    "spending": ("daily_budget_usd", "monthly_budget_usd"),
    "steps": (),
}  # fmt: skip
THE_REST = "steps"
LONG_TEXT = 1000
NUMBER = re.compile(r"[+-]?[0-9]{1,15}(?:[.,][0-9]{1,8})?")


@dataclass(frozen=True)
class Unit:
    """What people type and read: `factor` of the stored number makes one of these."""

    name: str = ""
    factor: Decimal = Decimal(1)


@dataclass(frozen=True)
class Field:
    """One setting in a form. `low` and `high` are in the unit people see, None where there is no bound."""

    name: str
    kind: str
    default: Any
    unit: Unit = Unit()
    low: Decimal | None = None
    high: Decimal | None = None
    longest: int | None = None
    optional: bool = False
    choices: tuple[str, ...] = ()


@cache
def fields_of(section: str) -> tuple[Field, ...]:
    """The fields of a section in their order; a setting that no section names stands in the last one."""
    named = {name for names in SECTIONS.values() for name in names}
    rest = tuple(name for name in ConfigBody.model_fields if name not in named)
    names = SECTIONS[section] + (rest if section == THE_REST else ())
    schemas = ConfigBody.model_json_schema()
    return tuple(_field(name, schemas["properties"][name], schemas.get("$defs", {})) for name in names)


def _field(name: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Field:
    alternatives = [_resolved(one, definitions) for one in schema.get("anyOf", [schema])]
    main, unit = alternatives[0], unit_of(name)
    choices = tuple(str(one) for one in main.get("enum", ()))
    default = ConfigBody.model_fields[name].default
    return Field(
        name, _kind(name, main), None if default is PydanticUndefined else default, unit,
        _bound(main.get("minimum"), unit), _bound(main.get("maximum"), unit), main.get("maxLength"),
        any(one.get("type") == "null" for one in alternatives), choices,
    )  # fmt: skip


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with its reference followed."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return definitions.get(name, schema)


def _kind(name: str, schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "choice"
    by_type = {"boolean": "yes_no", "array": "days", "integer": "number", "number": "number"}
    if schema.get("type") in by_type:
        return by_type[schema["type"]]
    if schema.get("format") == "time":
        return "time"
    if name.endswith("_zone"):
        return "zone"
    return "text" if schema.get("maxLength", 0) >= LONG_TEXT else "line"


def unit_of(name: str) -> Unit:
    """The unit a setting is shown in, told by its name."""
    if name in ("confidence_threshold", "audit_rate"):
        return Unit("percent", Decimal("0.01"))
    if name == "review_due_after_s":
        return Unit("minutes", Decimal(60))
    for end, unit in (
        ("_ms", Unit("seconds", Decimal(1000))), ("_s", Unit("seconds")), ("_days", Unit("days")),
        ("_usd", Unit("usd")), ("_per_min", Unit("per_minute")),
    ):  # fmt: skip
        if name.endswith(end):
            return unit
    return Unit()


def _bound(value: Any, unit: Unit) -> Decimal | None:
    return None if value is None else _plain(Decimal(str(value)) / unit.factor)


def _plain(number: Decimal) -> Decimal:
    """Without exponent and trailing zeros."""
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number.normalize()


def shown(field: Field, value: Any) -> Any:
    """A stored value as the form shows it: text, True or False, or a list of texts."""
    if field.kind == "yes_no":
        return bool(value)
    if field.kind == "days":
        return [str(day) for day in value or ()]
    if value is None:
        return ""
    if field.kind == "number":
        return format(_plain(Decimal(str(value)) / field.unit.factor), "f")
    return value.isoformat("minutes") if isinstance(value, time) else str(value)


def typed(field: Field, values: list[str]) -> Any:
    """What a form sent for a field, in the shape of `shown`."""
    if field.kind == "yes_no":
        return "on" in values
    if field.kind == "days":
        return values
    return values[-1] if values else ""


def meant(field: Field, value: Any) -> Any:
    """The value for the model; ValueError where a number is no number. Empty text means "off" where that exists."""
    if field.kind in ("yes_no", "days", "text"):
        return value
    text = str(value).strip()
    if not text and field.optional:
        return None
    return _number(field, text) if field.kind == "number" else text


def _number(field: Field, text: str) -> str:
    if not NUMBER.fullmatch(text):
        raise ValueError("this is no number")
    return format(_plain(Decimal(text.replace(",", ".")) * field.unit.factor), "f")
