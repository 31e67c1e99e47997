"""The one question to every way of sending mail: hand over these bytes once, and say what you can prove.

A channel never tries twice by itself. What it cannot prove it reports as ambiguous, and only one that recognises the
same bytes again may call a repetition safe (OB4, SE6).
"""

import ipaddress
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from contracts.delivery import HandOver, HandOverReport, Outgoing

DETAIL_LIMIT = 400

DataStarted = Callable[[], None]
Now = Callable[[], datetime]


class Channel(Protocol):
    """A way out for finished mails. Where `recognises_repeats`, the same bytes twice never make two mails."""

    name: str
    recognises_repeats: bool

    async def hand_over(
        self,
        mail: Outgoing,
        *,
        deadline: datetime,
        unproven_since: datetime | None = None,
        on_data_started: DataStarted | None = None,
    ) -> HandOverReport:
        """Hand `mail` over at most once and report before `deadline` (aware), the end of the claim.

        `unproven_since` is the start of the first try of these same bytes that ended ambiguous, if any did: then a
        refusal now proves nothing about that try. `on_data_started` is called just before the first octet leaves that
        could be accepted: cancelled or killed before that call nothing was sent, after it the outcome is ambiguous.
        """
        ...


def utc_now() -> datetime:
    """The present moment, aware."""
    return datetime.now(UTC)


def report(result: HandOver, detail: str, *, retry_same_bytes: bool = False) -> HandOverReport:
    """A report without a provider's id; `detail` becomes one printable line of at most 400 characters."""
    return HandOverReport(result=result, detail=short(detail), safe_to_retry_same_bytes=retry_same_bytes)


def short(detail: str) -> str:
    """A server's words as one printable line of at most 400 characters."""
    printable = "".join(char if char.isprintable() else " " for char in detail)
    return " ".join(printable.split())[:DETAIL_LIMIT]


def is_loopback(host: str) -> bool:
    """True if `host` can only be this machine: the one place where mail and passwords may travel in the clear."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
