"""The rollup of metrics: what each number is, late rows, gaps, repeats, counters of a day that is over (15.1, P85)."""

import asyncio
import time
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from activities.rollup import reset_daily_counts
from contracts.lifecycle import Approve, FailStep, Reject
from contracts.status import StepKind
from domain.metrics import window_of
from tests.activities.conftest import World
from tests.activities.metric_rows import breaker, confidence, metrics, reviews, roll, step

NEARLY_OVER_S = 5


@pytest.fixture(autouse=True)
async def _within_one_window() -> None:
    """No window ends while a test looks at one."""
    left = 300 - time.time() % 300
    if left < NEARLY_OVER_S:
        await asyncio.sleep(left + 0.1)


async def window(world: World, back: int = 1) -> datetime:
    """The start of the window that ended last, or of an earlier one."""
    return window_of(await world.sql.fetchval("SELECT now()")) - back * timedelta(minutes=5)


async def put_calls(world: World, at: datetime, *usd: float) -> None:
    """Calls of one moment."""
    for one in usd:
        await world.sql.execute(
            "INSERT INTO llm_usage (mailbox_id, task, model, cost_usd, outcome, created_at)"
            " VALUES ($1, 'draft', 'm', $2, 'ok', $3)", world.mailbox_id, one, at,
        )  # fmt: skip


async def test_latency_has_mean_median_and_tail(world: World) -> None:
    """15.1: `duration_ms` of the steps that ended well in the window; a window without steps has no value."""
    at, message = await window(world), await world.arrive()
    for kind, ms in zip(StepKind, (10, 20, 30, 40, 1000), strict=True):
        await step(world, message, str(kind), at + timedelta(seconds=1), ms)
    await roll(world)
    assert await metrics(world, "processing_latency", "mean") == [(220, 5, "")]
    assert await metrics(world, "processing_latency", "p50") == [(30, 5, "")]
    ((tail, count, _),) = await metrics(world, "processing_latency", "p95")
    assert (round(tail), count) == (808, 5)


async def test_a_window_begins_where_the_one_before_ended(world: World) -> None:
    """15.1: each call is in one window; the running window waits for its end."""
    at = await window(world)
    await put_calls(world, at, 1.0)
    await put_calls(world, at - timedelta(microseconds=1), 2.0)
    await put_calls(world, at + timedelta(minutes=5), 4.0)
    await roll(world)
    assert await metrics(world, "llm_cost") == [(2.0, 1, ""), (1.0, 1, "")]


async def test_late_rows_are_counted_and_a_repeat_changes_nothing(world: World) -> None:
    """15.1: rows that were committed after the first rollup of their window; idempotent per bucket."""
    at = await window(world)
    await put_calls(world, at, 1.0)
    assert (await roll(world)).values == 3
    assert (await roll(world)).values == 0
    await put_calls(world, at + timedelta(seconds=2), 0.5)
    await put_calls(world, at - timedelta(seconds=2), 0.25)
    await roll(world)
    assert await metrics(world, "llm_cost") == [(0.25, 1, ""), (1.5, 2, "")]


async def test_a_value_is_never_replaced_by_one_that_knows_less(world: World) -> None:
    """15.1: a step that runs again leaves its old window; the number of that window stays."""
    at, message = await window(world), await world.arrive()
    await step(world, message, "classify", at, 50)
    await step(world, message, "draft", at, 70)
    await roll(world)
    await world.sql.execute(
        "UPDATE agent_actions SET completed_at = NULL, status = 'running' WHERE action_type = 'draft'"
    )
    await roll(world)
    assert await metrics(world, "processing_latency", "mean") == [(60, 2, "")]


