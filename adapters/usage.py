"""The usage ledger in Postgres: one row per model call, written with its own short transaction (P110)."""

from uuid import UUID

from adapters.llm.ledger import MeteredUsage
from adapters.postgres import Database
from contracts.llm import UsageContext

INSTALLATION = UUID(int=0)


class UsageLedger:
    """The sink every model client writes to; calls of the installation itself stand under the nil mailbox."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
        """Adds one row."""
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
