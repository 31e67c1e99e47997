"""Fixtures of tests over real HTTP: `pipeline` runs everything, `api_only` takes mail in and does nothing with it.

Both live as long as a test module and have a database and a task queue of their own. See `tests.integration.running`
for what they can do. Keep tests of one module apart by their senders; nothing is cleared between them.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from api.webhooks.body import Caps
from cli.stack.embedded import EmbeddedServices
from cli.stack.postgres import APP, OWNER
from cli.stack.roles import create_database

if TYPE_CHECKING:
    from tests.integration.running import Running

TEMPLATE = "deskhand"
SMALL_CAPS = Caps(message=256 * 1024, ceiling=512 * 1024, within_s=10)
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def run_deskhand(
    service_runner: asyncio.Runner,
    superuser: asyncpg.Connection,
    services: EmbeddedServices,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[..., "Running"]]:
    """Starts installations with options of their own, from fixtures that are not async; all end with the module."""
    from tests.integration.running import Running

    running: list[tuple[Running, str]] = []

    def start(**options: Any) -> Running:
        name = f"running_{next(_numbers)}"
        service_runner.run(create_database(superuser, name, TEMPLATE))
        temporal = options.pop("temporal", (services.temporal.address, services.temporal.namespace))
        urls = (services.postgres.url(role, name) for role in (APP, OWNER))
        made = Running(*urls, temporal, tmp_path_factory.mktemp(name), **options)
        running.append((made, name))
        return made.start()

    yield start
    for made, name in reversed(running):
        made.stop()
        service_runner.run(superuser.execute(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(scope="module")
def pipeline(run_deskhand: Callable[..., "Running"]) -> "Running":
    """API, worker, model endpoint and a folder for replies."""
    return run_deskhand()


@pytest.fixture(scope="module")
def api_only(run_deskhand: Callable[..., "Running"]) -> "Running":
    """The API without a worker, with small size limits and a short patience for workflows."""
    return run_deskhand(with_worker=False, caps=SMALL_CAPS, answer_within=timedelta(seconds=1))
