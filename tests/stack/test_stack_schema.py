"""Applying the schema: once, as a whole, as the owner, and never over another version."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from cli.stack.embedded import EmbeddedServices
from cli.stack.faults import SchemaMismatch
from cli.stack.postgres import APP, OWNER
from cli.stack.roles import create_database
from cli.stack.schema import SchemaOutcome, apply_schema, schema_digest, stored_digest


@pytest_asyncio.fixture
async def empty_database(services: EmbeddedServices) -> AsyncIterator[str]:
    """A database of the owner without any schema; gives its name."""
    connection = await services.postgres.connect()
    await create_database(connection, "empty")
    yield "empty"
    await connection.execute("DROP DATABASE empty WITH (FORCE)")
    await connection.close()


async def digest_in(services: EmbeddedServices, database: str) -> str | None:
    """The stored digest as the app role sees it."""
    connection = await services.postgres.connect(APP, database)
    try:
        return await stored_digest(connection)
    finally:
        await connection.close()


def a_schema(folder: Path, *statements: str) -> Path:
    """A small schema file."""
    file = folder / "schema.sql"
    file.write_text("CREATE SCHEMA IF NOT EXISTS deskhand;" + ";".join(statements) + ";", encoding="utf-8")
    return file


async def test_the_second_time_changes_nothing(services: EmbeddedServices, empty_database: str, tmp_path: Path) -> None:
    """Each start applies it; only the first does anything."""
    file, url = a_schema(tmp_path, "CREATE TABLE deskhand.one (x int)"), services.postgres.url(OWNER, empty_database)
    assert await apply_schema(url, file) is SchemaOutcome.APPLIED
    assert await apply_schema(url, file) is SchemaOutcome.UNCHANGED
    assert await digest_in(services, empty_database) == schema_digest(file)


async def test_another_version_is_refused(services: EmbeddedServices, empty_database: str, tmp_path: Path) -> None:
    """Data of another version is not touched; the message names both and what to do."""
    url = services.postgres.url(OWNER, empty_database)
    old = a_schema(tmp_path, "CREATE TABLE deskhand.one (x int)")
    old_digest = schema_digest(old)
    await apply_schema(url, old)
    new = a_schema(tmp_path, "CREATE TABLE deskhand.two (x int)")
    with pytest.raises(SchemaMismatch, match=rf"{old_digest[:12]}.*{schema_digest(new)[:12]}.*DESKHAND_STATE_DIR"):
        await apply_schema(url, new)
    assert await digest_in(services, empty_database) == old_digest


async def test_a_broken_schema_leaves_nothing(services: EmbeddedServices, empty_database: str, tmp_path: Path) -> None:
    """All or nothing: after a failure half-way the corrected file applies cleanly."""
    url = services.postgres.url(OWNER, empty_database)
    with pytest.raises(asyncpg.PostgresError):
        await apply_schema(url, a_schema(tmp_path, "CREATE TABLE deskhand.one (x int)", "CREATE TABLE deskhand.one ()"))
    assert await digest_in(services, empty_database) is None
    assert await apply_schema(url, a_schema(tmp_path, "CREATE TABLE deskhand.one (x int)")) is SchemaOutcome.APPLIED


async def test_two_starters_at_once_apply_it_once(
    services: EmbeddedServices, empty_database: str, tmp_path: Path
) -> None:
    """Two replicas that come up together do not meet half-way."""
    file, url = a_schema(tmp_path, "CREATE TABLE deskhand.one (x int)"), services.postgres.url(OWNER, empty_database)
    outcomes = await asyncio.gather(*(apply_schema(url, file) for _ in range(4)))
    assert sorted(outcomes) == [SchemaOutcome.APPLIED, *[SchemaOutcome.UNCHANGED] * 3]


async def test_the_app_role_cannot_claim_a_version(database_url: str) -> None:
    """The product reads which schema it has, it never writes it."""
    connection = await asyncpg.connect(database_url)
    assert await stored_digest(connection) == schema_digest()
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("UPDATE deskhand.deskhand_schema SET sha256 = 'x'")
    await connection.close()
