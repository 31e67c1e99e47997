"""Retrieval at 100,000 entries of one mailbox, a tenth of them claims of single contacts; the plans are shown.

The vectors are drawn around 2,000 topics, as those of real texts are; embedding 100,000 texts would only take time.
"""

import os
import random
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import numpy as np

from activities.knowledge.ports import literal
from activities.knowledge.retrieval import Asked, Question, retrieve
from adapters.llm.embeddings import OFFLINE_DIMENSIONS
from bench.retrieval.house import House
from bench.retrieval.words import paragraph, word

ENTRIES: Final = int(os.environ.get("BENCH_ENTRIES", "100000"))
TOPICS: Final = 2_000
CONTACTS: Final = 1_000
ASKED: Final = 200
PLAN_WIDTH: Final = 150
BATCH: Final = 2_000
MODEL: Final = "bench-vectors"

Row = tuple[str, str, UUID | None, str]
Vectors = Any
INDEX: Final = "knowledge_vectors_512"


async def measure(house: House) -> dict[str, float]:
    """Median, p95 and p99 of `retrieve`, embedding of the question not included, in milliseconds."""
    rng = random.Random(11)
    numbers = np.random.default_rng(11)
    topics = numbers.normal(size=(TOPICS, OFFLINE_DIMENSIONS))
    topics /= np.linalg.norm(topics, axis=1, keepdims=True)
    contacts = await _contacts(house)
    began = time.monotonic()
    await _fill(house, rng, numbers, topics, contacts)
    filled_s = time.monotonic() - began
    took = [await _ask(house, rng, _near(numbers, topics), contacts) for _ in range(ASKED)]
    await _show_plans(house, _near(numbers, topics))
    took.sort()
    return {
        "retrieval_entries": await house.sql.fetchval("SELECT count(*) FROM knowledge_vectors"),
        "retrieval_fill_s": filled_s,
        "retrieval_p50_ms": took[len(took) // 2],
        "retrieval_p95_ms": took[int(len(took) * 0.95)],
        "retrieval_p99_ms": took[int(len(took) * 0.99)],
    }


def _near(numbers: Any, topics: Vectors) -> list[float]:
    near: list[float] = (topics[numbers.integers(TOPICS)] + numbers.normal(0, 0.03, OFFLINE_DIMENSIONS)).tolist()
    return near


async def _contacts(house: House) -> list[UUID]:
    rows = await house.sql.fetch(
        """INSERT INTO contacts (organisation_id, address) SELECT o.id, 'c' || n || '@bench.example'
           FROM organisations o, generate_series(1, $1) n RETURNING id""",
        CONTACTS,
    )
    return [row["id"] for row in rows]


async def _fill(house: House, rng: random.Random, numbers: Any, topics: Vectors, contacts: list[UUID]) -> None:
    """The index of the vectors is made once at the end, by its own definition: inserting one by one takes longer."""
    definition = await house.sql.fetchval("SELECT pg_get_indexdef($1::regclass)", INDEX)
    await house.sql.execute(f"DROP INDEX {INDEX}")
    await house.sql.execute(
        "INSERT INTO knowledge_models (mailbox_id, model, dimensions, state) VALUES ($1, $2, $3, 'serving')",
        house.mailbox_id, MODEL, OFFLINE_DIMENSIONS,
    )  # fmt: skip
    for start in range(0, ENTRIES, BATCH):
        await _fill_some(house, list(_rows(rng, numbers, topics, contacts, start)))
    await house.sql.execute("SET maintenance_work_mem = '512MB'; SET max_parallel_maintenance_workers = 1")
    await house.sql.execute(definition)
    async with house.database.transaction(house.mailbox_id) as tx:
        await tx.run("knowledge_count_words", house.mailbox_id)
    await house.sql.execute("ANALYZE knowledge_entries; ANALYZE knowledge_vectors")


def _rows(
    rng: random.Random, numbers: Any, topics: Vectors, contacts: list[UUID], start: int
) -> Iterator[Row]:
    for number in range(start, min(start + BATCH, ENTRIES)):
        contact = rng.choice(contacts) if number % 10 == 0 else None
        yield f"Entry {number}", paragraph(rng, 50), contact, literal(_near(numbers, topics))


async def _fill_some(house: House, rows: list[Row]) -> None:
    titles, contents, contacts, vectors = map(list, zip(*rows, strict=True))
    await house.sql.execute(
        """WITH put AS (
            INSERT INTO knowledge_entries (mailbox_id, contact_id, type, trust, said_by, language, title, content,
                content_sha256)
            SELECT $1, t.c, 'faq', CASE WHEN t.c IS NULL THEN 'verified' ELSE 'unverified' END, 'bench', 'en', t.t, t.b,
                md5(t.b)
            FROM unnest($2::text[], $3::text[], $4::uuid[]) t (t, b, c) RETURNING id, title)
        INSERT INTO knowledge_vectors (entry_id, model, mailbox_id, dimensions, embedding)
        SELECT put.id, $6, $1, $7, v.e::vector
        FROM unnest($2::text[], $5::text[]) v (t, e) JOIN put ON put.title = v.t""",
        house.mailbox_id, titles, contents, contacts, vectors, MODEL, OFFLINE_DIMENSIONS,
    )  # fmt: skip


async def _ask(house: House, rng: random.Random, vector: list[float], contacts: list[UUID]) -> float:
    question = Question(paragraph(rng, 14), house.mailbox_id, rng.choice(contacts))
    asked = Asked(question, {MODEL: vector})
    began = time.perf_counter()
    async with house.database.transaction(house.mailbox_id) as tx:
        found = await retrieve(tx, asked, datetime.now(UTC), 10)
    took_ms = (time.perf_counter() - began) * 1000
    if len(found) != 10:
        raise ValueError(f"only {len(found)} entries were found")
    return took_ms


async def _show_plans(house: House, asked: list[float]) -> None:
    """The plans of the statements inside the two functions, to standard error."""
    async with house.database.transaction(house.mailbox_id) as tx:
        run = tx.connection
        await run.execute("SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.ef_search = 60")
        near = literal(asked)
        vector = await run.fetch(
            f"""EXPLAIN (ANALYZE, COSTS OFF, BUFFERS OFF) SELECT v.entry_id FROM knowledge_vectors v
            JOIN knowledge_entries k ON k.id = v.entry_id
            WHERE v.dimensions = 512 AND v.model = '{MODEL}' AND v.mailbox_id = '{house.mailbox_id}'
                AND k.mailbox_id = '{house.mailbox_id}' AND k.contact_id IS NULL AND k.superseded_by IS NULL
                AND k.retired_at IS NULL ORDER BY v.embedding::vector(512) <=> '{near}'::vector(512) LIMIT 30"""
        )
    text = await house.sql.fetch(
        f"""EXPLAIN (ANALYZE, COSTS OFF, BUFFERS OFF) SELECT k.id FROM knowledge_entries k
        WHERE k.search @@ plainto_tsquery('english', '{word(2000)}')
            AND k.mailbox_id = '{house.mailbox_id}' LIMIT 2000"""
    )
    for line in (*vector, *text):
        print(line[0][:PLAN_WIDTH], file=sys.stderr)
