"""What people do with entries: look, promote a claim, take the promotion back, retire; each on the record (P104)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from activities.knowledge.retrieval import Asked, ranked_entries
from activities.ports import Database, Row, Transaction
from contracts.errors import DeskhandError
from domain.briefing.facts import Trust
from domain.knowledge.citations import Citation, citations_of
from domain.knowledge.entries import is_past

PAGE: Final = 50


class NoSuchEntry(DeskhandError):
    """There is no such entry in this mailbox."""


class NotAllowed(DeskhandError):
    """The entry cannot be changed like this; the message says why."""


class Curation:
    """The knowledge of one mailbox as people see it."""

    def __init__(self, database: Database, mailbox_id: UUID) -> None:
        self.database, self.mailbox_id = database, mailbox_id

    async def page(
        self, after: tuple[str, UUID] = ("", UUID(int=0)), *, trust: str = "", past: bool = False, most: int = PAGE
    ) -> list[dict[str, Any]]:
        """Entries by title, from after one of them on. `trust` narrows, `past` adds what no longer holds."""
        async with self.database.transaction(self.mailbox_id) as tx:
            rows = await tx.rows("knowledge_list", self.mailbox_id, *after, most, trust, past)
            return await self._with_places(tx, rows)

    async def search(self, asked: Asked, now: datetime, most: int) -> list[dict[str, Any]]:
        """What is found for a question, best first, what no longer holds last and marked."""
        async with self.database.transaction(self.mailbox_id) as tx:
            rows = (await ranked_entries(tx, asked, now))[:most]
            shown = {row["id"]: dict(row) for row in await tx.rows("knowledge_shown", [row["id"] for row in rows])}
            return await self._with_places(tx, [{**_flags(row, now), **shown[row["id"]]} for row in rows])

    async def _with_places(self, tx: Transaction, rows: Sequence[Row]) -> list[dict[str, Any]]:
        places = citations_of(await tx.rows("knowledge_places", [row["id"] for row in rows]))
        return [{**row, "places": places.get(row["id"], [])} for row in rows]

    async def places(self, entry_ids: Sequence[UUID]) -> dict[UUID, list[Citation]]:
        """Where entries stand in the team's documents."""
        async with self.database.transaction(self.mailbox_id) as tx:
            return citations_of(await tx.rows("knowledge_places", list(entry_ids)))

    async def counts(self) -> dict[str, int]:
        """Current entries by trust."""
        async with self.database.transaction(self.mailbox_id) as tx:
            return dict(await tx.must("knowledge_counts", self.mailbox_id))

    async def contradictions(self, most: int = PAGE) -> list[dict[str, Any]]:
        """Pairs that nearly say the same and differ in a figure or a `not`, newest first, until they are settled."""
        async with self.database.transaction(self.mailbox_id) as tx:
            return [dict(row) for row in await tx.rows("knowledge_contradictions", self.mailbox_id, most)]

    async def settle(self, pair_id: UUID, actor: str) -> None:
        """A person looked and lets both stand. Raises NoSuchEntry."""
        async with self.database.transaction(self.mailbox_id) as tx:
            if not await tx.run("knowledge_contradiction_settle", self.mailbox_id, pair_id, actor):
                raise NoSuchEntry("There is no such pair.")
            subject = f"contradiction/{pair_id}"
            await tx.run("knowledge_audit", self.mailbox_id, actor, "contradiction_settled", subject, None, None)

    async def promote(self, entry_id: UUID, trust: Trust, actor: str, *, for_everybody: bool = False) -> None:
        """A person vouches for a claim. For everybody only if they say so; a policy always is for everybody.

        Raises NoSuchEntry, NotAllowed.
        """
        async with self.database.transaction(self.mailbox_id) as tx:
            entry = await self._entry(tx, entry_id)
            if entry["trust"] != Trust.UNVERIFIED or trust == Trust.UNVERIFIED:
                raise NotAllowed("Only a claim can be promoted, to verified or to policy.")
            if entry["superseded_by"] or entry["retired_at"]:
                raise NotAllowed("What no longer holds cannot be promoted.")
            contact = None if for_everybody or trust == Trust.POLICY else entry["contact_id"]
            await tx.run("knowledge_promote", self.mailbox_id, entry_id, trust, contact, actor)
            await self._audit(tx, actor, "knowledge_promoted", entry, {"trust": trust, "contact_id": contact})

    async def demote(self, entry_id: UUID, actor: str) -> None:
        """Takes a promotion back: type, trust and scope are as before it. Raises NoSuchEntry, NotAllowed."""
        async with self.database.transaction(self.mailbox_id) as tx:
            entry = await self._entry(tx, entry_id)
            before = await tx.value("knowledge_last_promotion", self.mailbox_id, _subject(entry_id))
            if entry["promoted_at"] is None or before is None:
                raise NotAllowed("Only a promoted claim can be taken back.")
            contact = UUID(before["contact_id"]) if before["contact_id"] else None
            await tx.run("knowledge_demote", self.mailbox_id, entry_id, before["type"], contact)
            await self._audit(tx, actor, "knowledge_demoted", entry, before)

    async def retire(self, entry_id: UUID, actor: str) -> None:
        """Keeps an entry out of every prompt from now on. Raises NoSuchEntry."""
        async with self.database.transaction(self.mailbox_id) as tx:
            entry = await self._entry(tx, entry_id)
            if await tx.run("knowledge_retire", self.mailbox_id, entry_id):
                await self._audit(tx, actor, "knowledge_retired", entry, {"retired": True})

    async def restore(self, entry_id: UUID, actor: str) -> None:
        """Undoes `retire`. Raises NoSuchEntry."""
        async with self.database.transaction(self.mailbox_id) as tx:
            entry = await self._entry(tx, entry_id)
            if await tx.run("knowledge_restore", self.mailbox_id, entry_id):
                await self._audit(tx, actor, "knowledge_restored", entry, {"retired": False})

    async def _entry(self, tx: Transaction, entry_id: UUID) -> Row:
        entry = await tx.one("knowledge_entry", self.mailbox_id, entry_id)
        if entry is None:
            raise NoSuchEntry("There is no such entry.")
        return entry

    async def _audit(self, tx: Transaction, actor: str, action: str, entry: Row, after: Mapping[str, Any]) -> None:
        """The text itself stays out of the audit log."""
        contact = str(entry["contact_id"]) if entry["contact_id"] else None
        before = {"trust": entry["trust"], "type": entry["type"], "contact_id": contact}
        plain = {name: None if value is None else str(value) for name, value in after.items()}
        await tx.run("knowledge_audit", self.mailbox_id, actor, action, _subject(entry["id"]), before, plain)


def _subject(entry_id: UUID) -> str:
    return f"knowledge/{entry_id}"


def _flags(row: Row, now: datetime) -> dict[str, Any]:
    gone = {"superseded": row["superseded_by"] is not None, "retired": row["retired_at"] is not None}
    return {**row, **gone, "expired": is_past(row, now) and not any(gone.values())}