async def test_a_gap_is_filled(world: World) -> None:
    """15.1: a worker that was away catches up to a day; what could only be seen then has no value."""
    now = await window(world, 0)
    await put_calls(world, now - timedelta(hours=23), 1.0)
    await put_calls(world, now - timedelta(hours=25), 9.0)
    await world.sql.execute(
        "INSERT INTO agent_metrics (mailbox_id, metric, window_start, value, sample_count)"
        " VALUES ($1, 'llm_cost', $2, 5, 1)",
        world.mailbox_id, now - timedelta(hours=24, minutes=30),
    )  # fmt: skip
    await roll(world)
    assert await metrics(world, "llm_cost") == [(5, 1, ""), (1, 1, "")]
    assert len(await metrics(world, "queue_depth")) == 1


async def test_failed_steps_are_counted_though_they_were_tried_again(world: World) -> None:
    """15.1: from the trail of events; one failure and four good ends are a fifth."""
    message = await world.arrive()
    await world.to_drafting(message)
    row = await world.row(message)
    fail = FailStep(step=StepKind.DRAFT, error_type="Timeout", permanent=False)
    await world.do(message, fail, f"{row['run_no']}.{row['restart_no']}:draft:end")
    assert await world.status(message) == "failed"
    at = await window(world)
    await world.sql.execute("ALTER TABLE lifecycle_events DISABLE TRIGGER append_only")
    await world.sql.execute("UPDATE lifecycle_events SET at = $1", at)
    await world.sql.execute("UPDATE agent_actions SET completed_at = $1, status = 'completed', duration_ms = 5", at)
    await roll(world)
    assert await metrics(world, "error_rate") == [(0.2, 5, "")]


async def test_refused_transitions_are_no_errors(world: World) -> None:
    """15.1, P94: a step overtaken by a person closes as failed, and counts nowhere."""
    message = await world.arrive()
    await world.to_drafting(message)
    row = await world.row(message)
    late = FailStep(step=StepKind.CLASSIFY, error_type="Timeout", permanent=False)
    await world.do(message, late, f"{row['run_no']}.{row['restart_no']}:classify:end")
    at = await window(world)
    await world.sql.execute("UPDATE agent_actions SET completed_at = $1 WHERE status = 'completed'", at)
    await roll(world)
    assert await metrics(world, "error_rate") == [(0, 3, "")]


async def decided(world: World, outcome: str, at: datetime) -> None:
    """A routing decision of its own mail."""
    message = await world.arrive()
    await world.sql.execute(
        "INSERT INTO autonomy_decisions (mailbox_id, message_id, run_no, outcome, stage, reason, category, created_at)"
        " VALUES ($1, $2, 1, $3, 'rules', 'x', 'support', $4)", world.mailbox_id, message, outcome, at,
    )  # fmt: skip


async def test_the_share_of_automatic_approvals(world: World) -> None:
    """15.1: auto_approve among the route decisions of the window."""
    at = await window(world)
    for outcome in ("auto_approve", "human_review", "human_review", "human_review"):
        await decided(world, outcome, at)
    await roll(world)
    assert await metrics(world, "auto_approve_ratio") == [(0.25, 4, "")]


async def test_rejections_of_a_day(world: World) -> None:
    """15.1: of the last 24 hours, as they stood at each window's end; one message counts once, whoever spoke."""
    await reviews(world, "rejected", 1, timedelta(minutes=12))
    await reviews(world, "approved", 3, timedelta(hours=2))
    await reviews(world, "rejected", 5, timedelta(hours=49))
    await world.sql.execute(
        "INSERT INTO autonomy_feedback (message_id, mailbox_id, source, action, category, created_at)"
        " SELECT message_id, mailbox_id, 'outcome', 'rejected', category, created_at FROM autonomy_feedback"
        " WHERE action = 'rejected' AND created_at > now() - interval '1 hour'"
    )
    await roll(world)
    values = await metrics(world, "rejection_rate")
    assert values[-1] == (0.25, 4, "") and (0, 3, "") in values


async def label(world: World, message: UUID, category: str, model: str = "support") -> None:
    """A reviewer's word."""
    await world.sql.execute(
        "INSERT INTO category_labels (message_id, mailbox_id, model_category, category, by, at)"
        " VALUES ($1, $2, $3, $4, 'user:1', now() - interval '10 minutes')",
        message, world.mailbox_id, model, category,
    )  # fmt: skip


