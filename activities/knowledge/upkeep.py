"""Keeps knowledge in order by the clock: vectors that are missing, stale word counts, what ran out, what was said
twice, and what contradicts what (P107). Nothing here lowers a confidence: age does that at reading time."""

import asyncio
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults, unexpected
from activities.knowledge.backfill import Backfill
from activities.knowledge.vectors import Reembedding
from activities.ports import Database, Embedder, Row, Transaction
from activities.steps.frame import heartbeats
from contracts.knowledge import UpkeepReport, UpkeepRequest
from domain.briefing.facts import Trust
from domain.knowledge.disagreement import contradict, shape
from domain.knowledge.duplicates import BITS, near_pairs
from domain.knowledge.entries import Relation

NEWEST: Final = 5_000
MOST_PAIRS: Final = 2_000


class KnowledgeUpkeep:
    """One round over all mailboxes. Each step may be repeated by any worker; a mailbox that fails stops no other."""

    def __init__(self, database: Database, embedder: Embedder | None, backfill: Backfill | None = None) -> None:
        self.database, self.embedder, self.backfill = database, embedder, backfill
        self._compared: dict[UUID, frozenset[UUID]] = {}

    @activity.defn(name="knowledge_upkeep")
    async def run(self, request: UpkeepRequest) -> UpkeepReport:
        """One round."""
        report = UpkeepReport()
        async with named_faults("knowledge_upkeep"), heartbeats():
            if self.backfill is not None:
                await self.backfill.look_after()
            async with self.database.transaction() as tx:
                mailboxes = [row["id"] for row in await tx.rows("knowledge_mailboxes")]
            for mailbox_id in mailboxes:
                report = _sum(report, await self._guarded(mailbox_id))
        return report

    async def _guarded(self, mailbox_id: UUID) -> UpkeepReport:
        try:
            return await self.keep(mailbox_id)
        except Exception as fault:
            unexpected("knowledge_upkeep", fault, final=False)
            return UpkeepReport(failed=1)

    async def keep(self, mailbox_id: UUID) -> UpkeepReport:
        """One mailbox. Raises the faults of database and embedder."""
        expired = await self._expire(mailbox_id)
        merged, contradictions = await self._compare(mailbox_id)
        await self._count_words(mailbox_id)
        vectors = await Reembedding(self.database, self.embedder).run(mailbox_id) if self.embedder else 0
        return UpkeepReport(vectors=vectors, expired=expired, merged=merged, contradictions=contradictions)

    async def _expire(self, mailbox_id: UUID) -> int:
        """What ran out was in no prompt since that moment; now it leaves the lists as well."""
        async with self.database.transaction(mailbox_id) as tx:
            return await tx.run("upkeep_expire", mailbox_id)

    async def _count_words(self, mailbox_id: UUID) -> None:
        async with self.database.transaction(mailbox_id) as tx:
            if await tx.value("knowledge_words_stale", mailbox_id):
                await tx.run("knowledge_count_words", mailbox_id)

    async def _compare(self, mailbox_id: UUID) -> tuple[int, int]:
        """Near pairs among the newest entries, looked for again only when there are other entries than last time."""
        async with self.database.transaction(mailbox_id) as tx:
            rows = {row["id"]: row for row in await tx.rows("upkeep_entries", mailbox_id, NEWEST)}
        if self._compared.get(mailbox_id) == frozenset(rows):
            return 0, 0
        pairs = await asyncio.to_thread(_near, rows)
        merged = contradictions = 0
        async with self.database.transaction(mailbox_id) as tx:
            for one, other, bits in pairs:
                twice, against = await _judge(tx, mailbox_id, rows[one], rows[other], bits)
                merged, contradictions = merged + twice, contradictions + against
        self._compared[mailbox_id] = frozenset(rows)
        return merged, contradictions


def _near(rows: Mapping[UUID, Row]) -> list[tuple[UUID, UUID, int]]:
    """Pairs of one scope; between two contacts nothing is compared (HW8)."""
    pairs = near_pairs({key: shape(row["content"]) for key, row in rows.items()})
    return [pair for pair in pairs if _share_a_scope(rows[pair[0]], rows[pair[1]])][:MOST_PAIRS]


def _share_a_scope(one: Row, other: Row) -> bool:
    return None in (one["contact_id"], other["contact_id"]) or one["contact_id"] == other["contact_id"]


async def _judge(tx: Transaction, mailbox_id: UUID, one: Row, other: Row, bits: int) -> tuple[int, int]:
    """One near pair: (merged, contradictions found)."""
    older, newer = sorted((one, other), key=lambda row: (row["created_at"], row["id"]))
    if contradict(older["content"], newer["content"]):
        sure = 1 - bits / BITS
        return 0, await _edge(tx, mailbox_id, newer, older, Relation.CONTRADICTS, sure)
    claims = older["trust"] == newer["trust"] == Trust.UNVERIFIED and older["contact_id"] == newer["contact_id"]
    if not claims or not await tx.run("upkeep_merge", mailbox_id, older["id"], newer["id"]):
        return 0, 0
    await _edge(tx, mailbox_id, newer, older, Relation.SUPERSEDES, 1.0)
    return 1, 0


async def _edge(tx: Transaction, mailbox_id: UUID, newer: Row, older: Row, relation: Relation, sure: float) -> int:
    contact = newer["contact_id"] or older["contact_id"]
    return await tx.run("upkeep_edge", mailbox_id, contact, newer["id"], older["id"], relation, sure)


def _sum(one: UpkeepReport, other: UpkeepReport) -> UpkeepReport:
    fields = UpkeepReport.model_fields
    return UpkeepReport(**{name: getattr(one, name) + getattr(other, name) for name in fields})
