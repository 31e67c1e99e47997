"""Who changed which setting when, with the value before and after, newest first."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.responses import Response

from api.dashboard.frame import show
from api.dashboard.visit import Visit

PAGE = 40
LONGEST = 200


@dataclass(frozen=True)
class Change:
    """One row; `values` holds (name, before, after) and is cut where a text is long."""

    at: datetime
    who: str
    action: str
    where: str
    values: list[tuple[str, str, str]]


def change_of(row: Any) -> Change:
    """A row of the log as people read it."""
    before, after = (dict(side) if isinstance(side, dict) else {} for side in (row["before"], row["after"]))
    names = list(dict.fromkeys((*before, *after)))
    values = [(name, _said(before.get(name)), _said(after.get(name))) for name in names]
    kind, _, name = row["subject"].partition("/")
    where = row["address"] or (name if kind == "source" else "")
    return Change(row["at"], row["who"], row["action"], where, values)


def _said(value: Any) -> str:
    text = "" if value is None or value == "None" else str(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


async def history_page(visit: Visit) -> Response:
    """A page of it."""
    after = _id(visit.request.query_params.get("after", ""))
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        rows = await tx.rows("settings_history", list(visit.who.mailboxes), after, PAGE + 1)
    more = str(rows[PAGE - 1]["id"]) if len(rows) > PAGE else ""
    return await show(visit, "settings_history.html", changes=[change_of(r) for r in rows[:PAGE]], more=more)


def _id(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
