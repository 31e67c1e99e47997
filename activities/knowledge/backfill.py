"""Knowledge out of the mail that was there before: one job a mailbox, in chunks, with a cursor in the database (P108).

The workflow only repeats the chunk; whether it goes on, the job's row says. A run that was replaced moves nothing.
"""

from typing import Final
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults
from activities.knowledge.mining import EXTRACTED, FAILED, SKIPPED, WITHDRAWN, Mining
from activities.model_turns import ModelHeld
from activities.ports import Database, Row, Transaction
from activities.steps.frame import heartbeats
from contracts.errors import DeskhandError
from contracts.knowledge import BackfillChunk, BackfillStart, BackfillStatus

CHUNK: Final = 30
REST_S: Final = 60
SYSTEM: Final = "system"
_ALLOWED: Final = {
    BackfillStatus.PAUSED: frozenset({BackfillStatus.RUNNING}),
    BackfillStatus.RUNNING: frozenset({BackfillStatus.PAUSED, BackfillStatus.STOPPED}),
    BackfillStatus.CANCELLED: frozenset({BackfillStatus.RUNNING, BackfillStatus.PAUSED, BackfillStatus.STOPPED}),
}


class NoSuchJob(DeskhandError):
    """There is no such backfill in this mailbox."""


class NotNow(DeskhandError):
    """The backfill cannot be changed like this now; the message says why."""


class Backfill:
    """The chunks of a backfill, and the jobs that nobody else looks after."""

    def __init__(self, database: Database, mining: Mining) -> None:
        self.database, self.mining = database, mining

    @activity.defn(name="knowledge_backfill")
    async def chunk(self, run: BackfillStart) -> BackfillChunk:
        """Up to 30 messages from the cursor on."""
        async with named_faults("knowledge_backfill"), heartbeats():
            async with self.database.transaction(run.mailbox_id) as tx:
                rows = await tx.rows("backfill_next", run.job_id, CHUNK)
            for row in rows:
                if not await self._goes_on(run):
                    return BackfillChunk(more=False)
                try:
                    await self._pass(run, row["id"])
                except ModelHeld:
                    return BackfillChunk(more=True, wait_s=REST_S)
            return BackfillChunk(more=await self._goes_on(run, at_end=not rows))

    async def _goes_on(self, run: BackfillStart, at_end: bool = False) -> bool:
        """Stops the job where a flag went off, ends it where nothing is left."""
        async with self.database.transaction(run.mailbox_id) as tx:
            job = await tx.one("backfill_lock", run.job_id, run.mailbox_id)
            if job is None or job["status"] != BackfillStatus.RUNNING or job["run_no"] != run.run_no:
                return False
            ends = await _end_of(tx, run.mailbox_id, at_end)
            # Written also where nothing ends: the row shows that somebody works on it.
            await tx.run("backfill_set", run.job_id, ends or BackfillStatus.RUNNING)
        return ends is None

    async def _pass(self, run: BackfillStart, message_id: UUID) -> None:
        async with self.database.transaction(run.mailbox_id) as tx:
            usable = await tx.value("backfill_usable", message_id)
        outcome = await self.mining.mine(run.mailbox_id, message_id) if usable else SKIPPED
        if outcome == WITHDRAWN:
            return
        counts = (int(outcome == EXTRACTED), int(outcome == SKIPPED), int(outcome == FAILED))
        async with self.database.transaction(run.mailbox_id) as tx:
            await tx.run("backfill_passed", run.job_id, run.run_no, message_id, *counts)

    async def look_after(self) -> int:
        """Begins the jobs that are wanted, and starts those again whose workflow was lost; how many."""
        async with self.database.transaction() as tx:
            wanted = [row["id"] for row in await tx.rows("backfill_wanted")]
            stale = await tx.rows("backfill_stale")
        begun = 0
        for mailbox_id in wanted:
            async with self.database.transaction(mailbox_id) as tx:
                begun += await begin_backfill(tx, mailbox_id, SYSTEM, automatic=True) is not None
        for row in stale:
            async with self.database.transaction(row["mailbox_id"]) as tx:
                await tx.run("backfill_resume", row["id"])
                await tx.run("backfill_start", row["id"])
        return begun + len(stale)


async def _end_of(tx: Transaction, mailbox_id: UUID, at_end: bool) -> BackfillStatus | None:
    flags = await tx.must("mining_flags", mailbox_id)
    if not (flags["knowledge"] and flags["agent"]):
        return BackfillStatus.STOPPED
    return BackfillStatus.DONE if at_end else None


