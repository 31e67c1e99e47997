"""The production shape's own Postgres job, on a bare cluster: roles without power, databases, and a repeat."""

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from cli.stack.ports import StackPorts
from cli.stack.postgres import APP, OWNER, SUPERUSER, Postgres
from cli.stack.schema import SchemaOutcome, apply_schema
from cli.stack.state import StateDir
from contracts.errors import SettingsFault
from deploy.prepare_postgres import TEMPORAL, TEMPORAL_DATABASES, cluster_from, prepare

WORD = "0123456789abcdef"


@pytest_asyncio.fixture
async def bare(state: StateDir, ports: StackPorts) -> AsyncIterator[Postgres]:
    """A cluster as the image makes it: nothing but its superuser."""
    server = Postgres(state, ports.postgres_port, durable=False)
    await server.start()
    connection = await server.connect()
    await connection.execute("DROP DATABASE deskhand")
    await connection.execute(f"DROP ROLE {APP}; DROP ROLE {OWNER}")
    await connection.close()
    yield server
    await server.stop()


def environment(server: Postgres | None = None, word: str = WORD) -> dict[str, str]:
    """What docker-compose hands to the job; each role gets a password of its own."""
    place = f"127.0.0.1:{server.port}" if server else "postgres:5432"
    return {
        "POSTGRES_SUPERUSER_URL": server.url(SUPERUSER, "postgres") if server else "",
        "DATABASE_URL": f"postgresql://{APP}:app-{word}@{place}/deskhand",
        "DATABASE_OWNER_URL": f"postgresql://{OWNER}:owner-{word}@{place}/deskhand",
        "TEMPORAL_DB_PASSWORD": f"temporal-{word}",
    }


async def value(url: str, sql: str) -> object:
    """One value, asked by the role that the address names."""
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def test_a_bare_cluster_takes_the_schema_and_a_repeat_takes_new_passwords(bare: Postgres) -> None:  # HB1
    """The owner can apply `schema.sql`, the app role can log in, and a second run changes only the passwords."""
    first, second = environment(bare), environment(bare, WORD * 2)
    await prepare(cluster_from(first))
    assert await apply_schema(first["DATABASE_OWNER_URL"]) is SchemaOutcome.APPLIED
    await prepare(cluster_from(second))
    assert await apply_schema(second["DATABASE_OWNER_URL"]) is SchemaOutcome.UNCHANGED
    assert await value(second["DATABASE_URL"], "SELECT count(*) FROM inbound_messages") == 0
    with pytest.raises(asyncpg.InvalidPasswordError):
        await value(first["DATABASE_URL"], "SELECT 1")


async def test_temporals_role_has_no_power_and_sees_no_mail(bare: Postgres) -> None:  # HB1
    """It owns its two databases, can make tables there, and may not even connect to Deskhand's."""
    settings = environment(bare)
    await prepare(cluster_from(settings))
    ours = f"postgresql://{TEMPORAL}:{settings['TEMPORAL_DB_PASSWORD']}@127.0.0.1:{bare.port}"
    for name in TEMPORAL_DATABASES:
        await value(f"{ours}/{name}", "CREATE TABLE schema_version (x int)")
        assert await value(f"{ours}/{name}", "CREATE EXTENSION IF NOT EXISTS btree_gin") is None
    powers = "rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb"
    asked = f"SELECT {powers} FROM pg_roles WHERE rolname = current_user"
    assert await value(f"{ours}/temporal", asked) is False
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await value(f"{ours}/deskhand", "SELECT 1")


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"DATABASE_URL": f"postgresql://postgres:app-{WORD}@postgres/deskhand"}, "DATABASE_URL"),
        ({"DATABASE_OWNER_URL": f"postgresql://{OWNER}:@postgres:5432/deskhand"}, "DATABASE_OWNER_URL"),
        ({"DATABASE_OWNER_URL": f"postgresql://{OWNER}:owner-{WORD}@postgres:5432/other"}, "one database"),
        ({"DATABASE_OWNER_URL": f"postgresql://{OWNER}:owner-{WORD}'; DROP@postgres/deskhand"}, "DATABASE_OWNER_URL"),
        ({"TEMPORAL_DB_PASSWORD": "short"}, "TEMPORAL_DB_PASSWORD"),
        ({"TEMPORAL_DB_PASSWORD": ""}, "TEMPORAL_DB_PASSWORD"),
    ],
)
def test_wrong_settings_are_named_and_no_password_is_shown(changed: dict[str, str], named: str) -> None:
    """Another role, no password, two databases, or a password that SQL would read is refused before any connection."""
    with pytest.raises(SettingsFault, match=named) as refused:
        cluster_from(environment() | changed)
    assert WORD not in str(refused.value)


def test_the_cluster_shows_no_password() -> None:
    """Neither the superuser's address nor a role's password stands in its repr."""
    assert WORD not in repr(cluster_from(environment() | {"POSTGRES_SUPERUSER_URL": f"postgresql://postgres:{WORD}@h/d"}))
