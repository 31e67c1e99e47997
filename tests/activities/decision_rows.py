"""Stored decisions and what people made of them, written as the product would leave them."""

import json
from datetime import timedelta
from uuid import UUID

from tests.activities.conftest import World


async def rule(world: World, **values: object) -> UUID:
    """A rule for support mail; the id."""
    given = {"mode": "shadow", "auto_approve_threshold": 0.8, "target_error_rate": 0.3, **values}
    names = ", ".join(given)
    marks = ", ".join(f"${n}" for n in range(2, len(given) + 2))
    found: UUID = await world.sql.fetchval(
        f"INSERT INTO autonomy_rules (mailbox_id, category, {names}) VALUES ($1, 'support', {marks}) RETURNING id",
        world.mailbox_id, *given.values(),
    )  # fmt: skip
    return found


async def decided(
    world: World,
    count: int,
    action: str | None = "approved",
    *,
    score: float = 0.9,
    drawn: bool = False,
    unmet: str = "shadow",
    audit_rate: float | None = 0.05,
    objection: str = "",
    ago: timedelta = timedelta(minutes=5),
) -> None:
    """So many decisions of the one rule, in shadow, held for `unmet`, or drawn for audit, each of a mail of its own and
    reviewed a minute later."""
    gate, stage, text = ("audit_sample", "gates", "drawn") if drawn else (None, "rules", unmet)
    for _ in range(count):
        message = await world.arrive()
        await world.sql.execute(
            """INSERT INTO autonomy_decisions (mailbox_id, message_id, run_no, outcome, stage, gate, reason, verdicts,
                score,
                category, observed, propensity, would_have_sent, created_at, evidence, audit_rate, rule_id)
            SELECT $1, $2, 1, 'human_review', $9, $3, $4, $5, $6, 'support', $10, $7, true, now() - $8::interval, $11,
                $12, id
            FROM autonomy_rules WHERE mailbox_id = $1""",
            world.mailbox_id, message, gate, gate or unmet.partition(",")[0],
            json.dumps({"spend_budget": "", "context_complete": objection}), score, 0.05 if drawn else 1, ago, stage,
            drawn or "shadow" in unmet or "warm_up" in unmet, json.dumps({"text": text}), audit_rate,
        )  # fmt: skip
        if action is not None:
            await world.sql.execute(
                """INSERT INTO autonomy_feedback (message_id, mailbox_id, action, category, created_at)
                VALUES ($1, $2, $3, 'support', now() - $4::interval)""",
                message, world.mailbox_id, action, ago - timedelta(minutes=1),
            )  # fmt: skip
