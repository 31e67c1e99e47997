"""The list of conversations: filters with counts, what needs attention first, search, a page at a time (P114)."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from starlette.responses import RedirectResponse, Response

from api.dashboard.corrections import open_incidents
from api.dashboard.frame import show
from api.dashboard.visit import Visit

FILTERS = ("open", "mine", "unassigned", "waiting", "snoozed", "resolved", "closed")
SORTS = ("attention", "newest")
PAGE = 25
KEPT = ("filter", "sort", "q", "mailbox", "after")
MOST_WORDS = 12
WORD = re.compile(r"\w{1,60}")
CURSOR = re.compile(r"^([012])\.(-?\d{1,18})\.([0-9a-f-]{36})$")


@dataclass(frozen=True)
class ThreadList:
    """One page of conversations."""

    rows: list[Any]
    more: str
    filter: str
    sort: str
    words: str
    counts: Any
    incidents: list[Any]


async def home(visit: Visit) -> Response:
    """Where people start."""
    return RedirectResponse("/dashboard/inbox", 303)


async def inbox(visit: Visit) -> Response:
    """The list alone."""
    return await show(visit, "inbox.html", threads=await list_threads(visit), talk=None, **links(visit))


def links(visit: Visit) -> dict[str, Any]:
    """What the list needs beside its rows: its addresses, and the state of a row."""
    kept = {name: visit.request.query_params.get(name, "") for name in KEPT}
    now = datetime.now(UTC)
    return {
        "list_at": lambda **changes: _address("/dashboard/inbox", {**kept, **changes}),
        "thread_at": lambda thread_id: _address(f"/dashboard/inbox/{thread_id}", kept),
        "state_of": lambda row: chip(row, now),
    }


def _address(path: str, query: dict[str, str]) -> str:
    filled = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(filled)}" if filled else path


async def list_threads(visit: Visit) -> ThreadList:
    """The page of conversations that the address asks for."""
    query = visit.request.query_params
    chosen = query.get("filter", "") if query.get("filter") in FILTERS else "open"
    sort = query.get("sort", "") if query.get("sort") in SORTS else "attention"
    asked = query.get("q", "").strip()[:200]
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        await tx.rows("desk_wake_due")
        rows = await tx.rows(
            "dashboard_threads", list(visit.mailboxes), visit.who.user_id, "all" if asked else chosen, sort,
            search_of(asked), *_cursor(query.get("after", "")), PAGE + 1,
        )  # fmt: skip
        counts = await tx.must("dashboard_thread_counts", list(visit.mailboxes), visit.who.user_id)
        incidents = await open_incidents(tx, list(visit.mailboxes))
    more = "{rank}.{place}.{id}".format(**rows[PAGE - 1]) if len(rows) > PAGE else ""
    return ThreadList(rows[:PAGE], more, chosen, sort, asked, counts, incidents)


def search_of(asked: str) -> str | None:
    """Every word by its beginning, all of them; None where nothing was asked."""
    if not asked:
        return None
    words = WORD.findall(asked)[:MOST_WORDS]
    return " & ".join(f"'{word}':*" for word in words) if words else "'\u0001'"


def _cursor(text: str) -> tuple[int | None, int | None, UUID | None]:
    match = CURSOR.match(text)
    try:
        return (int(match[1]), int(match[2]), UUID(match[3])) if match else (None, None, None)
    except ValueError:
        return (None, None, None)


def chip(row: Any, now: Any) -> str:
    """The one state a row shows (P114)."""
    if row["status"] in ("closed", "resolved"):
        return str(row["status"])
    if row["snoozed_until"] and row["snoozed_until"] > now:
        return "snoozed"
    if row["latest_draft_status"] == "pending":
        return "draft_ready"
    return "returned" if row["snooze_returned_at"] and row["status"] == "open" else str(row["status"])
