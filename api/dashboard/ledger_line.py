"""The accounting line and the counts of the rail, read from the database, never asserted (GL1, GL2).

Counting every mail costs milliseconds, not microseconds; so the counts of the same mailboxes are kept for two seconds.
"""

import time
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from api.dashboard.visit import Visit
from api.health import AccountsAnswer, read_accounts

KEEP_S = 2.0
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
_kept: dict[tuple[UUID, ...], tuple[float, AccountsAnswer]] = {}


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
    counts: dict[str, int]
    mailboxes: list[Any]
    mailbox: Any
    timezone: str
    stopped: list[Any]

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
        late = await tx.one("dashboard_late", list(visit.mailboxes))
        stopped = await tx.rows("dashboard_switches", list(visit.mailboxes))
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
        counts=parts,
        mailboxes=inboxes,
        mailbox=chosen,
        timezone=(chosen or (inboxes or [{"timezone": "UTC"}])[0])["timezone"],
        stopped=list(stopped),
    )


async def _accounts(visit: Visit) -> AccountsAnswer:
    key, now = visit.who.mailboxes, time.monotonic()
    if key in _kept and now - _kept[key][0] < KEEP_S:
        return _kept[key][1]
    answer = await read_accounts(visit.services.database, visit.who)
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    _kept[key] = (now, answer)
    return answer


def forget() -> None:
    """Something changed: count again."""
    _kept.clear()
