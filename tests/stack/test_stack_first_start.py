"""The first rows of a fresh database, and what a second start may change."""

import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest_asyncio

from cli.stack.first_start import link_of_newcomer, set_up


@pytest_asyncio.fixture
async def connection(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """The fresh database as the app role, seeing every mailbox."""
    opened = await asyncpg.connect(database_url)
    await opened.execute("SET deskhand.mailbox = '*'")
    yield opened
    await opened.close()


async def everything(connection: asyncpg.Connection) -> list[list[dict[str, object]]]:
    """All rows of the tables that the first start fills."""
    tables = ("organisations", "mailboxes", "mailbox_addresses", "agent_config", "feature_flags", "audit_log", "users")
    return [[dict(row) for row in await connection.fetch(f"SELECT * FROM {table} ORDER BY 1, 2")] for table in tables]


async def test_a_mailbox_default_and_one_for_strays_are_there(
    database_url: str, connection: asyncpg.Connection
) -> None:  # P5, RC11a
    """Mail has a home from the first moment, also mail for nobody of ours; settings stand at their defaults."""
    await set_up(database_url, "Help@Example.org", "b1", agent_on=True)
    rows = await connection.fetch("SELECT name, kind, is_default, address FROM mailboxes ORDER BY name")
    assert [tuple(row) for row in rows] == [
        ("default", "inbox", True, "Help@Example.org"),
        ("unassigned", "unassigned", False, "unassigned"),
    ]
    assert await connection.fetchval("SELECT address FROM mailbox_addresses") == "help@example.org"
    assert await connection.fetchval("SELECT count(*) FROM agent_config") == 2


async def test_the_first_login_works_and_is_shown_once(database_url: str, connection: asyncpg.Connection) -> None:
    """No password is made: a link, hashed at rest, sets it (HU7); the second start gives no login."""
    login = await set_up(database_url, "help@example.org", "b1", agent_on=True)
    assert login is not None
    row = await connection.fetchrow("SELECT role, password_hash FROM users WHERE email = $1", login.address)
    assert row["role"] == "admin" and row["password_hash"] is None
    token = login.link.removeprefix("/dashboard/invitation/")
    kept = await connection.fetchrow("SELECT token_hash, expires_at - created_at AS lasts FROM password_links")
    assert kept["token_hash"] == hashlib.sha256(token.encode()).hexdigest() and kept["lasts"] == timedelta(hours=24)
    assert token not in repr(login)
    assert await set_up(database_url, "help@example.org", "b1", agent_on=True) is None


async def test_until_an_administrator_has_a_password_each_start_gives_a_fresh_link(
    database_url: str, connection: asyncpg.Connection
) -> None:
    """Whoever missed the first link starts again; once somebody can sign in there is none."""
    login = await set_up(database_url, "help@example.org", "b1", agent_on=True)
    fresh = await link_of_newcomer(database_url)
    assert login and fresh and fresh[0] == login.address and fresh[1] != login.link
    assert await connection.fetchval("SELECT count(*) FROM password_links WHERE voided_at IS NULL") == 1
    await connection.execute("UPDATE users SET password_hash = 'set'")
    assert await link_of_newcomer(database_url) is None


async def test_a_second_start_changes_nothing(database_url: str, connection: asyncpg.Connection) -> None:  # A108
    """Not even under another mailbox address."""
    await set_up(database_url, "help@example.org", "b1", agent_on=True)
    before = await everything(connection)
    await set_up(database_url, "other@example.org", "b1", agent_on=True)
    assert await everything(connection) == before


async def test_servers_of_your_own_start_with_the_agent_off(
    database_url: str, connection: asyncpg.Connection
) -> None:  # P112
    """Flags are off by default; only the embedded stack turns them on."""
    await set_up(database_url, "help@example.org", "b1", agent_on=False)
    flags = await connection.fetch("SELECT flag, is_on FROM feature_flags")
    assert {row["flag"]: row["is_on"] for row in flags} == dict.fromkeys(
        ("ai", "ai.agent", "ai.autonomy", "ai.knowledge"), False
    )
    assert await connection.fetchval("SELECT count(*) FROM audit_log") == 0


async def test_a_start_promotes_its_build(database_url: str, connection: asyncpg.Connection) -> None:  # D8
    """The newest start may claim sends; starting the same build again moves no date."""
    await set_up(database_url, "help@example.org", "b1", agent_on=True)
    first = await connection.fetchrow("SELECT * FROM current_build")
    await set_up(database_url, "help@example.org", "b1", agent_on=True)
    assert await connection.fetchrow("SELECT * FROM current_build") == first
    await set_up(database_url, "help@example.org", "b2", agent_on=True)
    assert await connection.fetch("SELECT component, build_id FROM current_build") == [("worker", "b2")]
