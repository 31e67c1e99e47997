"""One conversation: mails, our replies and notes among colleagues in the order they came, and the message that waits
for a decision (P115)."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from starlette.responses import Response

from adapters.postgres import Transaction
from api.dashboard.corrections import Corrections, corrections_of
from api.dashboard.desk_work import Work, work_of
from api.dashboard.files import file_address
from api.dashboard.frame import show
from api.dashboard.inbox import links, list_threads
from api.dashboard.visit import Visit, as_id
from api.errors import not_found
from api.thread_desk import zone_of
from contracts.status import TERMINAL, OutboxState, Status
from domain.threads.snoozing import offered

MOST_MAILS = 60
UNFOLDED = 2
NOT_SHOWN = frozenset({OutboxState.CANCELLED, OutboxState.FAILED_SAFE})


@dataclass(frozen=True)
class Item:
    """A mail, a reply or a note."""

    kind: str
    at: Any
    row: Any


@dataclass(frozen=True)
class Snooze:
    """Until when it is put off, whether it came back, and the moments that are offered, in the mailbox's zone."""

    until: datetime | None
    returned: bool
    offered: list[tuple[str, datetime]]
    earliest: str
    zone: str


@dataclass(frozen=True)
class Conversation:
    """What the two right panes show."""

    thread: Any
    items: list[Item]
    folded: int
    work: Work | None
    may_follow_up: bool
    people: list[Any]
    present: list[Any]
    snooze: Snooze
    blocked: Any
    corrections: Corrections

    def shown(self) -> list[Item]:
        """The newest part of it."""
        return self.items[self.folded :]


async def thread_page(visit: Visit) -> Response:
    """A conversation beside the list it was opened from."""
    asked = visit.request.query_params.get("message", "")
    talk = await conversation(visit, visit.path_id("thread_id"), as_id(asked) if asked else None)
    return await show(
        visit, "thread.html", talk=talk, work=talk.work, threads=await list_threads(visit), lane="",
        stay=visit.here, onward=visit.here, file_at=lambda message, n: address(visit, message, n), **links(visit),
    )  # fmt: skip


def address(visit: Visit, message_id: UUID, n: int) -> str:
    """Where an attachment is for this session."""
    return file_address(visit.services, visit.session.id_hash, message_id, n)


async def conversation(visit: Visit, thread_id: UUID, message_id: UUID | None) -> Conversation:
    """Reads it in one transaction; 404 for what is not there."""
    checked = (visit.session.flash or {}).get("revision")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        thread = await tx.one("api_thread", thread_id)
        if thread is None:
            raise not_found("thread")
        items = await _items(tx, thread_id)
        chosen = message_id or await tx.value("dashboard_active", thread_id)
        work = await work_of(visit, tx, chosen, checked) if chosen else None
        people = await tx.rows("dashboard_people", visit.who.organisation_id)
        state = await tx.must("desk_thread_now", thread_id)
        blocked = await _blocked(tx, work)
        corrections = await corrections_of(visit, tx, thread, chosen)
        present = await tx.rows("dashboard_present", thread_id, visit.who.user_id)
    if work is not None and work.m["thread_id"] != thread_id:
        raise not_found("thread")
    return Conversation(
        thread, items, folded(items), work, _may_follow_up(visit, items), people, present, _snooze(state), blocked,
        corrections,
    )  # fmt: skip


def folded(items: list[Item]) -> int:
    """How many of the oldest are folded away; the newest two mails or replies stay, with the notes after them."""
    letters = [place for place, item in enumerate(items) if item.kind != "note"]
    return letters[-UNFOLDED] if len(letters) > UNFOLDED else 0


def _snooze(state: Any) -> Snooze:
    now, zone = datetime.now(UTC), zone_of(state["timezone"])
    asked, back = state["snoozed_until"], state["snooze_returned_at"]
    until = asked if asked and asked > now else None
    returned = state["status"] == "open" and until is None and bool(asked or back)
    earliest = now.astimezone(zone).strftime("%Y-%m-%dT%H:%M")
    return Snooze(until, returned, offered(now, zone), earliest, zone.key)


async def _blocked(tx: Transaction, work: Work | None) -> Any:
    """The block of the sender of the message that is shown, if there is one."""
    return await tx.one("desk_block_of", work.m["mailbox_id"], work.m["from_identity"]) if work else None


async def _items(tx: Transaction, thread_id: UUID) -> list[Item]:
    mails = [Item("mail", m["received_at"], m) for m in await tx.rows("dashboard_conversation", thread_id, MOST_MAILS)]
    replies = [
        Item("reply", r["sent_at"] or r["send_at"] or r["decided_at"], r)
        for r in await tx.rows("api_thread_replies", thread_id)
        if r["state"] not in NOT_SHOWN
    ]
    notes = [Item("note", n["created_at"], n) for n in await tx.rows("desk_notes", thread_id)]
    return sorted([*mails, *replies, *notes], key=lambda item: item.at)


def _may_follow_up(visit: Visit, items: list[Item]) -> bool:
    """Whether a reply can be written on what is closed (P97a)."""
    ends = [Status(i.row["status"]) in TERMINAL for i in items if i.kind == "mail"]
    return visit.session.may("reviewer") and bool(ends) and all(ends)
