"""Tells workflows what owners said while an update could not reach them; the stored words, and never a substitute
(M70-M72)."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from temporalio import activity

from activities.faults import named_faults
from activities.ports import Database
from contracts.missions_calls import OwnerInput
from contracts.sweep import SweepReport, SweepRequest

OLD_ENOUGH = timedelta(seconds=20)

Tell = Callable[[str, OwnerInput], Awaitable[str]]


class MissionSweep:
    """The activity `mission_sweep`. `tell` sends one update and answers `told`, `away`, or why it was refused."""

    def __init__(self, database: Database, tell: Tell, old_enough: timedelta = OLD_ENOUGH) -> None:
        self.database = database
        self.tell = tell
        self.old_enough = old_enough

    @activity.defn(name="mission_sweep")
    async def sweep(self, request: SweepRequest) -> SweepReport:
        """One pass; an engine that is away leaves everything for the next."""
        async with named_faults("mission_sweep"):
            async with self.database.transaction() as tx:
                rows = await tx.rows("inputs_unapplied", self.old_enough)
            for row in rows:
                await self._one(row)
        return SweepReport()

    async def _one(self, row: Any) -> None:
        given = OwnerInput(request_id=row["request_id"], item_id=row["item_id"], kind=row["input_kind"],
                           digest=row["payload_digest"], gate_id=row["gate_id"], **row["settings"])  # fmt: skip
        answer = await self.tell(row["workflow_id"], given)
        if answer not in ("told", "away"):
            async with self.database.transaction() as tx:
                await tx.run("input_refused", row["item_id"], answer)
