"""Whether all ways of doing the same work really leave the same rows: walk, steps and counts, per message and table."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

# Of each table, the column that names the message. What only Deskhand writes is not compared: remembered commands,
# rate budgets and what the door keeps about events and deliveries.
TABLES = {
    "accepted_mail": "message_id",
    "parsed_mails": "message_id",
    "inbound_messages": "id",
    "lifecycle_events": "message_id",
    "agent_actions": "inbound_message_id",
    "step_outputs": "message_id",
    "draft_revisions": "message_id",
    "autonomy_decisions": "message_id",
    "llm_usage": "message_id",
    "ledger_entries": "message_id",
    "mail_ids": "ref_id",
    "contact_activities": "subject_id",
}
WALK = """
SELECT message_id, array_agg(from_status || '>' || to_status ORDER BY seq) AS found
FROM lifecycle_events WHERE message_id = ANY ($1) AND accepted GROUP BY message_id
"""
STEPS = """
SELECT inbound_message_id AS message_id, array_agg(action_type || ' ' || status ORDER BY action_type) AS found
FROM agent_actions WHERE inbound_message_id = ANY ($1) GROUP BY 1
"""
THREADS = """
SELECT m.id AS message_id, (SELECT count(*) FROM thread_participants p WHERE p.thread_id = m.thread_id) AS found
FROM inbound_messages m WHERE m.id = ANY ($1)
"""


class Shape(NamedTuple):
    """What one message left: status transitions in order, step rows, rows per table, participants of its thread."""

    walk: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    rows: tuple[tuple[str, int], ...] = ()
    participants: int = 0


async def shapes_of(sql: asyncpg.Pool, ids: Sequence[str]) -> Counter[Shape]:
    """How many of these messages have which shape; a message that left nothing has the empty one."""
    wanted = [UUID(each) for each in ids]
    walks, steps, threads = [await _by_message(sql, query, wanted) for query in (WALK, STEPS, THREADS)]
    counts = {table: await _counts(sql, table, column, wanted) for table, column in TABLES.items()}
    return Counter(
        Shape(
            walk=tuple(walks.get(each, ())),
            steps=tuple(steps.get(each, ())),
            rows=tuple((table, counted.get(each, 0)) for table, counted in counts.items()),
            participants=threads.get(each, 0),
        )
        for each in wanted
    )


async def _by_message(sql: asyncpg.Pool, query: str, ids: list[UUID]) -> dict[UUID, Any]:
    return {row["message_id"]: row["found"] for row in await sql.fetch(query, ids)}


async def _counts(sql: asyncpg.Pool, table: str, column: str, ids: list[UUID]) -> dict[UUID, int]:
    query = f"SELECT {column} AS id, count(*) AS n FROM {table} WHERE {column} = ANY ($1) GROUP BY 1"
    rows = await sql.fetch(query, ids)
    return {row["id"]: row["n"] for row in rows}


def difference(wanted: Shape, found: Counter[Shape]) -> str:
    """What differs from `wanted`, in words; empty if every message has exactly that shape."""
    odd = [(shape, count) for shape, count in found.items() if shape != wanted]
    return "; ".join(f"{count} messages: {_words(wanted, shape)}" for shape, count in odd)


def _words(wanted: Shape, shape: Shape) -> str:
    pairs = [pair for pair in zip(wanted._fields, wanted, shape, strict=True) if pair[1] != pair[2]]
    return ", ".join(f"{name} {_only(found, right)} instead of {_only(right, found)}" for name, right, found in pairs)


def _only(these: object, others: object) -> object:
    if not isinstance(these, tuple) or not isinstance(others, tuple):
        return these
    return [each for each in these if each not in others] or list(these)
