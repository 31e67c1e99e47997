"""The database: reachable, by a role without power, with the schema this version brings (HB1)."""

import asyncpg

from adapters.settings import Settings
from cli.checks.finding import Finding, fine, wrong
from cli.stack.schema import schema_digest, stored_digest
from contracts.errors import DatabaseFault

CONNECT_TIMEOUT_S = 5
# Whatever keeps another check from its rows: the database has a finding of its own.
NO_ANSWER = (DatabaseFault, asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)
POWERS = "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user"
OWNED = "SELECT count(*) FROM pg_tables WHERE schemaname = 'deskhand' AND tableowner = current_user"


async def check_database(settings: Settings) -> list[Finding]:
    """Findings on reachability, role, schema and extensions."""
    try:
        connection = await asyncpg.connect(settings.database_url.get_secret_value(), timeout=CONNECT_TIMEOUT_S)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError) as error:
        return [_unreachable(error)]
    try:
        return [
            fine("Database", f"reachable, Postgres {connection.get_server_version().major}"),
            await _check_role(connection),
            await _check_schema(connection),
            await _check_extensions(connection),
        ]
    finally:
        await connection.close()


def _unreachable(error: Exception) -> Finding:
    return wrong(
        "Database", f"not reachable ({type(error).__name__})",
        "Start it (`make run`, or docker compose) or correct DATABASE_URL.",
    )  # fmt: skip


async def _check_role(connection: asyncpg.Connection) -> Finding:
    role = await connection.fetchrow(POWERS)
    owned = await connection.fetchval(OWNED)
    powers = [name for name in ("rolsuper", "rolbypassrls", "rolcreaterole") if role[name]]
    if powers or owned:
        found = ", ".join([*powers, *(["owns tables"] if owned else [])])
        return wrong(
            "Database role", f"{role['rolname']} passes row-level security or could ({found})",
            "Let DATABASE_URL name the app role, deskhand_app.",
        )  # fmt: skip
    return fine("Database role", f"{role['rolname']} is bound by row-level security")


async def _check_schema(connection: asyncpg.Connection) -> Finding:
    try:
        stored = await stored_digest(connection)
    except asyncpg.InsufficientPrivilegeError:
        stored = None
    if stored is None:
        return wrong("Schema", "none was applied", "Run `deskhand setup`; the embedded stack does it at its start.")
    if stored != schema_digest():
        return wrong(
            "Schema", f"{stored[:12]}, this version brings {schema_digest()[:12]}",
            "Run the version that made the data, or start anew with an empty database.",
        )  # fmt: skip
    return fine("Schema", f"{stored[:12]}, as this version brings it")


async def _check_extensions(connection: asyncpg.Connection) -> Finding:
    found = {row[0] for row in await connection.fetch("SELECT extname FROM pg_extension")}
    missing = {"vector", "pg_trgm"} - found
    if missing:
        names = ", ".join(sorted(missing))
        return wrong("Extensions", f"missing: {names}", f"As superuser in this database: CREATE EXTENSION {names};")
    return fine("Extensions", "vector and pg_trgm are there")
