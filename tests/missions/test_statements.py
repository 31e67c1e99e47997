"""Every statement of missions is one the database accepts, with one type per parameter."""

import re
from pathlib import Path

import asyncpg
import pytest

from adapters.postgres import QUERIES

FILE = Path(__file__).resolve().parents[2] / "adapters" / "queries" / "missions.sql"
NAMES = re.findall(r"^-- name: (\w+)", FILE.read_text(), re.MULTILINE)


@pytest.mark.timeout(120)
async def test_every_statement_can_be_prepared(database_url: str) -> None:
    """A misspelt column or a parameter of two types fails here and not in a mission."""
    connection = await asyncpg.connect(database_url, server_settings={"search_path": "deskhand,public"})
    faults = {}
    for name in NAMES:
        try:
            await connection.prepare(QUERIES[name])
        except asyncpg.PostgresError as fault:
            faults[name] = str(fault)
    await connection.close()
    assert faults == {}
