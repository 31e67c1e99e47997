"""Who changed which setting when, with the value before and after, newest first."""

from dataclasses import dataclass
from datetime import datetime
from decimal import InvalidOperation
from typing import Any
from uuid import UUID

from starlette.responses import Response

from api.dashboard.frame import show
from api.dashboard.settings.fields import SECTIONS, Field, fields_of, shown
from api.dashboard.visit import Visit
from api.dashboard.words import Words
from api.mailboxes import ANCESTORS

PAGE = 40
LONGEST = 200


@dataclass(frozen=True)
class Change:
    """One row; `values` holds (name, before, after), in the units of the pages, cut where a text is long."""

    at: datetime
    who: str
    action: str
    where: str
    flag: str
    values: list[tuple[str, str, str]]


def change_of(words: Words, row: Any) -> Change:
    """A row of the log as people read it."""
    before, after = (dict(side) if isinstance(side, dict) else {} for side in (row["before"], row["after"]))
    names = [name for name in dict.fromkeys((*before, *after)) if name != "is_on"]
    values = [(name, said(words, name, before.get(name)), said(words, name, after.get(name))) for name in names]
    kind, _, name = row["subject"].partition("/")
    where = row["address"] or (name if kind == "source" else "")
    return Change(row["at"], row["who"], row["action"], where, row["subject"] if kind in ANCESTORS else "", values)


def said(words: Words, name: str, value: Any) -> str:
    """A value in words: yes and no, numbers in the unit of the form."""
    text = "" if value is None or value == "None" else str(value)
    if name == "secret_id":
        return f"…{text[-4:]}" if text else ""
    if text in ("True", "False"):
        return words(f"settings.{'yes' if text == 'True' else 'no'}")
    field = next((f for section in SECTIONS for f in fields_of(section) if f.name == name), None)
    if text and field and field.kind == "number":
        return _measured(words, field, text)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _measured(words: Words, field: Field, text: str) -> str:
    try:
        number = str(shown(field, text))
    except InvalidOperation:
        return text[:LONGEST]
    return f"{number} {words(f'unit.{field.unit.name}')}" if field.unit.name else number


async def history_page(visit: Visit) -> Response:
    """A page of it."""
    after = _id(visit.request.query_params.get("after", ""))
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        rows = await tx.rows("settings_history", list(visit.who.mailboxes), after, PAGE + 1)
    more = str(rows[PAGE - 1]["id"]) if len(rows) > PAGE else ""
    changes = [change_of(visit.words, row) for row in rows[:PAGE]]
    return await show(visit, "settings_history.html", changes=changes, more=more)


def _id(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