async def begin_backfill(tx: Transaction, mailbox_id: UUID, actor: str, *, automatic: bool = False) -> UUID | None:
    """Makes a job and its start row; None where one is under way, or the automatic one was made before."""
    job = await tx.one("backfill_begin", mailbox_id, automatic, actor)
    if job is None:
        return None
    await tx.run("backfill_start", job["id"])
    after = {"automatic": str(automatic)}
    await tx.run("knowledge_audit", mailbox_id, actor, "backfill_begun", _subject(job["id"]), None, after)
    return UUID(str(job["id"]))


async def begin_if_first(tx: Transaction, mailbox_id: UUID, actor: str) -> None:
    """At the first moment both flags are on: one job, once in the life of the mailbox (P108)."""
    flags = await tx.must("mining_flags", mailbox_id)
    if flags["knowledge"] and flags["agent"]:
        await begin_backfill(tx, mailbox_id, actor, automatic=True)


class BackfillDesk:
    """The backfills of one mailbox as people see and steer them."""

    def __init__(self, database: Database, mailbox_id: UUID) -> None:
        self.database, self.mailbox_id = database, mailbox_id

    async def jobs(self, most: int = 10) -> list[Row]:
        """The last ones, newest first."""
        async with self.database.transaction(self.mailbox_id) as tx:
            return list(await tx.rows("backfill_jobs", self.mailbox_id, most))

    async def job(self, job_id: UUID) -> Row:
        """One of them. Raises NoSuchJob."""
        async with self.database.transaction(self.mailbox_id) as tx:
            return _found(await tx.one("backfill_job", job_id, self.mailbox_id))

    async def begin(self, actor: str) -> UUID:
        """By hand. Raises NotNow while one is under way or a flag is off."""
        async with self.database.transaction(self.mailbox_id) as tx:
            await self._wants_both_flags(tx)
            job_id = await begin_backfill(tx, self.mailbox_id, actor)
        if job_id is None:
            raise NotNow("Another one is under way. Wait for its end, or cancel it.")
        return job_id

    async def pause(self, job_id: UUID, actor: str) -> None:
        """Rests after the message that is being read. Raises NoSuchJob, NotNow."""
        await self._set(job_id, BackfillStatus.PAUSED, actor)

    async def cancel(self, job_id: UUID, actor: str) -> None:
        """Ends it for good; what was found stays. Raises NoSuchJob, NotNow."""
        await self._set(job_id, BackfillStatus.CANCELLED, actor)

    async def resume(self, job_id: UUID, actor: str) -> None:
        """Goes on behind the last message that was read. Raises NoSuchJob, NotNow."""
        async with self.database.transaction(self.mailbox_id) as tx:
            await tx.value("knowledge_import_lock", self.mailbox_id)
            await self._wants_both_flags(tx)
            await self._may(tx, job_id, BackfillStatus.RUNNING)
            if not await tx.run("backfill_resume", job_id):
                raise NotNow("Another one is under way. Wait for its end, or cancel it.")
            await tx.run("backfill_start", job_id)
            await self._audit(tx, job_id, "backfill_resumed", actor)

    async def _set(self, job_id: UUID, status: BackfillStatus, actor: str) -> None:
        async with self.database.transaction(self.mailbox_id) as tx:
            await self._may(tx, job_id, status)
            await tx.run("backfill_set", job_id, status)
            await self._audit(tx, job_id, f"backfill_{status}", actor)

    async def _may(self, tx: Transaction, job_id: UUID, status: BackfillStatus) -> None:
        job = _found(await tx.one("backfill_lock", job_id, self.mailbox_id))
        if job["status"] not in _ALLOWED[status]:
            raise NotNow(f"It is {job['status']} already.")

    async def _wants_both_flags(self, tx: Transaction) -> None:
        flags = await tx.must("mining_flags", self.mailbox_id)
        if not (flags["knowledge"] and flags["agent"]):
            raise NotNow("Turn on ai.agent and ai.knowledge first.")

    async def _audit(self, tx: Transaction, job_id: UUID, action: str, actor: str) -> None:
        await tx.run("knowledge_audit", self.mailbox_id, actor, action, _subject(job_id), None, None)


def _found(job: Row | None) -> Row:
    if job is None:
        raise NoSuchJob("There is no such backfill.")
    return job


def _subject(job_id: UUID) -> str:
    return f"backfill/{job_id}"
