"""The usage ledger in Postgres: one row per model call, written with its own short transaction (P110)."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from adapters.llm.ledger import MeteredUsage
from adapters.postgres import Database
from contracts.llm import UsageContext
from domain.metrics import FAILED_CALLS

INSTALLATION = UUID(int=0)


class UsageLedger:
    """The sink every model client writes to; calls of the installation itself stand under the nil mailbox.

    `after_failure` hears of every failed call of a mailbox once its row is written, so that a breaker can trip at once.
    """

    def __init__(self, database: Database, after_failure: Callable[[UUID], Awaitable[None]] | None = None) -> None:
        self.database = database
        self.after_failure = after_failure

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
        """Adds one row."""
        await self._write(usage, context)
        if self.after_failure is not None and usage.outcome in FAILED_CALLS and context.mailbox_id:
            await self.after_failure(UUID(context.mailbox_id))

    async def _write(self, usage: MeteredUsage, context: UsageContext) -> None:
        async with self.database.transaction() as tx:
            await tx.run(
                "usage_record",
                UUID(context.mailbox_id) if context.mailbox_id else INSTALLATION,
                UUID(context.message_id) if context.message_id else None,
                context.run_no,
                context.step,
                usage.task,
                usage.model,
                usage.tokens_in,
                usage.tokens_out,
                usage.cost_usd,
                usage.unpriced,
                usage.offline,
                usage.latency_ms,
                usage.outcome,
            )
