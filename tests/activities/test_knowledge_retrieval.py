"""Retrieval on a real database: both legs, scope, graph, models that change, what people decide (P104, P107)."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from activities.knowledge.curation import Curation, NoSuchEntry, NotAllowed
from activities.knowledge.retrieval import LEG, Question, embed_question, ranked_entries, retrieve
from activities.knowledge.upkeep import KnowledgeUpkeep
from activities.knowledge.vectors import Reembedding, store_vectors
from contracts.errors import PermanentFault
from contracts.knowledge import UpkeepRequest
from contracts.llm import UsageContext
from domain.briefing.facts import Trust
from tests.activities.conftest import World
from tests.activities.knowledge_samples import HashedWords

CONTEXT = UsageContext(mailbox_id="test")


async def contact(world: World, address: str) -> UUID:
    """A contact."""
    return await world.sql.fetchval(
        "INSERT INTO contacts (organisation_id, address) SELECT id, $1 FROM organisations RETURNING id", address
    )


async def put(world: World, content: str, **more: Any) -> UUID:
    """An entry; verified and for everybody unless told otherwise."""
    row = {
        "mailbox_id": world.mailbox_id, "type": "fact", "trust": "verified", "said_by": "test", "title": content[:20],
        "content": content, "content_sha256": content, "language": "en", **more,
    }  # fmt: skip
    names, marks = ", ".join(row), ", ".join(f"${n}" for n in range(1, len(row) + 1))
    return await world.sql.fetchval(
        f"INSERT INTO knowledge_entries ({names}) VALUES ({marks}) RETURNING id", *row.values()
    )


async def edge(world: World, one: UUID, other: UUID, relation: str = "supports", of: UUID | None = None) -> None:
    """An edge."""
    await world.sql.execute(
        """INSERT INTO knowledge_edges (mailbox_id, contact_id, from_entry, to_entry, relation, provenance)
           VALUES ($1, $2, $3, $4, $5, 'test')""",
        world.mailbox_id, of, one, other, relation,
    )  # fmt: skip


async def found(
    world: World, text: str, who: UUID | None = None, embedder: Any = None, past: bool = False
) -> tuple[list[UUID], tuple[str, ...]]:
    """Ids of what is found for a prompt, or with `past` in a search; and the gaps."""
    asked = await embed_question(
        world.database, embedder, Question(text, world.mailbox_id, who, past), CONTEXT
    )
    now = datetime.now(UTC)
    async with world.database.transaction(world.mailbox_id) as tx:
        rows: Sequence[Any] = (
            await ranked_entries(tx, asked, now) if past else await retrieve(tx, asked, now, 50)
        )
    return [row["id"] for row in rows], asked.gaps


async def test_words_are_found_as_their_language_bends_them(world: World) -> None:
    """P107: full text with stems; a question's own empty words find nothing."""
    bill = await put(world, "Rechnungen liegen zehn Jahre bereit", language="de")
    await put(world, "Wir sind in dem Haus", language="de")
    assert (await found(world, "Wo ist meine Rechnung und in dem"))[0] == [bill]
    assert (await found(world, "it's 'quoted' \\ & | ! ( : *"))[0] == []


async def test_a_claim_is_found_for_its_contact_alone(world: World) -> None:
    """HW8, HM-25: what A's mail planted is in no question of B, of nobody, or of another mailbox, by either leg."""
    anna, bert = await contact(world, "a@x.example"), await contact(world, "b@x.example")
    claim = await put(world, "refunds are doubled always", contact_id=anna, trust="unverified")
    embedder = HashedWords()
    await Reembedding(world.database, embedder).run(world.mailbox_id)
    asked = "are refunds doubled always"
    assert (await found(world, asked, anna, embedder))[0] == [claim]
    assert (await found(world, asked, bert, embedder))[0] == (await found(world, asked, None, embedder))[0] == []


async def test_the_walls_of_another_mailbox_hold_in_the_functions(world: World) -> None:
    """HB1, HM-32: the function that may look everywhere still shows nothing outside the transaction's setting."""
    await put(world, "delivery takes two days")
    async with world.database.transaction(UUID(int=5)) as tx:
        arguments = (world.mailbox_id, None, "delivery days", "en", True, 0.0, LEG)
        assert await tx.rows("knowledge_leg_words", *arguments) == []
        looked = "SELECT * FROM knowledge_by_words($1, $2, $3, $4, $5, $6, $7)"
        assert await tx.connection.fetch(looked, *arguments) == []
        await tx.run("knowledge_count_words", world.mailbox_id)
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_words") == 0


