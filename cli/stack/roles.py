"""The roles and the database of Deskhand inside a cluster.

The superuser is for bootstrap alone. The owner owns the database and applies the schema; the app role, as which the
product connects, owns nothing, is no superuser and cannot pass row-level security (HB1).
"""

from typing import TYPE_CHECKING, Final

import asyncpg

if TYPE_CHECKING:
    from cli.stack.postgres import Postgres

SUPERUSER: Final = "postgres"
OWNER: Final = "deskhand_owner"
APP: Final = "deskhand_app"
EXTENSIONS: Final = ("vector", "pg_trgm")
NO_POWER: Final = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS NOREPLICATION"


async def ensure_roles(postgres: "Postgres", database: str = "deskhand") -> None:
    """Make roles, database and extensions that are missing, and set the passwords of the state folder."""
    connection = await postgres.connect()
    try:
        for role in (OWNER, APP):
            await _ensure_role(connection, role, postgres.state.password(role))
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", database):
            await create_database(connection, database)
    finally:
        await connection.close()
    await _ensure_extensions(postgres, database)


async def _ensure_role(connection: asyncpg.Connection, role: str, password: str) -> None:
    exists = await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = $1", role)
    await connection.execute(f"{'ALTER' if exists else 'CREATE'} ROLE {role} {NO_POWER} PASSWORD '{password}'")


async def create_database(connection: asyncpg.Connection, name: str, template: str = "template1") -> None:
    """Create a database of the owner, closed to roles that are not ours; `name` is ours and needs no quoting."""
    await connection.execute(f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE {template}")
    await connection.execute(
        f"ALTER DATABASE {name} SET search_path = deskhand, public;"
        f"REVOKE ALL ON DATABASE {name} FROM PUBLIC;"
        f"GRANT CONNECT, TEMPORARY ON DATABASE {name} TO {APP}"
    )


async def _ensure_extensions(postgres: "Postgres", database: str) -> None:
    connection = await postgres.connect(database=database)
    try:
        for extension in EXTENSIONS:
            await connection.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}")
    finally:
        await connection.close()
