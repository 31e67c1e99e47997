"""Follows messages through the API until each rests: in front of a person, at its end, or on a hold that lasts."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console

from cli.access import Access
from cli.api_client import Api, ApiRefused, open_api
from cli.tables import show_table
from contracts.status import HoldReason, Status

AT_ONCE: Final = 8
LOOK_EVERY_S: Final = 0.3
LOOK_EVERY_MOST_S: Final = 2.0
PATIENCE_S: Final = 180.0
RESTING: Final = frozenset(
    {Status.DRAFT_READY, Status.QUARANTINED, Status.ARCHIVED, Status.FAILED, Status.SENT, Status.REJECTED}
)
# These end by themselves and soon; every other hold waits for a person or a setting.
PASSING_HOLDS: Final = frozenset({HoldReason.COALESCING, HoldReason.RATE_BUDGET, HoldReason.MISSION})
POISON: Final = "poison"
UNREAD: Final = "accepted"

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class Standing:
    """Where one message is. `status` is one of the eleven, `accepted` before it was read, or `poison`."""

    message_id: str
    status: str = UNREAD
    hold: str = ""
    category: str = ""
    reason: str = ""
    subject: str = ""
    link: str = ""

    @property
    def rests(self) -> bool:
        """Whether it will stay there until somebody or some setting changes it."""
        if self.status in RESTING or self.status == POISON:
            return True
        return bool(self.hold) and self.hold not in PASSING_HOLDS

    @property
    def words(self) -> str:
        """Status and hold as people read them."""
        return f"{self.status}, on hold" if self.hold and self.status not in RESTING else self.status


def standing_of(detail: Mapping[str, Any]) -> Standing:
    """What the API says about one message, as far as following needs it."""
    status = detail["status"] or (POISON if detail["account"] == POISON else UNREAD)
    work = detail["work"] or {}
    return Standing(
        message_id=str(detail["id"]),
        status=status,
        hold=work.get("hold_reason") or "",
        category=(detail["classification"] or {}).get("category") or "",
        reason=reason_of(detail, status),
        subject=(detail["message"] or {}).get("subject") or "",
        link=detail["links"].get("temporal") or "",
    )


def reason_of(detail: Mapping[str, Any], status: str) -> str:
    """Why it is where it is, in the product's own word; empty while it is on its way."""
    work = detail["work"] or {}
    why = {
        POISON: (detail["poison"] or {}).get("poison_reason"),
        Status.QUARANTINED: _threat(detail["flags"].get("security_flags") or {}),
        Status.ARCHIVED: work.get("archive_reason"),
        Status.FAILED: work.get("error_type"),
    }
    return str(why.get(status) or work.get("hold_reason") or _last_reason(detail) or "")


def _threat(flags: Mapping[str, Any]) -> str:
    return flags.get("injection_type") or ("phishing" if flags.get("phishing_detected") else "")


def _last_reason(detail: Mapping[str, Any]) -> str:
    """Of the newest transition that was carried out; events come newest first."""
    return next((event["reason"] for event in detail["events"] if event["accepted"] and event["to_status"]), "")


class Follower:
    """Looks at messages again and again, politely. `sleep` is for tests."""

    def __init__(self, api: Api, sleep: Sleep = asyncio.sleep) -> None:
        self._api = api
        self._sleep = sleep
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def look(self, message_id: str) -> Standing:
        """Where a message is now; one the API cannot show yet counts as not read."""
        async with self._turn:
            try:
                return standing_of(await self._api.get(f"/api/messages/{message_id}"))
            except ApiRefused as refused:
                if refused.status in (404, 503):
                    return Standing(message_id)
                raise

    async def until_rest(self, message_ids: Iterable[str], patience_s: float = PATIENCE_S) -> list[Standing]:
        """Where each message rests, or is when patience ends, in the order of the ids."""
        return await asyncio.gather(*(self._until_rest(each, patience_s) for each in dict.fromkeys(message_ids)))

    async def _until_rest(self, message_id: str, patience_s: float) -> Standing:
        pause_s = LOOK_EVERY_S
        standing = await self.look(message_id)
        while not standing.rests and patience_s > 0:
            await self._sleep(pause_s)
            patience_s -= pause_s
            pause_s = min(pause_s * 1.5, LOOK_EVERY_MOST_S)
            standing = await self.look(message_id)
        return standing


async def follow(access: Access, message_ids: Iterable[str]) -> list[Standing]:
    """Follow messages with the token at hand."""
    async with open_api(access) as api:
        return await Follower(api).until_rest(message_ids)


def show_standings(console: Console, standings: Sequence[Standing]) -> None:
    """One line per message: where it rests and why."""
    rows = [(one.message_id, one.words, one.category, one.reason, one.subject) for one in standings]
    show_table(console, ("message", "status", "category", "reason", "subject"), rows)
