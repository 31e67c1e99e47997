"""The filled-in house is what it claims to be: the plan is the same each time, and the lifecycle wrote every row."""

from collections import Counter

from adapters.postgres import Database
from bench.fifty_thousand.filling import Ground, fill_in
from bench.fifty_thousand.plan import Conversation, Ending, conversations
from cli.stack.first_start import set_up

ADDRESS = "support@example.org"
KEY = b"k" * 32
STATUS = {
    Ending.RECEIVED: "received", Ending.CLASSIFYING: "classifying", Ending.REVIEW: "draft_ready",
    Ending.QUARANTINED: "quarantined", Ending.FAILED: "failed", Ending.SENDING: "approved",
    Ending.AMBIGUOUS: "approved", Ending.SENT: "sent", Ending.REJECTED: "rejected", Ending.DISMISSED: "archived",
    Ending.SPAM: "archived",
}  # fmt: skip


def test_a_plan_has_as_many_mails_as_asked_for_and_every_ending() -> None:
    """The same one each time; conversations of one mail and of two hundred, each state, each way to end."""
    planned = list(conversations(50_000))
    assert planned == list(conversations(50_000))
    assert sum(len(c.endings) for c in planned) == 50_000
    lengths = Counter(len(c.endings) for c in planned)
    assert lengths[1] > 1_000 and max(lengths) == 200
    assert {ending for c in planned for ending in c.endings} == set(Ending)
    assert {c.state for c in planned} == {"", "assigned", "snoozed", "resolved", "closed"}


async def test_every_ending_is_reached_through_the_lifecycle(database_url: str, owner_database_url: str) -> None:  # P15
    """One mail for each: its status, an event for every step of the way, nothing lost, nothing without an owner."""
    await set_up(database_url, ADDRESS, "test", True, KEY)
    database = await Database.connect(owner_database_url, most=1)
    connection = database.pool
    await connection.execute("UPDATE agent_config SET coalesce_window_ms = 0")
    person = await connection.fetchrow(
        "INSERT INTO users (organisation_id, email, name, role) SELECT id, 'a@b.example', 'A', 'reviewer'"
        " FROM organisations RETURNING id, organisation_id"
    )
    ground = Ground(database_url, KEY, person["organisation_id"], person["id"], ADDRESS)
    await fill_in(ground, [Conversation(n, (ending,), "", True) for n, ending in enumerate(Ending)])
    async with database.transaction() as tx:
        rows = await tx.connection.fetch(
            "SELECT substring(subject FROM '\\((\\d+)\\)')::int - 100000 AS n, processing_status AS status,"
            " (SELECT to_status FROM lifecycle_events e WHERE e.message_id = m.id AND e.to_status <> ''"
            " ORDER BY seq DESC LIMIT 1) AS last"
            " FROM inbound_messages m"
        )
        mailbox = await tx.connection.fetchval("SELECT id FROM mailboxes WHERE is_default")
        late = await tx.must("dashboard_late", [mailbox])
    await database.close()
    endings = list(Ending)
    assert {endings[r["n"]]: r["status"] for r in rows} == STATUS
    assert [r["last"] for r in rows] == [r["status"] for r in rows]
    assert late["unowned"] == 0
