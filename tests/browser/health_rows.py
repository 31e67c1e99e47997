"""A mailbox with a day behind it, for tests and pictures of the health page."""

from datetime import timedelta

from tests.integration.running import Running


async def a_day(running: Running) -> None:
    """Numbers of 24 hours with a gap, calls of two models, holds, one open and one half-open breaker, ceilings."""
    box = running.mailbox_id
    await running.sql(
        "INSERT INTO agent_metrics (mailbox_id, metric, part, window_start, value, sample_count, basis)"
        " SELECT $1, m.name, m.part, date_bin('5 minutes', now(), 'epoch') - n * interval '5 minutes',"
        " m.base * (1 + 0.4 * sin(n / 20.0) + 0.1 * sin(n * 7.0)), m.samples, m.basis"
        " FROM generate_series(1, 288) n, (VALUES ('queue_depth', '', 9.0, 9, ''), ('held_depth', '', 4.0, 4, ''),"
        " ('processing_latency', 'p50', 640.0, 30, ''), ('processing_latency', 'p95', 2900.0, 30, ''),"
        " ('error_rate', '', 0.02, 30, ''), ('classification_accuracy', '', 0.6, 12, 'self_reported'),"
        " ('auto_approve_ratio', '', 0.3, 8, ''), ('rejection_rate', '', 0.21, 40, ''),"
        " ('llm_cost', '', 0.004, 12, ''))"
        " AS m (name, part, base, samples, basis) WHERE n NOT BETWEEN 100 AND 130 ON CONFLICT DO NOTHING", box,
    )  # fmt: skip
    await running.sql(
        "INSERT INTO llm_usage"
        " (mailbox_id, step, task, model, tokens_in, tokens_out, cost_usd, unpriced, outcome, created_at)"
        " SELECT $1, s.step, s.step, s.model, 800, 120, s.usd, s.model LIKE 'new%',"
        " CASE WHEN n % 9 = 0 THEN 'timeout' ELSE 'ok' END, now() - n * interval '30 seconds'"
        " FROM generate_series(1, 40) n,"
        " (VALUES ('classify', 'small-fast', 0.0004), ('draft', 'new-and-capable', 0.011),"
        " ('security_scan', 'small-fast', 0.0002)) AS s (step, model, usd)", box,
    )  # fmt: skip
    await running.config(daily_budget_usd=0.55, monthly_budget_usd=40)
    await trip(running)
    await running.sql(
        "UPDATE agent_circuit_breakers SET state = 'half_open', half_open_at = now() - interval '4 minutes',"
        " probes_used = 1,"
        " tripped_at = now() - interval '20 minutes', last_bad = 1, last_total = 3, evaluated_at = now(),"
        " reason = 'cooled down for 900 s; up to 3 automatic approvals'"
        " WHERE mailbox_id = $1 AND kind = 'rejection_spike'", box,
    )  # fmt: skip


async def trip(running: Running, kind: str = "llm_failure") -> None:
    """An open breaker with its evidence."""
    await running.sql(
        "UPDATE agent_circuit_breakers SET state = 'open', tripped_at = now() - interval '3 minutes', last_bad = 7,"
        " last_total = 24, evaluated_at = now(), reason = '7 of 24 bad (0.29) is above 0.20'"
        " WHERE mailbox_id = $1 AND kind = $2", running.mailbox_id, kind,
    )  # fmt: skip


HELD_FOR = timedelta(minutes=50)


async def hold(running: Running, *messages: object) -> None:
    """Mails that hold for the model."""
    await running.sql(
        "UPDATE inbound_messages SET hold_reason = 'llm_breaker', changed_at = now() - $2::interval"
        " WHERE id = ANY ($1)",
        list(messages), HELD_FOR,
    )  # fmt: skip
