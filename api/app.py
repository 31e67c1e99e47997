"""Composition root of the API process: settings, pools, sources, one lazy line to Temporal, routes (RC12: mail needs
no Temporal)."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

from fastapi import Depends, FastAPI

from adapters.logging import set_up_logging
from adapters.mission_desk import MissionDesk
from adapters.postgres import Database
from adapters.reception import Reception
from adapters.reviews import ReviewDesk
from adapters.settings import Settings
from adapters.sources import Sources
from adapters.usage import UsageLedger
from api import (
    autonomy,
    breakers,
    bulk,
    docs,
    errors,
    failures,
    follow_ups,
    handling,
    health,
    incidents,
    knowledge,
    knowledge_backfill,
    mailboxes,
    messages,
    missions,
    poison,
    reviews,
    senders,
    thread_desk,
    threads,
    tokens,
)
from api.auth import Guard
from api.dashboard.routes import routes as dashboard_routes
from api.dashboard.settings.trial import EndpointTrial
from api.knowledge_desk import KnowledgeDesk
from api.memory import give_back_large_blocks
from api.pages_frame import SafeHeaders
from api.plain_text import storable_body
from api.services import Services
from api.webhooks.body import Caps
from api.webhooks.door import Reader
from api.webhooks.routes import WebhooksFirst
from domain.keys import Keyring

STATEMENT_TIMEOUT_MS = 5_000
DOOR_CONNECTIONS = 10
# A new connection costs tens of milliseconds, and mail comes in bursts.
DOOR_READY = 4
PEOPLE_CONNECTIONS = 10
ROUTERS = (
    messages.router,
    reviews.router,
    bulk.router,
    threads.router,
    thread_desk.router,
    senders.router,
    failures.router,
    incidents.router,
    follow_ups.router,
    poison.router,
    missions.router,
    mailboxes.router,
    knowledge.router,
    knowledge_backfill.router,
    autonomy.router,
    breakers.router,
    handling.router,
    tokens.router,
    health.router,
)


def create_app(
    settings: Settings | None = None, *, caps: Caps | None = None, answer_within: timedelta = timedelta(seconds=8)
) -> FastAPI:
    """The application. Without settings it is a process of its own: settings from the environment, logs as JSON.

    `caps` and `answer_within` are for tests that cannot wait or send 64 MiB.
    """
    if settings is None:
        set_up_logging("api")
        give_back_large_blocks()
    chosen = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        """Opens what the process needs, and closes it in reverse."""
        async with AsyncExitStack() as stack:
            services = await _open(chosen, stack, answer_within)
            app.state.services = services
            app.state.knowledge_desk = KnowledgeDesk(services.database, chosen)
            stack.push_async_callback(app.state.knowledge_desk.close)
            address, namespace = chosen.temporal_address, chosen.temporal_namespace
            app.state.mission_desk = MissionDesk(address, namespace, answer_within)
            app.state.reader = Reader(
                door=Reception(services.door, services.keyring), sources=services.sources, caps=caps or Caps()
            )
            yield

    app = FastAPI(
        title="Deskhand",
        description="A durable AI hand for a shared mail inbox.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(storable_body)],
    )
    for router in ROUTERS:
        app.include_router(router)
    app.router.routes.extend(dashboard_routes())
    docs.install(app)
    errors.install(app)
    for outer in (Guard, SafeHeaders, WebhooksFirst):
        app.add_middleware(outer)
    return app


async def _open(settings: Settings, stack: AsyncExitStack, answer_within: timedelta) -> Services:
    keyring = Keyring(settings.organisation_key_bytes())
    door = await _pool(settings, stack, "deskhand-door", DOOR_CONNECTIONS, DOOR_READY)
    database = await _pool(settings, stack, "deskhand-api", PEOPLE_CONNECTIONS)
    return Services(
        settings=settings,
        keyring=keyring,
        database=database,
        door=door,
        sources=Sources(door, keyring),
        desk=ReviewDesk(settings.temporal_address, settings.temporal_namespace, answer_within),
        model_trial=EndpointTrial(settings, UsageLedger(database)),
    )


async def _pool(settings: Settings, stack: AsyncExitStack, name: str, most: int, least: int = 1) -> Database:
    url = settings.database_url.get_secret_value()
    database = await Database.connect(url, most=most, least=least, name=name, statement_timeout_ms=STATEMENT_TIMEOUT_MS)
    stack.push_async_callback(database.close)
    return database
