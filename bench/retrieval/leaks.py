"""Who sees what: random entries of random contacts, joined by random edges, asked for by everybody (HW8, HW11).

Every statement of the retrieval runs as in production, the graph leg too; an entry of one contact in what another one's
question finds is a leak, and so is one of another mailbox.
"""

import random
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from activities.knowledge.retrieval import Asked, Question, ranked_entries, retrieve
from activities.knowledge.vectors import store_vectors
from bench.retrieval.house import House
from bench.retrieval.words import word
from domain.knowledge.entries import Relation

WORLDS: Final = 60
CONTACTS: Final = 5
ENTRIES: Final = 40
EDGES: Final = 120
WIDTH: Final = 8
MODEL: Final = "leak-vectors"


async def measure(house: House) -> dict[str, float]:
    """Leaks over all worlds, and how many entries were looked at."""
    found = leaked = past = 0
    for seed in range(WORLDS):
        world = await make_world(house, random.Random(seed), seed)
        for contact in (None, *world.contacts):
            rows = await world.ask(contact)
            found += len(rows)
            leaked += sum(world.is_foreign(row, contact) for row in rows)
            past += sum(world.is_past(row) for row in rows)
    return {
        "cross_contact_leaks": leaked,
        "past_entries_in_prompts": past,
        "leak_worlds": WORLDS,
        "leak_entries_found": found,
    }


class World:
    """One random set of contacts, entries and edges; `owner` remembers whose each entry is, apart from the database."""

    def __init__(self, house: House, rng: random.Random, contacts: list[UUID], mailboxes: list[UUID]) -> None:
        self.house, self.rng, self.contacts, self.mailboxes = house, rng, contacts, mailboxes
        self.owner: dict[UUID, tuple[UUID, UUID | None]] = {}
        self.gone: set[UUID] = set()

    async def ask(self, contact: UUID | None) -> list[Any]:
        """Everything a question of this contact finds, in prompts and in the ranking behind it."""
        mailbox = self.mailboxes[0]
        asked = Asked(Question(" ".join(self._words()), mailbox, contact), {MODEL: self._vector()})
        now = datetime.now(UTC)
        async with self.house.database.transaction(mailbox) as tx:
            return [*await retrieve(tx, asked, now, 50), *await ranked_entries(tx, asked, now)]

    def is_foreign(self, row: Any, contact: UUID | None) -> bool:
        """Whether the entry belongs to somebody else."""
        mailbox, owner = self.owner[row["id"]]
        return mailbox != self.mailboxes[0] or owner not in (None, contact)

    def is_past(self, row: Any) -> bool:
        """Whether the entry does not hold any more."""
        return row["id"] in self.gone

    def _words(self) -> list[str]:
        return [word(self.rng.randrange(12)) for _ in range(6)]

    def _vector(self) -> list[float]:
        return [self.rng.gauss(0, 1) for _ in range(WIDTH)]

    async def fill(self) -> None:
        """Entries and edges, drawn without regard to who may see what."""
        for _ in range(ENTRIES):
            await self._entry()
        ids = list(self.owner)
        for _ in range(EDGES):
            await self._edge(*self.rng.sample(ids, 2))

    async def _entry(self) -> None:
        mailbox = self.rng.choice([self.mailboxes[0], self.mailboxes[0], self.mailboxes[1]])
        contact = self.rng.choice([None, *self.contacts])
        text, fate = " ".join(self._words()), self.rng.choice(["", "", "", "expired", "retired", "future"])
        now = datetime.now(UTC)
        entry_id: UUID = await self.house.sql.fetchval(
            """INSERT INTO knowledge_entries (mailbox_id, contact_id, type, trust, said_by, title, content,
                content_sha256, expires_at, retired_at, valid_from)
               VALUES ($1, $2, 'fact', 'unverified', 'bench', $3, $3, $4, $5, $6, $7) RETURNING id""",
            mailbox, contact, text, str(self.rng.random()), now - timedelta(days=1) if fate == "expired" else None,
            now if fate == "retired" else None, now + timedelta(days=1) if fate == "future" else None,
        )  # fmt: skip
        self.owner[entry_id] = (mailbox, contact)
        if fate:
            self.gone.add(entry_id)
        async with self.house.database.transaction(mailbox) as tx:
            await store_vectors(tx, mailbox, MODEL, {entry_id: self._vector()})

    async def _edge(self, one: UUID, other: UUID) -> None:
        mailbox, contact = self.owner[one][0], self.rng.choice([None, *self.contacts])
        await self.house.sql.execute(
            """INSERT INTO knowledge_edges (mailbox_id, contact_id, from_entry, to_entry, relation, provenance)
               VALUES ($1, $2, $3, $4, $5, 'bench') ON CONFLICT DO NOTHING""",
            mailbox, contact, one, other, str(self.rng.choice(list(Relation))),
        )  # fmt: skip


async def make_world(house: House, rng: random.Random, number: int) -> World:
    """Two mailboxes of their own, five contacts, forty entries and a hundred and twenty edges; the graph leg is on."""
    rows = await house.sql.fetch(
        """INSERT INTO mailboxes (organisation_id, address) SELECT o.id, 'm' || $1::int || '-' || n || '@bench.example'
           FROM organisations o, generate_series(1, 2) n RETURNING id""",
        number,
    )
    people = await house.sql.fetch(
        """INSERT INTO contacts (organisation_id, address) SELECT o.id, 'w' || $1::int || '-' || n || '@bench.example'
           FROM organisations o, generate_series(1, $2::int) n RETURNING id""",
        number, CONTACTS,
    )  # fmt: skip
    world = World(house, rng, [p["id"] for p in people], [r["id"] for r in rows])
    await house.sql.execute("INSERT INTO agent_config (mailbox_id, graph_retrieval) VALUES ($1, true)", rows[0]["id"])
    await world.fill()
    return world
