"""No status can strand a message: overdue ones are woken, those without an open workflow are started again (P30)."""

from datetime import timedelta
from typing import Any, Protocol
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults
from activities.ports import Database
from contracts.status import OutboxState
from contracts.sweep import SweepReport, SweepRequest

RECENT = timedelta(minutes=10)
PAGE = 500
UNDER_WAY = (OutboxState.READY, OutboxState.SENDING)


class OpenWorkflows(Protocol):
    """Asks the engine which of these message workflows are open; never a describe per message."""

    async def open_among(self, message_ids: list[UUID]) -> set[UUID]: ...


class Sweep:
    """The minute's sweep."""

    def __init__(self, database: Database, engine: OpenWorkflows) -> None:
        self.database = database
        self.engine = engine

    @activity.defn(name="sweep")
    async def sweep(self, request: SweepRequest) -> SweepReport:
        """Doubtful sends, overdue timers, lost workflows, and old outputs."""
        async with named_faults("sweep"):
            doubtful = await self._deadlines()
            woken = await self._overdue()
            restarted = await self._lost(request.full)
            await self._come_back()
            await self._tidy(request.full)
            return SweepReport(woken=woken, restarted=restarted, doubtful=doubtful)

    async def _deadlines(self) -> int:
        async with self.database.transaction(lifecycle=True) as tx:
            rows = await tx.rows("sweep_sending")
            for row in rows:
                if row["reply_slot"] == "reply":
                    await self._wake(tx, row["message_id"], f"deadline/{row['id']}")
                else:
                    cause = f"{row['id']}:deadline"
                    await tx.run("wake", f"reply/{row['id']}", "wake", {"cause": cause}, cause)
        return len(rows)

    async def _overdue(self) -> int:
        async with self.database.transaction() as tx:
            rows = await tx.rows("sweep_overdue")
            for row in rows:
                await self._wake(tx, row["id"], f"overdue/{row['processing_status']}/{row['due'].isoformat()}")
        return len(rows)

    async def _wake(self, tx: Any, message_id: UUID, cause: str) -> None:
        await tx.run("wake", f"message/{message_id}", "wake", {"cause": cause}, f"{message_id}:{cause}")

    async def _lost(self, full: bool) -> int:
        restarted = 0
        for page in [await self._suspects()] if not full else [await self._suspects(), *await self._everything()]:
            restarted += await self._restart(page)
        async with self.database.transaction() as tx:
            restarted += await tx.run("sweep_replies", [*UNDER_WAY, OutboxState.AMBIGUOUS] if full else [*UNDER_WAY])
        return restarted

    async def _suspects(self) -> list[UUID]:
        async with self.database.transaction() as tx:
            rows = [*await tx.rows("sweep_recent", RECENT), *await tx.rows("sweep_unreceived")]
            rows += await tx.rows("sweep_overdue")
        return list({row["id"] for row in rows})

    async def _everything(self) -> list[list[UUID]]:
        pages: list[list[UUID]] = []
        last = UUID(int=0)
        while True:
            async with self.database.transaction() as tx:
                ids = [row["id"] for row in await tx.rows("sweep_open_messages", last, PAGE)]
            if not ids:
                return pages
            pages.append(ids)
            last = ids[-1]

    async def _restart(self, ids: list[UUID]) -> int:
        if not ids:
            return 0
        missing = set(ids) - await self.engine.open_among(ids)
        async with self.database.transaction() as tx:
            for message_id in sorted(missing):
                await tx.run("sweep_restart", str(message_id))
        if missing:
            activity.logger.warning("messages without an open workflow", extra={"count": len(missing)})
        return len(missing)

    async def _come_back(self) -> None:
        """Conversations whose snooze has ended (P121)."""
        async with self.database.transaction() as tx:
            await tx.rows("desk_wake_due")

    async def _tidy(self, full: bool) -> None:
        if not full:
            return
        async with self.database.transaction() as tx:
            await tx.run("sweep_old_outputs")
            await tx.run("sweep_threads_close")
            await tx.run("sweep_orphan_blobs")
