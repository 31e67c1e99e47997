"""Hands mails to the webhook as any other sender does: signed, patient while it says 503, safe to repeat (RC6, AD3)."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, Final

import httpx2

from api.webhooks.signatures import sign_standard
from contracts.errors import DeskhandError

PATIENCE_S: Final = 300.0
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 60.0
BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
TOO_LARGE: Final = 413
UNAUTHORISED: Final = 401


class Fate(StrEnum):
    """What became of one mail at the door."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    POISON = "poison"
    FAILED = "failed"


@dataclass(frozen=True)
class Receipt:
    """The door's answer; `detail` is a poison reason or what went wrong."""

    fate: Fate
    message_ids: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class Wait:
    """Not now: try again after `pause_s`, or after a pause of our own choice."""

    pause_s: float | None
    why: str


class DoorShut(DeskhandError):
    """The door took nothing for longer than our patience; what it took before is in, and a repeat is harmless."""


class DoorRefuses(DeskhandError):
    """The door will not take any mail sent like this: wrong secret, wrong clock or wrong address."""


class Door:
    """One source of one API. Its methods may run concurrently; `clock` and `sleep` are for tests."""

    def __init__(
        self,
        http: httpx2.AsyncClient,
        source: str,
        secret: str,
        *,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._http = http
        self._source = source
        self._secret = secret
        self._patience_s = patience_s
        self._clock = clock
        self._sleep = sleep

    async def send(self, content: bytes) -> Receipt:
        """Deliver one mail. Raises DoorShut or DoorRefuses where the next mail would fare no better."""
        waited_s, pause_s = 0.0, FIRST_PAUSE_S
        while isinstance(answer := await self._try(content), Wait):
            if waited_s >= self._patience_s:
                raise DoorShut(self._shut(answer.why, waited_s))
            wish_s = min(pause_s if answer.pause_s is None else answer.pause_s, LONGEST_PAUSE_S)
            await self._sleep(wish_s)
            # A door that asks for no pause at all must not make this endless.
            waited_s, pause_s = waited_s + max(wish_s, FIRST_PAUSE_S), pause_s * 2
        return answer

    async def _try(self, content: bytes) -> Receipt | Wait:
        """One delivery, signed anew, since a signature is good for five minutes only."""
        event_id, now = event_id_of(content), int(self._clock())
        headers = {
            "content-type": "message/rfc822",
            "webhook-id": event_id,
            "webhook-timestamp": str(now),
            "webhook-signature": sign_standard(self._secret, event_id, now, content),
        }
        try:
            response = await self._http.post(f"/webhooks/raw/{self._source}", content=content, headers=headers)
        except httpx2.TransportError as error:
            return Wait(None, f"it cannot be reached ({type(error).__name__})")
        return self._read(response)

    def _read(self, response: httpx2.Response) -> Receipt | Wait:
        if response.status_code == 200:
            return _receipt(response)
        if response.status_code in BUSY:
            return Wait(retry_after_s(response.headers.get("retry-after")), f"it answers {response.status_code}")
        if response.status_code == TOO_LARGE:
            return Receipt(Fate.FAILED, detail="larger than the door takes (413)")
        raise DoorRefuses(self._refusal(response.status_code))

    def _refusal(self, status: int) -> str:
        if status == UNAUTHORISED:
            return (
                f"The webhook refuses the signature of source {self._source!r} (401). Check the secret (--secret or "
                "DESKHAND_RAW_SECRET) and that the clocks of both machines agree within five minutes."
            )
        return f"{self._http.base_url} answers {status} to a mail. Is that the address of Deskhand's API?"

    def _shut(self, why: str, waited_s: float) -> str:
        return (
            f"The webhook took nothing for {waited_s:.0f} s: {why}. Is Deskhand running, and does the source "
            f"{self._source!r} exist? Run the same command again later; what is in already counts as a duplicate."
        )


def event_id_of(content: bytes) -> str:
    """The `webhook-id` of a mail: the same bytes give the same id, so that a repeat is known as one (DK4)."""
    return f"file-{hashlib.sha256(content).hexdigest()}"


def retry_after_s(value: str | None) -> float | None:
    """Seconds of a `Retry-After`, which is a number or a date (RFC 9110, 10.2.3); None where there is none to read."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return float(value.strip()[:9])
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    due = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max((due - datetime.now(UTC)).total_seconds(), 0.0)


def _receipt(response: httpx2.Response) -> Receipt:
    answer = _object(response)
    ids = answer.get("message_ids") or [answer.get("message_id")]
    known = tuple(str(each) for each in ids if each)
    if answer.get("duplicate"):
        return Receipt(Fate.DUPLICATE, known)
    if answer.get("poison"):
        return Receipt(Fate.POISON, known, str(answer["poison"]))
    return Receipt(Fate.STORED, known)


def _object(response: httpx2.Response) -> dict[str, Any]:
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or "duplicate" not in answer:
        raise DoorRefuses(f"{response.url.host} answers 200, but not as Deskhand's webhook does. Is the address right?")
    return answer
