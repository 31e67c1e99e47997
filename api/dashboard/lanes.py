"""Messages by where they are: the review queue, quarantine, what failed, and every other account of the line (P116,
P119)."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from starlette.responses import Response

from api.dashboard.conversation import address, conversation
from api.dashboard.desk_work import trust_of
from api.dashboard.frame import show
from api.dashboard.sifting import CATEGORIES, NAMES, Sieve
from api.dashboard.visit import Visit, as_id
from api.errors import not_found
from api.failures import EqualFailures, groups_of
from api.messages import _hash as recipients_digest

PAGE = 25
LANES: dict[str, tuple[str, ...]] = {
    "review": ("draft_ready",),
    "quarantine": ("quarantined",),
    "failed": ("failed", "approved"),
    "ambiguous": ("failed", "approved"),
    "progress": ("received", "security_check", "classifying", "drafting"),
    "sending": ("approved",),
    "sent": ("sent",),
    "rejected": ("rejected",),
    "archived": ("archived",),
}
TROUBLED = frozenset({"failed", "ambiguous"})


@dataclass(frozen=True)
class LaneRow:
    """A message in the list, and what a bulk approval has to name about it."""

    row: Any
    trust: str
    token: str


@dataclass(frozen=True)
class Lane:
    """One page of a lane."""

    name: str
    rows: list[LaneRow]
    more: str
    at: UUID | None
    sieve: Sieve = field(default_factory=Sieve)

    def beside(self) -> UUID | None:
        """The message that takes the place of the one shown once it is decided."""
        ids = [r.row["id"] for r in self.rows]
        if self.at not in ids:
            return ids[0] if ids else None
        place = ids.index(self.at)
        return next(iter([*ids[place + 1 :], *reversed(ids[:place])]), None)


async def lane_page(visit: Visit) -> Response:
    """The list, and the message that is looked at."""
    name = visit.request.url.path.rpartition("/")[2]
    lane = await _lane(visit, name)
    talk = None
    if lane.at is not None:
        async with visit.services.database.transaction(visit.who.mailboxes) as tx:
            thread_id = await tx.value("dashboard_thread_of", lane.at)
        if thread_id is None:
            raise not_found()
        talk = await conversation(visit, thread_id, lane.at)
    base = visit.request.url.path
    return await show(
        visit, "lane.html", lane_page=lane, lane=name, talk=talk, work=talk.work if talk else None,
        stay=_at(visit, base, lane.at), onward=_at(visit, base, lane.beside()), list_here=_at(visit, base, None),
        failures=await _failures(visit, name), people=await _people(visit, name),
        categories=CATEGORIES, as_uuid=UUID,
        file_at=lambda message, n: address(visit, message, n), open_at=lambda message: _at(visit, base, message),
    )  # fmt: skip


async def _failures(visit: Visit, name: str) -> list[EqualFailures]:
    return await groups_of(visit.services, visit.who, list(visit.mailboxes)) if name == "failed" else []


async def _people(visit: Visit, name: str) -> list[Any]:
    """Whose items can be asked for."""
    if name != "review":
        return []
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        return await tx.rows("dashboard_people", visit.who.organisation_id)


def _at(visit: Visit, base: str, message_id: UUID | None) -> str:
    kept = {k: v for k, v in visit.request.query_params.items() if k in ("mailbox", "after", *NAMES) and v}
    query = {**kept, **({"at": str(message_id)} if message_id else {})}
    return f"{base}?{urlencode(query)}" if query else base


async def _lane(visit: Visit, name: str) -> Lane:
    query = visit.request.query_params
    at, cursor, sieve = query.get("at", ""), _cursor(query.get("after", "")), Sieve.of(query)
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        if name == "review":
            values = sieve.values(visit.who.user_id)
            rows = await tx.rows("desk_queue", list(visit.mailboxes), *values, *cursor, PAGE + 1)
        else:
            lanes, troubled = list(LANES[name]), name in TROUBLED
            rows = await tx.rows("dashboard_lane", list(visit.mailboxes), lanes, troubled, *cursor, PAGE + 1)
    shown = [LaneRow(r, _trust(r), _token(r)) for r in rows[:PAGE]]
    more = f"{shown[-1].row['received_at'].isoformat()}_{shown[-1].row['id']}" if len(rows) > PAGE else ""
    first = shown[0].row["id"] if shown else None
    return Lane(name, shown, more, as_id(at) if at else first, sieve)


def _trust(row: Any) -> str:
    return trust_of(
        {**dict(row), "draft_response": "" if row["has_draft"] else None}, [1] if row["has_findings"] else []
    )


def _token(row: Any) -> str:
    revision = "" if row["draft_revision"] is None else row["draft_revision"]
    return f"{row['id']}|{revision}|{row['seen_message_id'] or row['id']}|{recipients_digest(row)}"


def _cursor(text: str) -> tuple[datetime | None, UUID | None]:
    moment, _, last = text.partition("_")
    try:
        return (datetime.fromisoformat(moment.replace(" ", "+")), UUID(last)) if last else (None, None)
    except ValueError:
        return (None, None)
