"""Pages hear of changes: one listening connection per process, and a stream of events to every open page.

An event names a message and never holds a word of it; the page asks for what it shows. A lost connection is made again,
and the pages are told to look for themselves, because news may have passed meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import asyncpg
import structlog
from starlette.responses import Response, StreamingResponse

from api.dashboard import ledger_line, sessions
from api.dashboard.visit import Visit
from api.services import Services
from contracts.errors import DatabaseFault

CHANNEL = "deskhand_pages"
QUIET_S = 15.0
AGAIN_S = 1.0
MOST_WAITING = 200
ALL = "* *"
NEWS_OF_MISSIONS = " mission/"

log = structlog.get_logger("dashboard")


class Hub:
    """Spreads news to the pages; listens while somebody is there to hear."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._pages: set[asyncio.Queue[str]] = set()
        self._task: asyncio.Task[None] | None = None

    def join(self) -> asyncio.Queue[str]:
        """A queue of news; give it back with `leave`."""
        queue: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        self._pages.add(queue)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen(), name="dashboard-news")
        return queue

    def leave(self, queue: asyncio.Queue[str]) -> None:
        """The page is gone; the last one ends the listening."""
        self._pages.discard(queue)
        if not self._pages and self._task is not None:
            self._task.cancel()
            self._task = None

    def tell(self, payload: str) -> None:
        """One piece of news to everybody; a page that does not read is told to look for itself."""
        if NEWS_OF_MISSIONS not in payload:
            ledger_line.forget()
        for queue in self._pages:
            if queue.full():
                with suppress(asyncio.QueueEmpty):
                    while True:
                        queue.get_nowait()
                payload = ALL
            queue.put_nowait(payload)

    async def _listen(self) -> None:
        while True:
            try:
                await self._until_lost()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError) as error:
                log.warning("news stopped", reason=type(error).__name__)
            await asyncio.sleep(AGAIN_S)

    async def _until_lost(self) -> None:
        url = self._services.settings.database_url.get_secret_value()
        connection = await asyncpg.connect(url, timeout=5, server_settings={"application_name": "deskhand-news"})
        lost = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _: lost.set())
            await connection.add_listener(CHANNEL, lambda *heard: self.tell(heard[3]))
            self.tell(ALL)
            await lost.wait()
        finally:
            await connection.close(timeout=1)


def hub_of(visit: Visit) -> Hub:
    """The hub of this process."""
    state: Any = visit.request.app.state
    if getattr(state, "dashboard_hub", None) is None:
        state.dashboard_hub = Hub(visit.services)
    hub: Hub = state.dashboard_hub
    return hub


async def live(visit: Visit) -> Response:
    """The stream of one page."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_stream(visit), media_type="text/event-stream", headers=headers)


async def _stream(visit: Visit) -> AsyncIterator[str]:
    hub = hub_of(visit)
    queue, seen = hub.join(), {str(m) for m in visit.who.mailboxes}
    try:
        yield "retry: 2000\n\n"
        while True:
            try:
                mailbox, _, message = (await asyncio.wait_for(queue.get(), QUIET_S)).partition(" ")
            except TimeoutError:
                if not await _still_welcome(visit):
                    yield "event: ended\ndata: -\n\n"
                    return
                yield ": quiet\n\n"
                continue
            if mailbox == "*" or mailbox in seen:
                yield _news(message)
    finally:
        hub.leave(queue)


def _news(message: str) -> str:
    """Missions move often; only pages that show one look at once."""
    mission = message.removeprefix(NEWS_OF_MISSIONS.strip())
    name, data = ("mission", mission) if mission != message else ("change", message or "*")
    return f"event: {name}\ndata: {data}\n\n"


async def _still_welcome(visit: Visit) -> bool:
    try:
        return await sessions.find(visit.services, visit.request) is not None
    except DatabaseFault:
        return True
