"""Mail comes in and is taken up: a signed sample through every configured source, followed until it lies where such
mail belongs, and archived again; nothing else is touched (AD8)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2

from adapters.postgres import Database
from adapters.reviews import NoAnswer, NoOpenWorkflow, RefusedByState, ReviewDesk
from adapters.settings import Settings
from adapters.sources import Sources
from cli.access import Access, find_access
from cli.checks.database import NO_ANSWER
from cli.checks.finding import Finding, fine, wrong
from cli.checks.sample_mail import Sample, sample
from contracts.errors import SettingsFault
from contracts.lifecycle import Archive, Outcome
from contracts.workflow import HumanRequest
from domain.keys import Keyring

ACTOR = "doctor"
SLOW_S = 2.0
SKEW_S = 60.0
TAKEN_UP_WITHIN_S = 30.0
LOOK_EVERY_S = 0.5
WHERE_IT_BELONGS = ("received", "automatic")
Sleep = Callable[[float], Awaitable[None]]


async def check_own_door(
    settings: Settings, access: Access | None = None, sleep: Sleep = asyncio.sleep
) -> list[Finding]:
    """Findings on every source; none where the database is away, which has a finding of its own."""
    try:
        database = await Database.connect(settings.database_url.get_secret_value(), most=2, name="deskhand-doctor")
    except NO_ANSWER:
        return []
    try:
        return await _check(settings, database, access or find_access(), sleep)
    except NO_ANSWER as fault:
        return [wrong("Webhooks", f"the database gave no answer ({type(fault).__name__})", "See the line on it above.")]
    finally:
        await database.close()


async def _check(settings: Settings, database: Database, access: Access, sleep: Sleep) -> list[Finding]:
    async with database.transaction() as tx:
        rows = await tx.rows("doctor_sources")
    if not rows:
        return [fine("Webhooks", "no source is set up and running, so there is none to try")]
    sources = Sources(database, Keyring(settings.organisation_key_bytes()))
    desk = ReviewDesk(settings.temporal_address, settings.temporal_namespace)
    async with access.client() as http:
        visit = _Visit(http, database, desk, sources, sleep)
        found = [await visit.through(row, f"Source {row['name']}") for row in rows]
    return [one for some in found for one in some]


class _Visit:
    """One sample through one source, and back out again."""

    def __init__(
        self, http: httpx2.AsyncClient, database: Database, desk: ReviewDesk, sources: Sources, sleep: Sleep
    ) -> None:
        self.http, self.database, self.desk, self.sources, self.sleep = http, database, desk, sources, sleep

    async def through(self, row: Any, what: str) -> list[Finding]:
        """The findings, of which the first that is wrong ends the visit."""
        if row["address"] is None:
            return [wrong(what, "its organisation has no mailbox", "Add a mailbox on the settings page.")]
        try:
            source = await self.sources.get(row["name"])
        except SettingsFault as fault:
            return [wrong(what, "its secret cannot be read", str(fault))]
        if source is None or not source.secrets:
            return [wrong(what, "it has no secret and takes no mail", "Give it one on the settings page.")]
        return await self._post(what, sample(row["kind"], row["name"], row["address"], source.secrets[0]))

    async def _post(self, what: str, posted: Sample) -> list[Finding]:
        started = time.monotonic()
        try:
            answer = await self.http.post(posted.path, content=posted.body, headers=posted.headers)
        except httpx2.TransportError as fault:
            return [_away(what, self.http, fault)]
        seconds = time.monotonic() - started
        if answer.status_code != 200:
            return [_refused(what, answer)]
        return [*_skew(answer), _speed(what, seconds), await self._follow(what, _message_id(answer))]

    async def _follow(self, what: str, message_id: UUID | None) -> Finding:
        if message_id is None:
            return wrong(what, "200, but without the id of a message", "Is that the address of Deskhand's API?")
        left, row = TAKEN_UP_WITHIN_S, await self._look(message_id)
        while left > 0 and row is not None and row["account"] != "poison" and row["hold"] is None:
            await self.sleep(LOOK_EVERY_S)
            left, row = left - LOOK_EVERY_S, await self._look(message_id)
        return await self._judge(what, message_id, row)

    async def _look(self, message_id: UUID) -> Any:
        async with self.database.transaction() as tx:
            return await tx.one("doctor_sample", message_id)

    async def _judge(self, what: str, message_id: UUID, row: Any) -> Finding:
        if row is None:
            return wrong(what, "the sample was accepted by another database", "Correct DATABASE_URL or DESKHAND_URL.")
        if row["account"] == "poison":
            return wrong(what, f"the sample is poison ({row['poison_reason']})", "It lies among the unreadable mail.")
        if row["status"] is None:
            detail = f"the sample is stored, but nobody took it up within {TAKEN_UP_WITHIN_S:.0f} s"
            return wrong(what, detail, "Is the worker running? Its log says what it waits for; the mail is safe.")
        if (row["status"], row["hold"]) != WHERE_IT_BELONGS:
            return wrong(what, f"the sample is {row['status']}, not held as automatic", "Report this with its page.")
        return fine(what, f"a signed sample came in and was held as automatic; {await self._archive(message_id)}")

    async def _archive(self, message_id: UUID) -> str:
        """Takes our own sample out of the lane; whatever prevents that, a week does it too (P45)."""
        request = HumanRequest(request_id=f"doctor-{uuid4()}", actor=ACTOR, act=Archive())
        try:
            outcome = await self.desk.ask(f"message/{message_id}", "archive", request, Outcome, request.request_id)
        except (NoAnswer, NoOpenWorkflow, RefusedByState) as fault:
            return f"it archives itself in a week ({type(fault).__name__})"
        return "archived again" if outcome.ok else "it archives itself in a week"


def _message_id(answer: httpx2.Response) -> UUID | None:
    try:
        return UUID(answer.json()["message_id"])
    except (ValueError, KeyError, TypeError):
        return None


def _away(what: str, http: httpx2.AsyncClient, fault: Exception) -> Finding:
    return wrong(
        what, f"nothing answers at {http.base_url} ({type(fault).__name__})",
        "Start it (`make run`, or docker compose) or correct DESKHAND_URL.",
    )  # fmt: skip


def _refused(what: str, answer: httpx2.Response) -> Finding:
    advice = {
        401: "The API has another secret or another ORGANISATION_KEY than this machine, or the clocks are apart.",
        413: "A proxy in front of the API allows less than 30 MiB.",
        503: "The API is there but has no database, or is too busy; try again.",
    }
    words = advice.get(answer.status_code, "Is that the address of Deskhand's API, and does a proxy change requests?")
    return wrong(what, f"answers {answer.status_code} to a signed sample, not 200", words)


def _speed(what: str, seconds: float) -> Finding:
    detail = f"answered within {seconds:.1f} s"
    if seconds <= SLOW_S:
        return fine(f"{what}, speed", detail)
    return wrong(f"{what}, speed", detail, "Senders give up after a few seconds; look at the load and at Postgres.")


def _skew(answer: httpx2.Response) -> list[Finding]:
    """Signatures are good for five minutes; a clock that is a minute off is on its way there."""
    try:
        there = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        return []
    seconds = abs((datetime.now(UTC) - there.astimezone(UTC)).total_seconds())
    if seconds <= SKEW_S:
        return []
    return [wrong("Clocks", f"the API's clock is {seconds:.0f} s off this machine's", "Let both follow a time server.")]
