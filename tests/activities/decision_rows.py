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
    objection: str = "",
    ago: timedelta = timedelta(minutes=5),
) -> None:
    """So many decisions of a rule in shadow, or drawn for audit, each of a mail of its own and reviewed a minute later."""
    for _ in range(count):
        message = await world.arrive()
        await world.sql.execute(
            """INSERT INTO autonomy_decisions (mailbox_id, message_id, run_no, outcome, stage, gate, reason, verdicts, score,
                category, observed, propensity, would_have_sent, created_at)
            VALUES ($1, $2, 1, 'human_review', 'gates', $3, $4, $5, $6, 'support', true, $7, true, now() - $8::interval)""",
            world.mailbox_id, message, "audit_sample" if drawn else None, "audit_sample" if drawn else "shadow",
            json.dumps({"spend_budget": "", "context_complete": objection}), score, 0.05 if drawn else 1, ago,
        )  # fmt: skip
        if action is not None:
            await world.sql.execute(
                """INSERT INTO autonomy_feedback (message_id, mailbox_id, action, category, created_at)
                VALUES ($1, $2, $3, 'support', now() - $4::interval)""",
                message, world.mailbox_id, action, ago - timedelta(minutes=1),
            )  # fmt: skip
