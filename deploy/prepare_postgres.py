"""Makes roles, databases and extensions on a bare Postgres, as its superuser, before anything else starts.

The embedded stack does the same for its own cluster, and this runs the same code, so that the two shapes cannot differ
in what a role may do. Running it again changes nothing but passwords that were changed in the settings.
"""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import urlsplit

import asyncpg

from cli.stack.postgres import Postgres
from cli.stack.roles import APP, NO_POWER, OWNER, SUPERUSER, ensure_roles
from contracts.errors import DeskhandError, SettingsFault

TEMPORAL: Final = "temporal"
TEMPORAL_DATABASES: Final = ("temporal", "temporal_visibility")
CONNECT_TIMEOUT_S: Final = 10
# Such a password fits SQL and URLs as it is.
PLAIN_PASSWORD: Final = re.compile(r"[A-Za-z0-9_.-]{16,200}")
PLAIN_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
URLS: Final = {APP: "DATABASE_URL", OWNER: "DATABASE_OWNER_URL"}


@dataclass(frozen=True)
class BareCluster:
    """What `ensure_roles` asks of a cluster: superuser connections, and the password each role shall have."""

    superuser_url: str
    passwords: Mapping[str, str]
    database: str

    def __repr__(self) -> str:
        return f"BareCluster({self.database!r})"

    @property
    def state(self) -> "BareCluster":
        """The keeper of passwords is this object itself."""
        return self

    def password(self, role: str) -> str:
        """The password a role shall have."""
        return self.passwords[role]

    async def connect(self, role: str = SUPERUSER, database: str = "postgres") -> asyncpg.Connection:
        """A connection of the superuser, the only role that is asked for here."""
        return await asyncpg.connect(self.superuser_url, database=database, timeout=CONNECT_TIMEOUT_S)


def cluster_from(environment: Mapping[str, str]) -> BareCluster:
    """Reads the settings; SettingsFault names the variable at fault and shows no password."""
    parts = {role: urlsplit(environment.get(name, "")) for role, name in URLS.items()}
    for role, found in parts.items():
        if found.username != role:
            raise SettingsFault(f"{URLS[role]}: the user must be {role}, the role that schema.sql grants to.")
    database, other = (found.path.lstrip("/") for found in parts.values())
    if database != other or not PLAIN_NAME.fullmatch(database):
        raise SettingsFault("DATABASE_URL, DATABASE_OWNER_URL: both must name one database, in lower-case letters.")
    passwords = {role: _plain(URLS[role], found.password) for role, found in parts.items()}
    passwords[TEMPORAL] = _plain("TEMPORAL_DB_PASSWORD", environment.get("TEMPORAL_DB_PASSWORD"))
    return BareCluster(environment.get("POSTGRES_SUPERUSER_URL", ""), passwords, database)


def _plain(name: str, password: str | None) -> str:
    if not PLAIN_PASSWORD.fullmatch(password or ""):
        raise SettingsFault(f"{name}: the password needs 16 or more letters, digits, dots, dashes or underscores.")
    return str(password)


async def prepare(cluster: BareCluster) -> None:
    """The roles and the database of Deskhand, then those of Temporal."""
    await ensure_roles(cast(Postgres, cluster), cluster.database)
    connection = await cluster.connect()
    try:
        await _ensure_temporal(connection, cluster.password(TEMPORAL))
    finally:
        await connection.close()


async def _ensure_temporal(connection: asyncpg.Connection, password: str) -> None:
    exists = await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = $1", TEMPORAL)
    await connection.execute(f"{'ALTER' if exists else 'CREATE'} ROLE {TEMPORAL} {NO_POWER} PASSWORD '{password}'")
    for name in TEMPORAL_DATABASES:
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name):
            await connection.execute(f"CREATE DATABASE {name} OWNER {TEMPORAL}")
            await connection.execute(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC")


def main() -> int:
    """0, or 1 with one line that says what to correct."""
    try:
        asyncio.run(prepare(cluster_from(os.environ)))
    except (DeskhandError, asyncpg.PostgresError, OSError) as fault:
        print(f"{type(fault).__name__}: {fault}", file=sys.stderr)
        return 1
    print("Roles, databases and extensions are there.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
