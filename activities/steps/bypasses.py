"""Hits a person overruled on this very mail; they stop nothing a second time (P61)."""

from activities.steps.frame import StepContext


async def bypassed_of(context: StepContext) -> frozenset[tuple[str, str]]:
    """(detector, evidence hash) pairs released on this message."""
    async with context.tools.database.transaction(context.run.mailbox_id) as tx:
        rows = await tx.rows("scan_bypassed", context.run.message_id)
    return frozenset((row["detector"], row["evidence_hash"]) for row in rows)
