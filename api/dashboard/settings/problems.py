"""What is wrong with a field, in the reader's language and in the unit they typed."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from api.dashboard.settings.fields import Field
from api.dashboard.words import Words

RANGE = frozenset({"greater_than_equal", "less_than_equal", "less_than", "greater_than"})
BY_TYPE = {
    "string_too_long": "long", "decimal_max_places": "places", "time_parsing": "time", "time_delta_parsing": "time",
    "int_parsing": "whole", "int_from_float": "whole", "int_type": "whole", "decimal_parsing": "number",
    "finite_number": "number",
}  # fmt: skip
BY_KIND = {"zone": "zone", "days": "days", "time": "time", "number": "number", "choice": "choice"}


def spoken(words: Words, field: Field, kind: str) -> str:
    """One sentence for a problem that pydantic names by `kind`."""
    if kind in RANGE and field.kind == "number":
        return bounds(words, field)
    if field.name == "holidays_region":
        return words("settings.problem.region")
    key = BY_TYPE.get(kind) or BY_KIND.get(field.kind, "other")
    return words(f"settings.problem.{key}", **({"n": field.longest} if key == "long" else {}))


def bounds(words: Words, field: Field) -> str:
    """From where to where, with the unit."""
    unit = words(f"unit.{field.unit.name}") if field.unit.name else ""
    if field.low is None or field.high is None or field.high > Decimal(10**9):
        text = words("settings.problem.least", low=field.low or 0, unit=unit)
    else:
        text = words("settings.problem.range", low=field.low, high=field.high, unit=unit)
    return f"{text.strip()}."


def of_errors(words: Words, fields: Iterable[Field], errors: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The first problem of each field, by its name; what belongs to no field of the form stands under ''."""
    known = {field.name: field for field in fields}
    found: dict[str, str] = {}
    for error in errors:
        name = str(error["loc"][0]) if error["loc"] else ""
        field = known.get(name)
        words_for = spoken(words, field, error["type"]) if field else words("settings.problem.other")
        found.setdefault(name if field else "", words_for)
    return found
