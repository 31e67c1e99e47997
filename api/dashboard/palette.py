"""What the palette finds: conversations by full text, people, and pages. Actions are found in the page itself, which
offers none that would be refused."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response

from api.dashboard.inbox import chip, search_of
from api.dashboard.rendering import seen
from api.dashboard.visit import Visit

THREADS, PEOPLE, PLACES = 8, 5, 8
LONGEST = 200
PAGES = (
    ("rail.inbox", "/dashboard/inbox"),
    ("rail.review", "/dashboard/inbox/review"),
    ("palette.overdue", "/dashboard/inbox/review?overdue=yes"),
    ("palette.mine", "/dashboard/inbox?filter=mine"),
    ("filter.unassigned", "/dashboard/inbox?filter=unassigned"),
    ("filter.snoozed", "/dashboard/inbox?filter=snoozed"),
    ("rail.quarantine", "/dashboard/inbox/quarantine"),
    ("rail.failed", "/dashboard/inbox/failed"),
    ("rail.poison", "/dashboard/inbox/poison"),
    ("lane.sent", "/dashboard/inbox/sent"),
    ("lane.archived", "/dashboard/inbox/archived"),
    ("blocked.title", "/dashboard/senders"),
    ("rail.settings", "/dashboard/settings"),
    ("account.open", "/dashboard/account"),
)

Found = list[dict[str, str]]


async def palette(visit: Visit) -> Response:
    """Groups of what was found, as JSON; texts of strangers have their direction marks as words (HU3)."""
    asked = visit.request.query_params.get("q", "").replace("\x00", "").strip()[:LONGEST]
    threads, people = await _in_mail(visit, asked) if search_of(asked) else ([], [])
    groups = (("threads", threads), ("people", people), ("pages", _pages(visit, asked)))
    found = [{"name": visit.words(f"palette.{name}"), "items": items} for name, items in groups if items]
    return JSONResponse({"groups": found}, headers={"cache-control": "no-store"})


async def _in_mail(visit: Visit, asked: str) -> tuple[Found, Found]:
    words = search_of(asked)
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        threads = await tx.rows("desk_find_threads", list(visit.mailboxes), words, THREADS)
        people = await tx.rows("desk_find_people", list(visit.mailboxes), words, asked, PEOPLE)
    now = datetime.now(UTC)
    return [_thread(visit, row, now) for row in threads], [_person(visit, row) for row in people]


def _thread(visit: Visit, row: Any, now: Any) -> dict[str, str]:
    state = visit.words.named("chip", chip(row, now))
    label = seen(row["subject"]) or visit.words("no_subject")
    return {"label": label, "detail": f"{seen(row['name'])} · {state}", "href": f"/dashboard/inbox/{row['id']}"}


def _person(visit: Visit, row: Any) -> dict[str, str]:
    label = seen(row["name"] or row["address"])
    detail = f"{seen(row['address'])} · {visit.words('palette.count', n=row['threads'])}"
    return {"label": label, "detail": detail, "href": f"/dashboard/inbox?{urlencode({'q': row['address']})}"}


def _pages(visit: Visit, asked: str) -> Found:
    wanted = asked.casefold().split()
    named = [(visit.words(key), address) for key, address in PAGES]
    fitting = [(name, address) for name, address in named if all(word in name.casefold() for word in wanted)]
    return [{"label": name, "detail": "", "href": address} for name, address in fitting[:PLACES]]
