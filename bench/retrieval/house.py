"""A Postgres of its own with the schema and one mailbox, gone afterwards."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import asyncpg

from adapters.knowledge import find_mailbox
from adapters.llm.embeddings import OfflineEmbedder
from adapters.postgres import Database
from adapters.usage import UsageLedger
from cli.stack.first_start import set_up
from cli.stack.ports import spare_ports
from cli.stack.postgres import OWNER, Postgres
from cli.stack.schema import apply_schema
from cli.stack.state import StateDir


@dataclass
class House:
    """What the measurements work with. `sql` is the owner, whom row-level security does not bind."""

    database: Database
    sql: asyncpg.Connection
    mailbox_id: UUID
    embedder: OfflineEmbedder


def silent(words: str) -> None:
    """Nothing is printed but numbers."""


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    """Starts everything; takes a few seconds."""
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
        state = StateDir(Path(folder) / "state")
        state.create()
        postgres = Postgres(state, spare_ports().postgres_port, durable=False, say=silent)
        await postgres.start()
        try:
            await apply_schema(postgres.url(OWNER))
            await set_up(postgres.url(), "support@bench.example", "bench", True)
            async with _open(postgres) as opened:
                yield opened
        finally:
            await postgres.stop(hurry=True)


@asynccontextmanager
async def _open(postgres: Postgres) -> AsyncIterator[House]:
    database = await Database.connect(postgres.url(), most=4, name="bench", statement_timeout_ms=600_000)
    sql = await asyncpg.connect(postgres.url(OWNER), server_settings={"search_path": "deskhand,public"})
    try:
        mailbox_id, _ = await find_mailbox(database, None)
        yield House(database, sql, mailbox_id, OfflineEmbedder(UsageLedger(database)))
    finally:
        await sql.close()
        await database.close()
