"""News about our mail finds its outbox row by indexes, however many rows there are (AD2)."""

import json
from typing import Any
from uuid import uuid4

import pytest

from adapters.postgres import QUERIES
from tests.activities.conftest import World
from tests.activities.test_core_sending import approved

MANY = 6_000


def _nodes(plan: dict[str, Any]) -> list[tuple[str, str]]:
    """(node type, table) of the whole plan."""
    below = [node for child in plan.get("Plans", ()) for node in _nodes(child)]
    return [(plan["Node Type"], plan.get("Relation Name", "")), *below]


async def _many_rows(world: World) -> None:
    """As many sent replies as make a scan visible."""
    _, outbox = await approved(world)
    await world.sql.execute(
        "INSERT INTO outbox (mailbox_id, message_id, thread_id, reply_slot, state, automatic, decided_by, revision,"
        " sender, recipients, recipients_hash, subject, body_sha256, rfc_message_id, send_at, provider_id)"
        " SELECT mailbox_id, message_id, thread_id, 'followup:' || n, 'sent', false, 'user:1', revision, sender,"
        " recipients, recipients_hash, subject, body_sha256, 'id-' || n || '@shop.example', now(), 'provider-' || n"
        " FROM outbox, generate_series(1, $2::int) n WHERE id = $1",
        outbox, MANY,
    )  # fmt: skip
    await world.sql.execute(
        "INSERT INTO mail_ids (mailbox_id, rfc_id, kind, ref_id, thread_id)"
        " SELECT mailbox_id, 'alias-' || rfc_message_id, 'alias', id, thread_id FROM outbox"
    )
    for table in ("outbox", "mail_ids"):
        await world.sql.execute(f"ANALYZE {table}")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("news_outbox", (["provider-17", str(uuid4())], "default")),
        ("parse_bounced_outbox", (uuid4(), ["id-17@shop.example"], str(uuid4()))),
    ],
)
async def test_no_table_of_mail_is_scanned(world: World, name: str, values: tuple[Any, ...]) -> None:
    """AD2, BO1: the plan the product's own role gets, row-level security included."""
    await _many_rows(world)
    async with world.database.transaction() as tx:
        plan = await tx.connection.fetchval(f"EXPLAIN (FORMAT JSON) {QUERIES[name]}", *values)
    nodes = _nodes((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"])
    used = {(kind, table) for kind, table in nodes if table in ("outbox", "mail_ids")}
    assert used and not [pair for pair in used if pair[0] == "Seq Scan"]


@pytest.mark.parametrize("known_by", ["provider_id", "rfc_message_id", "alias", "id", "ID"])
async def test_every_id_of_ours_is_known(world: World, known_by: str) -> None:
    """AD2: the provider's id, our Message-ID, the alias of a relay, and the row's own id in either case."""
    _, outbox = await approved(world)
    await world.sql.execute("UPDATE outbox SET provider_id = 'given-1' WHERE id = $1", outbox)
    await world.sql.execute(
        "INSERT INTO mail_ids SELECT mailbox_id, 'alias@relay.example', 'alias', id, thread_id FROM outbox"
    )
    row = await world.sql.fetchrow("SELECT * FROM outbox WHERE id = $1", outbox)
    asked = {
        "provider_id": "given-1",
        "rfc_message_id": row["rfc_message_id"],
        "alias": "alias@relay.example",
        "id": str(outbox),
        "ID": str(outbox).upper(),
    }[known_by]
    async with world.database.transaction() as tx:
        found = await tx.one("news_outbox", ["no uuid", "x" * 36, asked], "default")
        assert found is not None and found["id"] == outbox
        assert await tx.one("news_outbox", ["no uuid", "-" * 36], "default") is None