async def test_accuracy_says_when_it_is_only_the_models_own_confidence(world: World) -> None:
    """15.1: below 20 labels the mean confidence of the window, and `basis` says so."""
    at = await window(world)
    ago = await world.sql.fetchval("SELECT now() - $1::timestamptz", at)
    for value in (0.9, 0.7):
        await confidence(world, value, ago)
    for _ in range(19):
        await label(world, await world.arrive(), "billing")
    await roll(world)
    assert await metrics(world, "classification_accuracy") == [(0.8, 2, "self_reported")]
    await label(world, await world.arrive(), "support")
    await roll(world)
    assert (await metrics(world, "classification_accuracy"))[-1] == (0.05, 20, "labelled")


async def test_the_queue_and_what_holds(world: World) -> None:
    """15.1: received without a hold, and holds per reason; zero is a value, the first look of a window counts."""
    held = [await world.arrive() for _ in range(3)]
    await world.arrive()
    await world.sql.execute("UPDATE inbound_messages SET hold_reason = 'agent_off' WHERE id = ANY ($1)", held[:2])
    await world.sql.execute("UPDATE inbound_messages SET hold_reason = 'rate_budget' WHERE id = $1", held[2])
    await roll(world)
    await world.arrive()
    await roll(world)
    assert await metrics(world, "queue_depth") == [(1, 1, "")]
    found: dict[str, Any] = {p: await metrics(world, "held_depth", p) for p in ("", "agent_off", "rate_budget")}
    assert found == {"": [(3, 3, "")], "agent_off": [(2, 2, "")], "rate_budget": [(1, 1, "")]}


async def test_counters_of_yesterday_are_zero_until_the_next_local_midnight(world: World) -> None:
    """P85, A78: the mailbox's own day; a counter of today stays."""
    await world.sql.execute("UPDATE mailboxes SET timezone = 'Pacific/Auckland' WHERE id = $1", world.mailbox_id)
    now = await world.sql.fetchval("SELECT now()")
    for category, reset in (("support", now - timedelta(seconds=1)), ("sales", now + timedelta(hours=1))):
        await world.sql.execute(
            "INSERT INTO autonomy_rules (mailbox_id, category, mode, current_daily_count, daily_count_reset_at)"
            " VALUES ($1, $2, 'on', 7, $3)", world.mailbox_id, category, reset,
        )  # fmt: skip
    await world.configure(daily_auto_reply_count=4, daily_auto_reply_reset_at=now - timedelta(days=2))
    async with world.database.transaction(world.mailbox_id) as tx:
        assert await reset_daily_counts(tx, world.mailbox_id, "Pacific/Auckland", now) == 2
    rows = await world.sql.fetch("SELECT * FROM autonomy_rules ORDER BY category")
    assert [r["current_daily_count"] for r in rows] == [7, 0]
    midnight = await world.sql.fetchval(
        "SELECT date_trunc('day', $1::timestamptz AT TIME ZONE 'Pacific/Auckland') + interval '1 day'", now
    )
    there = await world.sql.fetchval("SELECT $1::timestamp AT TIME ZONE 'Pacific/Auckland'", midnight)
    assert rows[1]["daily_count_reset_at"] == there
    config = await world.sql.fetchrow("SELECT * FROM agent_config WHERE mailbox_id = $1", world.mailbox_id)
    assert (config["daily_auto_reply_count"], config["daily_auto_reply_reset_at"]) == (0, there)


async def test_human_decisions_reach_the_numbers(world: World) -> None:
    """15.1: through the lifecycle's own statements, a rejection is seen by the breaker and the metric alike."""
    rejected, approved = await world.arrive(), await world.arrive()
    for message in (rejected, approved):
        await world.to_draft_ready(message)
    await world.do(rejected, Reject(), actor="user:1")
    await world.do(approved, Approve(), actor="user:1")
    await roll(world)
    seen = await breaker(world, "rejection_spike")
    assert (seen["last_bad"], seen["last_total"], seen["state"]) == (1, 1, "closed")
