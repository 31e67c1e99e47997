"""Fixtures of the fault tests: one set of durable servers a run, and houses on it.

A house is as loop-bound as its connections, so every module here runs on one event loop of its own.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
import pytest_asyncio

from tests.faults.house import House
from tests.faults.servers import Servers

Build = Callable[..., Awaitable[House]]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def fault_servers(service_runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Postgres and Temporal with their data safe on disk, and both peers."""
    servers = Servers(tmp_path_factory.mktemp("faults"))
    service_runner.run(servers.start())
    try:
        yield servers
    finally:
        service_runner.run(servers.stop())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def build(fault_servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Build]:
    """Builds houses, with `channel="smtp"` or `"file"`; whatever stands at the end of the module is pulled down."""
    houses: list[House] = []

    async def another(channel: str = "smtp") -> House:
        name = f"fault_{next(_numbers)}"
        house = House(fault_servers, tmp_path_factory.mktemp(name), name, channel)
        houses.append(house)
        await house.open()
        return house

    yield another
    for house in houses:
        await house.close()


@pytest_asyncio.fixture(loop_scope="module")
async def house(build: Build) -> AsyncIterator[House]:
    """A new house for one test, with the counting SMTP relay."""
    house = await build()
    yield house
    await house.close()
