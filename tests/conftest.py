"""What every test may stand on: real Postgres and a real Temporal server, started once per run, a database of its own.

Nothing starts until a test asks for it, so pure unit tests stay fast.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from cli.stack.embedded import EmbeddedServices
from cli.stack.ports import spare_ports
from cli.stack.postgres import APP, OWNER
from cli.stack.roles import create_database
from cli.stack.schema import apply_schema
from cli.stack.state import StateDir

PROJECT_ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = "deskhand"
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def service_runner() -> Iterator[asyncio.Runner]:
    """An event loop for set-up work in fixtures, apart from the loops of the tests."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="session")
def services(service_runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServices]:
    """Postgres and Temporal, set up as `make run` does; the database `deskhand` is the template: no sessions there."""
    state = StateDir(tmp_path_factory.mktemp("services") / "state")
    services = EmbeddedServices(state, spare_ports(), durable=False, web_ui=False)
    service_runner.run(services.__aenter__())
    try:
        service_runner.run(apply_schema(services.postgres.url(OWNER)))
        yield services
    finally:
        service_runner.run(services.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def superuser(service_runner: asyncio.Runner, services: EmbeddedServices) -> Iterator[asyncpg.Connection]:
    """A connection of the bootstrap superuser that makes and drops databases; it lives on `service_runner`."""
    connection = service_runner.run(services.postgres.connect())
    yield connection
    service_runner.run(connection.close())


@pytest.fixture
def database_name(service_runner: asyncio.Runner, superuser: asyncpg.Connection) -> Iterator[str]:
    """A fresh database with the whole schema and no rows, gone after the test."""
    name = f"test_{next(_numbers)}"
    service_runner.run(create_database(superuser, name, TEMPLATE))
    yield name
    service_runner.run(superuser.execute(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def database_url(services: EmbeddedServices, database_name: str) -> str:
    """The fresh database as the app role, which row-level security binds."""
    return services.postgres.url(APP, database_name)


@pytest.fixture
def owner_database_url(services: EmbeddedServices, database_name: str) -> str:
    """The same database as its owner, for tests that prepare or look behind the walls."""
    return services.postgres.url(OWNER, database_name)


@pytest_asyncio.fixture
async def temporal_client(services: EmbeddedServices) -> AsyncIterator[Client]:
    """A client of the namespace `deskhand`, with pydantic models as payloads."""
    yield await Client.connect(
        services.temporal.address, namespace=services.temporal.namespace, data_converter=pydantic_data_converter
    )


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The folder that holds `schema.sql`, `worker.py` and the packages."""
    return PROJECT_ROOT
