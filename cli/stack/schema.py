"""Applies `schema.sql` once, as the owner, and refuses a database that another version of it made."""

import hashlib
from enum import StrEnum
from pathlib import Path
from typing import Final

import asyncpg

from adapters.settings import PROJECT_ROOT
from cli.stack.faults import SchemaMismatch
from cli.stack.roles import APP

SCHEMA_FILE: Final = PROJECT_ROOT / "schema.sql"
CONNECT_TIMEOUT_S: Final = 10
LOCK_KEY: Final = 0x6465736B68616E64
KEEP_VERSION: Final = f"""
CREATE SCHEMA IF NOT EXISTS deskhand;
CREATE TABLE deskhand.deskhand_schema (
    sha256 text PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);
GRANT USAGE ON SCHEMA deskhand TO {APP};
GRANT SELECT ON deskhand.deskhand_schema TO {APP};
"""


class SchemaOutcome(StrEnum):
    """What `apply_schema` found to do."""

    APPLIED = "applied"
    UNCHANGED = "unchanged"


def schema_digest(file: Path = SCHEMA_FILE) -> str:
    """The SHA-256 of the schema this version brings, in hex."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


async def stored_digest(connection: asyncpg.Connection) -> str | None:
    """The digest of the schema in the database, None when none was applied."""
    if await connection.fetchval("SELECT to_regclass('deskhand.deskhand_schema') IS NULL"):
        return None
    found: str | None = await connection.fetchval("SELECT sha256 FROM deskhand.deskhand_schema")
    return found


async def apply_schema(owner_url: str, file: Path = SCHEMA_FILE) -> SchemaOutcome:
    """Apply the schema in one transaction unless it is there; SchemaMismatch when there is another one."""
    connection = await asyncpg.connect(owner_url, timeout=CONNECT_TIMEOUT_S)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK_KEY)
            return await _apply(connection, file)
    finally:
        await connection.close()


async def _apply(connection: asyncpg.Connection, file: Path) -> SchemaOutcome:
    wanted, stored = schema_digest(file), await stored_digest(connection)
    if stored == wanted:
        return SchemaOutcome.UNCHANGED
    if stored is not None:
        raise SchemaMismatch(_mismatch(stored, wanted))
    await connection.execute(file.read_text(encoding="utf-8"))
    await connection.execute(KEEP_VERSION)
    await connection.execute("INSERT INTO deskhand.deskhand_schema (sha256) VALUES ($1)", wanted)
    return SchemaOutcome.APPLIED


def _mismatch(stored: str, wanted: str) -> str:
    return (
        f"The database holds schema {stored[:12]}, this version of Deskhand brings {wanted[:12]}, and nothing migrates "
        "between them. Run the version that made the data, or start anew with an empty state folder "
        "(DESKHAND_STATE_DIR) or database."
    )
