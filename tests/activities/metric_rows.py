"""Rows that the rollup and the breakers read, as the product would leave them, at any moment."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from activities.breakers import Breakers
from activities.rollup import Rollup
from domain.metrics import RollupReport, RollupRequest
from tests.activities.conftest import World

NOW = timedelta()


async def calls(world: World, outcome: str, count: int, ago: timedelta = NOW, usd: float = 0.0) -> None:
    """Rows of the ledger."""
    await world.sql.execute(
        "INSERT INTO llm_usage (mailbox_id, task, model, cost_usd, outcome, created_at)"
        " SELECT $1, 'classify', 'm', $2, $3, now() - $4::interval FROM generate_series(1, $5)",
        world.mailbox_id, usd, outcome, ago, count,
    )  # fmt: skip


async def reviews(world: World, action: str, count: int, ago: timedelta = NOW) -> None:
    """Feedback on mails of their own."""
    for _ in range(count):
        message = await world.arrive()
        await world.sql.execute(
            "INSERT INTO autonomy_feedback (message_id, mailbox_id, action, category, created_at)"
            " VALUES ($1, $2, $3, 'support', now() - $4::interval)", message, world.mailbox_id, action, ago,
        )  # fmt: skip


async def step(world: World, message: UUID, kind: str, ended: datetime, ms: int) -> None:
    """A step that ended well."""
    await world.sql.execute(
        "INSERT INTO agent_actions"
        " (inbound_message_id, mailbox_id, run_no, action_type, status, completed_at, duration_ms)"
        " VALUES ($1, $2, 1, $3, 'completed', $4, $5)", message, world.mailbox_id, kind, ended, ms,
    )  # fmt: skip


async def confidence(world: World, value: float, ago: timedelta = NOW, key: str = "1.0/on/x") -> UUID:
    """A mail whose classification was that sure."""
    message = await world.arrive()
    await world.sql.execute(
        "INSERT INTO step_outputs (message_id, mailbox_id, run_no, kind, output, decision, created_at)"
        " VALUES ($1, $2, 1, 'classify', $3, $4, now() - $5::interval)", message, world.mailbox_id,
        f'{{"classification": {{"confidence": {value}}}}}', f'{{"key": "{key}"}}', ago,
    )  # fmt: skip
    return message


async def breaker(world: World, kind: str = "llm_failure") -> Any:
    """A breaker's row."""
    return await world.sql.fetchrow(
        "SELECT * FROM agent_circuit_breakers WHERE mailbox_id = $1 AND kind = $2", world.mailbox_id, kind
    )


async def set_breaker(world: World, kind: str = "llm_failure", **values: Any) -> None:
    """Changes a breaker's row."""
    for name, value in values.items():
        await world.sql.execute(
            f"UPDATE agent_circuit_breakers SET {name} = $1 WHERE mailbox_id = $2 AND kind = $3",
            value, world.mailbox_id, kind,
        )  # fmt: skip


async def open_breaker(world: World, kind: str = "llm_failure", ago: timedelta = NOW) -> None:
    """Tripped so long ago."""
    tripped = await world.sql.fetchval("SELECT now() - $1::interval", ago)
    await set_breaker(world, kind, tripped_at=tripped, state="open")


async def half_open_breaker(world: World, kind: str = "llm_failure", ago: timedelta = timedelta(minutes=1)) -> None:
    """Cooled down so long ago."""
    since = await world.sql.fetchval("SELECT now() - $1::interval", ago)
    await set_breaker(world, kind, tripped_at=since, half_open_at=since, state="half_open")


async def roll(world: World) -> RollupReport:
    """One rollup."""
    return await Rollup(world.database, Breakers(world.database)).rollup(RollupRequest())


async def metrics(world: World, metric: str, part: str = "") -> list[tuple[float, int, str]]:
    """(value, samples, basis) of a metric by time."""
    rows = await world.sql.fetch(
        "SELECT * FROM agent_metrics WHERE mailbox_id = $1 AND metric = $2 AND part = $3 ORDER BY window_start",
        world.mailbox_id, metric, part,
    )  # fmt: skip
    return [(r["value"], r["sample_count"], r["basis"]) for r in rows]
