"""What is deleted with time, and what never is."""

from datetime import timedelta

from activities.retention import PIECE, Retention
from adapters.retention_settings import RetentionSettings
from domain.metrics import RetentionReport, RetentionRequest
from tests.activities.conftest import World
from tests.activities.metric_rows import calls

DAY = timedelta(days=1)


async def clean(world: World) -> RetentionReport:
    """One clean-up with the default windows."""
    return await Retention(world.database, RetentionSettings().retention()).retention(RetentionRequest())


async def test_numbers_are_kept_seven_days(world: World) -> None:
    """15.1: older ones go, in as many pieces as it takes, and are counted and audited."""
    await world.sql.execute(
        "INSERT INTO agent_metrics (mailbox_id, metric, window_start, value, sample_count)"
        " SELECT $1, 'llm_cost', now() - interval '7 days' + n * interval '1 minute', 1, 1"
        " FROM generate_series($2::int, 2) n",
        world.mailbox_id, -PIECE - 5,
    )  # fmt: skip
    report = await clean(world)
    assert report.deleted == {"metrics": PIECE + 6}
    assert await world.sql.fetchval("SELECT count(*) FROM agent_metrics") == 2
    row = await world.sql.fetchrow("SELECT * FROM audit_log WHERE action = 'retention'")
    assert row["after"] == f'{{"metrics": {PIECE + 6}}}'
    assert (await clean(world)).deleted == {}
    assert await world.sql.fetchval("SELECT count(*) FROM audit_log WHERE action = 'retention'") == 1


async def test_only_delivered_wakes_go(world: World) -> None:
    """RC13, P20a: a wake nobody has heard stays, however old."""
    await world.sql.execute(
        "INSERT INTO wake_queue (id, workflow_id, cause, delivered_at)"
        " SELECT uuidv7(-age), 'message/x', name, sent FROM (VALUES (interval '8 days', 'old', now()),"
        " (interval '8 days', 'unheard', NULL::timestamptz), (interval '6 days', 'young', now())) v (age, name, sent)"
    )
    assert (await clean(world)).deleted == {"wakes": 1}
    rows = await world.sql.fetch("SELECT cause FROM wake_queue ORDER BY cause")
    assert [r["cause"] for r in rows] == ["unheard", "young"]


async def test_words_of_a_failure_stay_while_its_mail_may_be_tried_again(world: World) -> None:
    """P23, P35: only those of mails that came to an end."""
    ended, failed = await world.arrive(), await world.arrive()
    await world.to_draft_ready(ended)
    await world.sql.execute("ALTER TABLE inbound_messages DISABLE TRIGGER guard_status")
    await world.sql.execute("UPDATE inbound_messages SET processing_status = 'rejected' WHERE id = $1", ended)
    for message in (ended, failed):
        await world.sql.execute(
            "INSERT INTO error_details (id, mailbox_id, message_id, step, error_type, detail)"
            " VALUES (uuidv7(interval '-91 days'), $1, $2, 'draft', 'X', 'words')", world.mailbox_id, message,
        )  # fmt: skip
    assert (await clean(world)).deleted == {"errors": 1}
    assert await world.sql.fetchval("SELECT message_id FROM error_details") == failed


async def test_a_full_budget_is_forgotten_and_a_used_one_is_not(world: World) -> None:
    """P46: a sender whose slot is in the past starts full anyway; the mailbox's own row stays, it is a lock."""
    await world.sql.execute(
        "INSERT INTO rate_budgets VALUES ($1, 'gone@kunde.example', now() - interval '2 days'),"
        " ($1, 'used@kunde.example', now() + interval '1 minute'),"
        " ($1, '', now() - interval '2 days')", world.mailbox_id,
    )  # fmt: skip
    assert (await clean(world)).deleted == {"budgets": 1}
    rows = await world.sql.fetch("SELECT sender FROM rate_budgets ORDER BY sender")
    assert [r["sender"] for r in rows] == ["", "used@kunde.example"]


async def test_what_accounts_and_budgets_rest_on_is_never_touched(world: World) -> None:
    """GL1, GL2, P18, P110: mails, events, ledgers and the audit log, ten years old."""
    message = await world.arrive()
    await calls(world, "ok", 3, 3650 * DAY)
    tables = {
        "accepted_mail": "received_at",
        "deliveries": "at",
        "inbound_events": "received_at",
        "start_queue": "created_at",
    }
    for table, column in tables.items():
        await world.sql.execute(f"UPDATE {table} SET {column} = now() - interval '10 years'")
    kept = [
        *tables,
        "inbound_messages",
        "lifecycle_events",
        "lifecycle_commands",
        "ledger_entries",
        "llm_usage",
        "audit_log",
    ]
    before = {t: await world.sql.fetchval(f"SELECT count(*) FROM {t}") for t in kept}
    await clean(world)
    assert {t: await world.sql.fetchval(f"SELECT count(*) FROM {t}") for t in kept} == before
    assert await world.status(message) == "received"


async def test_sessions_sign_ins_and_presence_go(world: World) -> None:
    """HU7, P121: those that ended or were left long ago; one in use stays."""
    await world.sql.execute(
        "WITH u AS (SELECT id FROM users LIMIT 1) INSERT INTO sessions (id_hash, user_id, role, password_mark, seen_at)"
        " SELECT v.name, u.id, 'admin', '', now() - v.ago FROM u,"
        " (VALUES ('left', interval '31 days'), ('used', interval '1 hour'))"
        " v (name, ago)"
    )
    await world.sql.execute("INSERT INTO sign_in_failures VALUES ('a', 3, now() - interval '2 days'), ('b', 1, now())")
    assert (await clean(world)).deleted == {"sessions": 1, "sign_ins": 1}
    assert await world.sql.fetchval("SELECT id_hash FROM sessions") == "used"