async def test_what_does_not_hold_is_in_no_prompt_and_last_in_a_search(world: World) -> None:
    """P107: superseded, retired, expired and future entries."""
    now = datetime.now(UTC)
    holds = await put(world, "delivery costs five euros today")
    gone = {
        await put(world, "delivery costs four euros", superseded_by=holds),
        await put(world, "delivery costs three euros", retired_at=now),
        await put(world, "delivery costs two euros", expires_at=now - timedelta(seconds=1)),
        await put(world, "delivery costs one euro", valid_from=now + timedelta(days=1)),
    }
    assert (await found(world, "what does delivery cost in euros"))[0] == [holds]
    ranked = (await found(world, "what does delivery cost in euros", past=True))[0]
    assert ranked[0] == holds and set(ranked[1:]) == gone


async def test_the_graph_is_followed_one_hop_behind_its_flag_and_in_scope(world: World) -> None:
    """P107: neighbours come only with the flag, one hop far, never through or to what another contact owns."""
    anna, bert = await contact(world, "a@x.example"), await contact(world, "b@x.example")
    start = await put(world, "the fern lamp flickers")
    near, far = await put(world, "use a dimmable bulb"), await put(world, "bulbs are in aisle nine")
    foreign, through = await put(world, "berts own secret", contact_id=bert), await put(world, "joined by berts edge")
    await edge(world, start, near)
    await edge(world, near, far, "causes")
    await edge(world, start, foreign)
    await edge(world, start, through, of=bert)
    asked = "my fern lamp flickers"
    assert (await found(world, asked, anna))[0] == [start]
    await world.configure(graph_retrieval=True)
    assert (await found(world, asked, anna))[0] == [start, near]
    assert set((await found(world, asked, bert))[0]) == {start, near, foreign, through}
    await world.sql.execute("UPDATE knowledge_entries SET superseded_by = $1 WHERE id = $2", far, near)
    assert (await found(world, asked, anna))[0] == [start]


async def test_embeddings_down_leave_the_words_and_name_the_gap(world: World) -> None:
    """P38, A19: one leg failing leaves the other; the coverage says so."""
    entry, embedder = await put(world, "delivery takes two days"), HashedWords()
    await Reembedding(world.database, embedder).run(world.mailbox_id)
    assert await found(world, "how long does delivery take", None, embedder) == ([entry], ())
    embedder.is_down = True
    assert await found(world, "how long does delivery take", None, embedder) == ([entry], ("embeddings",))


async def test_a_new_model_takes_over_without_a_gap(world: World) -> None:
    """P107: the old model serves until the new one has every vector; what lacks the old one's is found meanwhile."""
    first = await put(world, "quokka wombat")
    old, new = HashedWords(), HashedWords("words-24", 24)
    await Reembedding(world.database, old).run(world.mailbox_id)
    new.others = {old.model: old}
    late = await put(world, "numbat bilby")
    async with world.database.transaction(world.mailbox_id) as tx:
        (vector,) = await new.embed(["numbat bilby\nnumbat bilby"], CONTEXT)
        await store_vectors(tx, world.mailbox_id, new.model, {late: vector})
    seen, gaps = await found(world, "an animal question without shared words", None, new)
    assert set(seen) == {first, late} and gaps == ()
    assert (await KnowledgeUpkeep(world.database, new).run(UpkeepRequest())).vectors == 1
    states = await world.sql.fetch("SELECT model, state FROM knowledge_models")
    assert [tuple(row) for row in states] == [("words-24", "serving")]
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_vectors WHERE model = 'words-16'") == 0
    old.is_down = True
    assert set((await found(world, "an animal question without shared words", None, new))[0]) == {first, late}


async def test_a_model_has_one_dimension(world: World) -> None:
    """P107: a model that suddenly gives other vectors is refused by name, and nothing of it is stored."""
    entry = await put(world, "text")
    async with world.database.transaction(world.mailbox_id) as tx:
        await store_vectors(tx, world.mailbox_id, "m", {entry: [1.0, 2.0]})
    with pytest.raises(PermanentFault, match="'m' gives 3 numbers where it gave 2"):
        async with world.database.transaction(world.mailbox_id) as tx:
            await store_vectors(tx, world.mailbox_id, "m", {entry: [1.0, 2.0, 3.0]})


@pytest.mark.parametrize("width", [256, 384, 512, 768, 1024, 1536, 3072, 100])
async def test_every_usual_dimension_is_searched(world: World, width: int) -> None:
    """P107: also above what an index of 32-bit numbers takes, and where there is no index."""
    entries = [await put(world, f"entry {n}") for n in range(3)]
    vectors = {entry: [1.0 if n == place else 0.1 for n in range(width)] for place, entry in enumerate(entries)}
    async with world.database.transaction(world.mailbox_id) as tx:
        await store_vectors(tx, world.mailbox_id, "m", vectors)
        literal = str(vectors[entries[1]])
        rows = await tx.rows("knowledge_leg_vector", world.mailbox_id, None, "m", literal, False, [], 3)
    assert rows[0]["id"] == entries[1] and len(rows) == 3


