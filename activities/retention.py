"""What serves nobody any more is deleted, in small pieces and with a count. Nothing an account, the trail or a budget
rests on is ever among it: mails, events, the ledger of model calls and the audit log stay."""

from collections.abc import Mapping
from datetime import timedelta

from temporalio import activity

from activities.faults import named_faults
from activities.ports import Database
from activities.rollup import ACTOR
from domain.metrics import RetentionReport, RetentionRequest

PIECE = 1_000
MOST_PIECES = 200


class Retention:
    """The daily clean-up; `keep` says for each deleting statement how long its rows stay."""

    def __init__(self, database: Database, keep: Mapping[str, timedelta]) -> None:
        self.database = database
        self.keep = keep

    @activity.defn(name="retention")
    async def retention(self, request: RetentionRequest) -> RetentionReport:
        """Deletes what is older than its window; what is left after many pieces goes tomorrow."""
        async with named_faults("retention"):
            deleted = {name: await self._delete(name, window) for name, window in self.keep.items()}
            report = RetentionReport(
                deleted={name.removeprefix("retention_"): count for name, count in deleted.items() if count}
            )
            await self._book(report)
            return report

    async def _delete(self, statement: str, window: timedelta) -> int:
        total = 0
        for _ in range(MOST_PIECES):
            async with self.database.transaction() as tx:
                count = await tx.run(statement, window, PIECE)
            total += count
            if activity.in_activity():
                activity.heartbeat()
            if count < PIECE:
                break
        return total

    async def _book(self, report: RetentionReport) -> None:
        if report.deleted:
            async with self.database.transaction() as tx:
                await tx.run("audit", None, ACTOR, "retention", "retention", None, report.deleted)
            activity.logger.info("old rows deleted", extra=report.deleted)
