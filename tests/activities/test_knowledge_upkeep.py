"""Upkeep: what ran out, what was said twice, what contradicts; and age that lowers nothing for good (P107)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from activities.knowledge.curation import Curation
from activities.knowledge.upkeep import KnowledgeUpkeep
from contracts.knowledge import UpkeepRequest
from domain.knowledge.duplicates import fingerprint
from domain.knowledge.entries import confidence_at
from tests.activities.conftest import World, mail_bytes

TEXT = (
    "The customer runs a small hotel with twelve rooms near the harbour and buys lamps of the Fjord series for every "
    "room once a year, always in the colour white, and wants the invoice to be sent to the accountant of the hotel by "
    "mail before the end of the month, since the tax adviser asks for it. The hotel is closed in winter."
)


async def put(world: World, content: str, contact: UUID | None, *, trust: str = "unverified", **more: Any) -> UUID:
    """One entry."""
    return await world.sql.fetchval(
        "INSERT INTO knowledge_entries (mailbox_id, contact_id, type, trust, said_by, title, content, content_sha256, "
        "fingerprint, expires_at, created_at) "
        "VALUES ($1, $2, 'fact', $3, 'x', '', $4, md5($4), $5, now() + $6, now() + $7) RETURNING id",
        world.mailbox_id, contact, trust, content, fingerprint(content), more.get("expires"),
        more.get("age", timedelta()),
    )  # fmt: skip


async def contact(world: World, sender: str) -> UUID:
    """A contact who wrote once."""
    message_id = await world.arrive(mail_bytes(sender=sender))
    return UUID(str((await world.row(message_id))["contact_id"]))


async def one(world: World, entry_id: UUID) -> Any:
    """An entry as it stands."""
    return await world.sql.fetchrow("SELECT * FROM knowledge_entries WHERE id = $1", entry_id)


async def keep(world: World) -> Any:
    """One round."""
    return await KnowledgeUpkeep(world.database, None).run(UpkeepRequest())


async def test_what_ran_out_is_retired(world: World) -> None:
    """P107: expired entries go, those that still hold stay."""
    gone = await put(world, "a" * 20, None, expires=-timedelta(1))
    stays = await put(world, "b", None, expires=timedelta(1))
    assert (await keep(world)).expired == 1
    assert (await one(world, gone))["retired_at"] and not (await one(world, stays))["retired_at"]


async def test_the_same_claim_said_twice_is_one(world: World) -> None:
    """P107: the newer claim of a contact supersedes the older; another contact's stays, and so does the team's."""
    anna, ben = await contact(world, "anna@kunde.example"), await contact(world, "ben@kunde.example")
    older = await put(world, TEXT, anna, age=-timedelta(days=3))
    newer, bens = await put(world, TEXT + " ", anna), await put(world, TEXT, ben)
    team = await put(world, TEXT, None, trust="verified")
    assert (await keep(world)).merged == 1 and (await keep(world)).merged == 0
    assert (await one(world, older))["superseded_by"] == newer
    assert not any([(await one(world, key))["superseded_by"] for key in (newer, bens, team)])


async def test_texts_that_differ_in_a_figure_go_before_a_person(world: World) -> None:
    """P107: nothing is merged; the pair is listed until somebody settles it or one of the two is retired."""
    anna = await contact(world, "anna@kunde.example")
    old = await put(world, TEXT, anna, age=-timedelta(days=1))
    new = await put(world, TEXT.replace("twelve", "twenty"), anna)
    report = await keep(world)
    assert (report.merged, report.contradictions) == (0, 1) and (await keep(world)).contradictions == 0
    curation = Curation(world.database, world.mailbox_id)
    (pair,) = await curation.contradictions()
    assert {pair["one_id"], pair["other_id"]} == {old, new}
    await curation.settle(pair["id"], "anna")
    assert await curation.contradictions() == [] and (await keep(world)).contradictions == 0


async def test_two_contacts_never_contradict_each_other(world: World) -> None:
    """HW8: no edge joins what two contacts claim."""
    await put(world, TEXT, await contact(world, "anna@kunde.example"))
    await put(world, TEXT.replace("twelve", "twenty"), await contact(world, "ben@kunde.example"))
    await keep(world)
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_edges") == 0


async def test_age_lowers_no_stored_confidence(world: World) -> None:
    """P107: any number of rounds leaves the stated confidence; what is left of it is computed at reading time."""
    entry = await put(world, TEXT, await contact(world, "anna@kunde.example"), age=-timedelta(days=180))
    for _ in range(3):
        await keep(world)
    row = await one(world, entry)
    assert row["confidence"] == 1.0
    assert confidence_at(row["confidence"], row["created_at"], row["created_at"] + timedelta(days=180)) == 0.5