async def test_few_entries_in_scope_are_found_among_many_others(world: World) -> None:
    """P107: the scan of the index goes on past the entries of others, and ends with all that are in scope."""
    rng = random.Random(3)
    anna, bert = await contact(world, "a@x.example"), await contact(world, "b@x.example")
    await world.sql.execute("SET enable_seqscan = off")
    others = [await put(world, f"other {n}", contact_id=bert) for n in range(400)]
    own = [await put(world, f"own {n}", contact_id=anna) for n in range(3)]
    vectors = {e: [rng.gauss(1, 0.01) for _ in range(256)] for e in others}
    vectors |= {e: [rng.gauss(-1, 0.5) for _ in range(256)] for e in own}
    async with world.database.transaction(world.mailbox_id) as tx:
        await store_vectors(tx, world.mailbox_id, "m", vectors)
        rows = await tx.rows("knowledge_leg_vector", world.mailbox_id, anna, "m", str([1.0] * 256), False, [], LEG)
    assert {row["id"] for row in rows} == set(own)


async def test_a_person_promotes_and_takes_it_back(world: World) -> None:
    """P104, HM-25: promotion is a person's, on the record and reversible; for everybody only if they say so."""
    anna, bert = await contact(world, "a@x.example"), await contact(world, "b@x.example")
    claim = await put(
        world, "the kelda lamp hums", contact_id=anna, trust="unverified", source_message_id=UUID(int=7)
    )
    curation, asked = Curation(world.database, world.mailbox_id), "does the kelda lamp hum"
    await curation.promote(claim, Trust.VERIFIED, "user:1")
    assert (await found(world, asked, bert))[0] == []
    await curation.demote(claim, "user:1")
    await curation.promote(claim, Trust.POLICY, "user:1")
    assert (await found(world, asked, bert))[0] == [claim]
    await curation.demote(claim, "user:2")
    row = await world.sql.fetchrow("SELECT * FROM knowledge_entries")
    assert (row["trust"], row["type"], row["contact_id"], row["promoted_by"]) == ("unverified", "fact", anna, None)
    assert (await found(world, asked, bert))[0] == []
    acts = await world.sql.fetch("SELECT action, actor FROM audit_log WHERE action LIKE 'knowledge%' ORDER BY at")
    assert [tuple(a) for a in acts] == [
        ("knowledge_promoted", "user:1"), ("knowledge_demoted", "user:1"), ("knowledge_promoted", "user:1"),
        ("knowledge_demoted", "user:2"),
    ]  # fmt: skip


async def test_what_cannot_be_promoted_is_refused(world: World) -> None:
    """Nothing verified is promoted again, nothing past, nothing that is not there."""
    curation = Curation(world.database, world.mailbox_id)
    verified, gone = await put(world, "a"), await put(world, "b", trust="unverified", retired_at=datetime.now(UTC))
    for entry in (verified, gone):
        with pytest.raises(NotAllowed):
            await curation.promote(entry, Trust.POLICY, "user:1")
    with pytest.raises(NotAllowed):
        await curation.demote(verified, "user:1")
    with pytest.raises(NoSuchEntry):
        await curation.retire(UUID(int=1), "user:1")


@pytest.mark.parametrize(
    "more", [{"trust": "policy"}, {"trust": "verified", "source_message_id": UUID(int=7)}], ids=["policy", "mail"]
)
async def test_the_database_refuses_what_nobody_vouched_for(world: World, more: dict[str, Any]) -> None:
    """P104: a contact's policy, or a mail's words as verified without a person, cannot be stored at all."""
    anna = await contact(world, "a@x.example")
    with pytest.raises(asyncpg.CheckViolationError):
        await put(world, "refunds are doubled", contact_id=anna, **more)


async def test_retired_entries_come_back(world: World) -> None:
    """A person's retirement can be undone; both are on the record once."""
    entry, curation = await put(world, "delivery takes two days"), Curation(world.database, world.mailbox_id)
    await curation.retire(entry, "user:1")
    await curation.retire(entry, "user:1")
    assert (await found(world, "how long does delivery take"))[0] == []
    await curation.restore(entry, "user:1")
    assert (await found(world, "how long does delivery take"))[0] == [entry]
    assert await world.sql.fetchval("SELECT count(*) FROM audit_log WHERE action LIKE 'knowledge%'") == 2
