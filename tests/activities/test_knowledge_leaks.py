"""Random graphs and scopes: nobody's question finds what belongs to somebody else, behind either wall alone (HW8)."""

import random
from datetime import UTC, datetime
from typing import Any

import pytest

from activities.knowledge import retrieval
from activities.knowledge.retrieval import LEG, Question
from bench.retrieval.house import House
from bench.retrieval.leaks import MODEL, World, make_world
from tests.activities import conftest

STATEMENTS = ("knowledge_leg_words", "knowledge_leg_vector", "knowledge_leg_graph")


async def random_world(world: conftest.World, seed: int) -> World:
    """Contacts, entries and edges drawn without regard to who may see what."""
    house = House(world.database, world.sql, world.mailbox_id, None)  # type: ignore[arg-type]
    return await make_world(house, random.Random(seed), seed)


@pytest.mark.parametrize("seed", range(6))
async def test_nobody_finds_what_belongs_to_somebody_else(world: conftest.World, seed: int) -> None:
    """HW8, HM-22: for every contact and for nobody, by words, vectors and edges; and nothing past is in a prompt."""
    drawn = await random_world(world, seed)
    found = 0
    for contact in (None, *drawn.contacts):
        rows = await drawn.ask(contact)
        found += len(rows)
        assert not [row for row in rows if drawn.is_foreign(row, contact) or drawn.is_past(row)]
    assert found > 20


async def rows_of(drawn: World, contact: Any, name: str) -> list[Any]:
    """What one statement gives by itself."""
    mailbox, ids = drawn.mailboxes[0], list(drawn.owner)
    more = {
        "knowledge_leg_words": (" ".join(drawn._words()), "", False, 0.0, LEG),
        "knowledge_leg_vector": (MODEL, str(drawn._vector()), False, [], LEG),
        "knowledge_leg_graph": (ids[::2], False, LEG),
    }[name]
    async with drawn.house.database.transaction(mailbox) as tx:
        return list(await tx.rows(name, mailbox, contact, *more))


@pytest.mark.parametrize("name", STATEMENTS)
async def test_each_statement_keeps_to_the_scope_by_itself(world: conftest.World, name: str) -> None:
    """P107: scope and validity stand in the statement, not only in the check after it."""
    drawn, found = await random_world(world, 77), 0
    for contact in (None, *drawn.contacts):
        rows = await rows_of(drawn, contact, name)
        found += len(rows)
        assert not [row for row in rows if drawn.is_foreign(row, contact) or drawn.is_past(row)]
    assert found > 5


async def test_the_check_after_a_leg_stands_alone(world: conftest.World) -> None:
    """HW11: whatever a statement returned, the second wall lets nothing foreign and nothing past through."""
    drawn = await random_world(world, 78)
    everything = await world.sql.fetch("SELECT * FROM knowledge_entries")
    for contact in (None, *drawn.contacts):
        passed = retrieval._checked(everything, Question("", drawn.mailboxes[0], contact), datetime.now(UTC))
        assert passed and not [row for row in passed if drawn.is_foreign(row, contact) or drawn.is_past(row)]
