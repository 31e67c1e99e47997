"""The accounting line and the counts of the rail, read from the database, never asserted (GL1, GL2).

Counting takes time where there are many mails; so a count is kept for two seconds, or while a slow one is made anew.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from api.dashboard.visit import Visit
from api.health import AccountsAnswer, read_accounts

KEEP_S = 2.0
QUICK_S = 0.1
OLDEST_S = 10.0
MOST_KEPT = 200
PLACES = {
    "received": "progress", "security_check": "progress", "classifying": "progress", "drafting": "progress",
    "draft_ready": "review", "quarantined": "quarantine", "failed": "failed", "sent": "sent", "rejected": "rejected",
    "archived": "archived", "poison": "poison", "accepted": "unread", "deleted": "deleted",
}  # fmt: skip
ORDER = (
    "unread", "progress", "review", "sending", "ambiguous", "quarantine", "failed", "sent", "rejected", "archived",
    "poison", "deleted",
)  # fmt: skip


@dataclass
class _Count:
    """A count, when it was made, and how long it took."""

    answer: AccountsAnswer
    at: float
    took_s: float
    changed: bool = False
    counting: bool = False

    def stale(self, now: float) -> bool:
        """Whether it may no longer be true."""
        return self.changed or now - self.at > KEEP_S


_kept: dict[tuple[UUID, ...], _Count] = {}
_running: set[asyncio.Task[_Count]] = set()


@dataclass(frozen=True)
class Line:
    """What the top line and the rail show."""

    accepted: int
    total: int
    parts: list[tuple[str, int]]
    lost: int
    unowned: int
    ambiguous: int
    overdue: int
    overdue_mine: int
    counts: dict[str, int]
    mailboxes: list[Any]
    mailbox: Any
    timezone: str
    stopped: list[Any]
    open_doors: list[Any]

    @property
    def sound(self) -> bool:
        """Whether it adds up and nothing is lost or without an owner."""
        return self.accepted == self.total and not self.lost and not self.unowned


def place_of(account: str) -> str:
    """The page an account of GL1 is shown on."""
    if account.startswith("approved"):
        return "ambiguous" if account.endswith("ambiguous") else "sending"
    return PLACES[account.partition(":")[0]]


async def read(visit: Visit) -> Line:
    """The line of the mailboxes shown."""
    accounts = await _accounts(visit)
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        mailboxes = await tx.rows("api_mailboxes", visit.who.organisation_id)
        late = await tx.must("dashboard_late", list(visit.mailboxes))
        mine_late = await tx.value("desk_overdue_mine", list(visit.mailboxes), visit.who.user_id)
        stopped = await tx.rows("dashboard_switches", list(visit.mailboxes))
        open_doors = await tx.rows("autonomy_open_doors", list(visit.mailboxes))
    shown = set(visit.mailboxes)
    parts = dict.fromkeys(ORDER, 0)
    for account in (a for m in accounts.mailboxes if m.mailbox_id in shown for a in m.accounts):
        parts[place_of(account.account)] += account.mails
    mine = [m for m in accounts.mailboxes if m.mailbox_id in shown]
    accepted, total = sum(m.accepted for m in mine), sum(parts.values())
    chosen = next((m for m in mailboxes if visit.mailboxes == (m["id"],)), None)
    inboxes = [m for m in mailboxes if m["kind"] == "inbox"]
    return Line(
        accepted=accepted,
        total=total,
        parts=[(place, count) for place, count in parts.items() if count],
        lost=max(accepted - total, 0),
        unowned=late["unowned"],
        ambiguous=parts["ambiguous"],
        overdue=late["overdue"],
        overdue_mine=mine_late,
        counts=parts,
        mailboxes=inboxes,
        mailbox=chosen,
        timezone=(chosen or (inboxes or [{"timezone": "UTC"}])[0])["timezone"],
        stopped=list(stopped),
        open_doors=list(open_doors),
    )


async def _accounts(visit: Visit) -> AccountsAnswer:
    """Fresh where counting is quick; otherwise the last count, while the next one is under way."""
    key, now = visit.who.mailboxes, time.monotonic()
    known = _kept.get(key)
    if known is None or (known.stale(now) and (known.took_s < QUICK_S or now - known.at > OLDEST_S)):
        return (await _count(visit)).answer
    if known.stale(now) and not known.counting:
        known.counting = True
        task = asyncio.create_task(_count(visit))
        _running.add(task)
        task.add_done_callback(_ended)
    return known.answer


async def _count(visit: Visit) -> _Count:
    began = time.monotonic()
    answer = await read_accounts(visit.services.database, visit.who)
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    now = time.monotonic()
    _kept[visit.who.mailboxes] = _Count(answer, now, now - began)
    return _kept[visit.who.mailboxes]


def _ended(task: asyncio.Task[_Count]) -> None:
    """A count that failed is made again by the next page, which then says what is wrong."""
    _running.discard(task)
    if not task.cancelled() and task.exception() is not None:
        _kept.clear()


def forget() -> None:
    """Something changed: count again."""
    for count in _kept.values():
        count.changed = True
