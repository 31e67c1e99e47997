"""Looking at Postgres for what became of messages; light, since looking takes from the machine that is measured."""

import asyncio
import time
from collections.abc import Sequence
from uuid import UUID

import asyncpg

LOOK_EVERY_S = 0.02
DRAFT_READY_AT = """
SELECT message_id, extract(epoch FROM at)::float8 AS at FROM lifecycle_events
WHERE message_id = ANY ($1::uuid[]) AND to_status = 'draft_ready' AND accepted
"""
HOW_MANY = "SELECT count(DISTINCT message_id) FROM lifecycle_events WHERE to_status = 'draft_ready' AND accepted"


class TooSlow(Exception):
    """The time was over before everything was done; the text says how far it came."""


async def draft_ready_at(sql: asyncpg.Pool, message_ids: Sequence[str | UUID]) -> dict[str, float]:
    """When each that has a draft got it, in seconds since the epoch: the start of the transaction that did it."""
    rows = await sql.fetch(DRAFT_READY_AT, [UUID(str(each)) for each in message_ids])
    return {str(row["message_id"]): row["at"] for row in rows}


async def until_draft_ready(
    sql: asyncpg.Pool, message_ids: Sequence[str | UUID], within_s: float, every_s: float = LOOK_EVERY_S
) -> dict[str, float]:
    """Wait until all of them have a draft. TooSlow after `within_s`."""
    deadline = time.monotonic() + within_s
    while len(found := await draft_ready_at(sql, message_ids)) < len(message_ids):
        if time.monotonic() > deadline:
            raise TooSlow(f"{len(found)} of {len(message_ids)} messages had a draft after {within_s:g} s")
        await asyncio.sleep(every_s)
    return found


async def how_many_ready(sql: asyncpg.Pool) -> int:
    """How many messages ever got a draft."""
    return int(await sql.fetchval(HOW_MANY))
