"""The API over a fresh database without a worker, and the `deskhand` command in this process, for tests of the CLI."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import structlog
import uvicorn
from starlette.types import ASGIApp
from typer.testing import CliRunner, Result

from adapters.settings import Settings
from api.app import create_app
from cli.main import app
from cli.stack.first_start import FirstLogin, set_up

KEY = bytes(range(32))
MAILBOX = "support@example.org"


@dataclass
class House:
    """One installation: its database, its first login and the address of its webhook."""

    database_url: str
    owner_url: str
    login: FirstLogin
    url: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    def deskhand(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Result:
        """Run the command; its output and exit code. Whatever is no clean exit is raised."""
        result = CliRunner().invoke(app, list(arguments), env={**self.environment, **(environment or {})})
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def sql(self, statement: str, *values: Any) -> list[asyncpg.Record]:
        """Rows of a statement as the owner, whom row-level security does not bind."""
        return asyncio.run(_fetch(self.owner_url, statement, values))


async def _fetch(url: str, statement: str, values: tuple[Any, ...]) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url, server_settings={"search_path": "deskhand, public"})
    try:
        async with connection.transaction():
            await connection.execute("SET LOCAL deskhand.writer = 'lifecycle'")
            rows: list[asyncpg.Record] = await connection.fetch(statement, *values)
            return rows
    finally:
        await connection.close()


def new_house(database_url: str, owner_url: str, state: Path) -> House:
    """A first start without servers: organisation, mailboxes, sources, login, and the environment that names it all."""
    login = asyncio.run(set_up(database_url, MAILBOX, "test", True, KEY))
    assert login is not None
    environment = {
        "DESKHAND_STATE_DIR": str(state),
        "DATABASE_URL": database_url,
        "ORGANISATION_KEY": KEY.hex(),
        "DESKHAND_RAW_SECRET": login.raw_secret,
        "DESKHAND_API_TOKEN": login.api_token,
    }
    return House(database_url, owner_url, login, environment=environment)


@contextmanager
def webhook_of(house: House) -> Iterator[None]:
    """The real API on a free port while the context is open; `house.url` names it."""
    # The receiver logs in this process; its lines do not belong into what the command prints.
    settings = Settings(_env_file=None, database_url=house.database_url, organisation_key=KEY.hex())
    with structlog.testing.capture_logs(), served(create_app(settings)) as url:
        house.url = house.environment["DESKHAND_URL"] = url
        yield


@contextmanager
def served(application: ASGIApp) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(application, log_config=None, lifespan="on"))
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
