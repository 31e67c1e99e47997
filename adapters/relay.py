"""The only starter of workflows: rows committed with their cause become workflows and signals, once (RC13)."""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import asyncpg
import structlog
from temporalio.client import Client
from temporalio.common import (
    SearchAttributeKey,
    SearchAttributePair,
    TypedSearchAttributes,
    WorkflowIDConflictPolicy,
    WorkflowIDReusePolicy,
)
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from adapters.postgres import Database, Transaction
from contracts import search_attributes as attributes
from contracts.barriers import barrier
from contracts.base import Contract
from contracts.errors import DatabaseFault
from contracts.knowledge import BackfillStart
from contracts.missions_calls import MissionStart
from contracts.workflow import MessageStart, ReplyStart, Wake

POLL_S = 2.0
BATCH = 20
STARTS_PER_CORE_AND_SECOND = 5.0
LEAST_PER_CORE_AND_SECOND = 1.0
BURST_PER_CORE = 2
# What a mail of 100 KiB costs the machine at the door, in workflows: senders time out, the pipeline does not.
ARRIVAL_TAKES = 0.1
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
CHANNEL = "deskhand_relay"
INPUTS: dict[str, type[Contract]] = {
    "InboundMessageWorkflow": MessageStart,
    "ReplyWorkflow": ReplyStart,
    "MissionWorkflow": MissionStart,
    "KnowledgeBackfillWorkflow": BackfillStart,
}
REUSE = {
    "reject_duplicate": WorkflowIDReusePolicy.REJECT_DUPLICATE,
    "allow_duplicate_failed_only": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
}

NO_SERVER = frozenset({RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED})

log = structlog.get_logger("relay")


class Pace:
    """A bucket of starts: `burst` at once, then `per_second`. The rest waits in our table, where it costs nothing.

    Mail that comes in takes part of the pace, down to `least`: reception keeps its share of a busy machine (RC19).
    """

    def __init__(
        self, per_second: float, burst: int = BATCH, least: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second, self.burst, self.least, self.clock = per_second, burst, least or per_second, clock
        self._left, self._at, self._arrived = float(burst), clock(), 0

    def arrived(self) -> None:
        """Books a mail taken in."""
        self._arrived += 1

    def room(self) -> int:
        """How many may start now."""
        now = self.clock()
        seconds = now - self._at
        gained = max(seconds * self.per_second - self._arrived * ARRIVAL_TAKES, seconds * self.least)
        self._left = min(self.burst, self._left + gained)
        self._at, self._arrived = now, 0
        return int(self._left)

    def take(self, started: int) -> None:
        """Books what was started."""
        self._left -= started

    @property
    def one_more_in_s(self) -> float:
        """Seconds until there is room for one, if no mail comes in."""
        return max(1 - self._left, 0) / self.per_second


def _pace_of(cores: int) -> Pace:
    """What so many cores finish anyway, so that little is begun that must then wait half done."""
    return Pace(STARTS_PER_CORE_AND_SECOND * cores, BURST_PER_CORE * cores, LEAST_PER_CORE_AND_SECOND * cores)


class Relay:
    """Runs in the worker. `pace` bounds workflows started, so that reception and running work keep their share."""

    def __init__(
        self,
        database: Database,
        client: Client,
        task_queue: str,
        *,
        pace: Pace | None = None,
        withdraw: Callable[[Any], Awaitable[None]] | None = None,
    ) -> None:
        self.database = database
        self.client = client
        self.task_queue = task_queue
        self.pace = pace or _pace_of(os.cpu_count() or 1)
        self.withdraw = withdraw
        self.woken = asyncio.Event()
        self.switched = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled: drain, then wait for a NOTIFY or two seconds. Kill switches wait for nobody (OB7)."""
        others = [asyncio.create_task(self._listen()), asyncio.create_task(self._follow_switches())]
        try:
            while True:
                self.woken.clear()
                busy = await self._drain()
                if not busy:
                    await _rest(self.woken)
        finally:
            for other in others:
                other.cancel()

    async def _listen(self) -> None:
        """A lost connection costs at most one polling interval."""
        while True:
            try:
                async with self.database.pool.acquire() as connection:
                    await self._hear(connection)
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
                await asyncio.sleep(1)

    async def _hear(self, connection: Any) -> None:
        def wake(_connection: object, _pid: int, _channel: str, table: str) -> None:
            if table == "start_queue":
                self.pace.arrived()
            self.woken.set()
            self.switched.set()

        await connection.add_listener(CHANNEL, wake)
        try:
            while not connection.is_closed():
                await asyncio.sleep(1)
        finally:
            if not connection.is_closed():
                await connection.remove_listener(CHANNEL, wake)

    async def _drain(self) -> bool:
        """One batch of each kind; True if there may be more."""
        try:
            room = self.pace.room()
            started = await self._batch("relay_starts", self._start, room) if room else 0
            self.pace.take(started)
            woken = await self._batch("relay_wakes", self._wake)
        except DatabaseFault as fault:
            log.warning("relay waits for the database", reason=type(fault).__name__)
            await asyncio.sleep(1)
            return False
        except Exception:
            # Nothing may end the only starter of workflows.
            log.exception("relay stumbled")
            await asyncio.sleep(1)
            return False
        if started == room and woken < BATCH:
            await asyncio.sleep(self.pace.one_more_in_s)
        return started == room or woken >= BATCH

    async def _batch(self, query: str, act: Callable[[Transaction, Any], Awaitable[bool]], most: int = BATCH) -> int:
        """Rows worked on. The first that finds no server ends the batch, or twenty time-outs would add up."""
        async with self.database.transaction() as tx:
            rows = await tx.rows(query, most)
            for number, row in enumerate(rows, start=1):
                if not await act(tx, row):
                    return number
        return len(rows)

    async def _start(self, tx: Transaction, row: Any) -> bool:
        """False if there is no server to speak to."""
        try:
            await self._start_workflow(row)
        except WorkflowAlreadyStartedError:
            await tx.run("relay_started", row["workflow_id"], row["start_no"])
        except (RPCError, RuntimeError, OSError, ValueError, KeyError) as fault:
            log.warning("start failed", workflow_id=row["workflow_id"], reason=_reason(fault))
            away = _away(fault)
            await tx.run("relay_start_failed", row["workflow_id"], row["start_no"], _wait(away, row["attempts"]))
            return not away
        else:
            await barrier("after_start", row["workflow_id"])
            await tx.run("relay_started", row["workflow_id"], row["start_no"])
        return True

    async def _start_workflow(self, row: Any) -> None:
        argument = INPUTS[row["workflow_type"]].model_validate(row["input"])
        await self.client.start_workflow(
            row["workflow_type"],
            argument,
            id=row["workflow_id"],
            task_queue=self.task_queue,
            id_reuse_policy=REUSE[row["reuse_policy"]],
            id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
            static_summary=row["summary"] or None,
            search_attributes=_attributes(row),
            rpc_timeout=timedelta(seconds=10),
        )

    async def _wake(self, tx: Transaction, row: Any) -> bool:
        """False if there is no server to speak to."""
        handle = self.client.get_workflow_handle(row["workflow_id"])
        await barrier("before_wake", row["workflow_id"])
        try:
            await handle.signal(row["signal"], Wake(cause=row["cause"]), rpc_timeout=timedelta(seconds=10))
        except (RPCError, RuntimeError, OSError) as fault:
            if not isinstance(fault, RPCError) or fault.status is not RPCStatusCode.NOT_FOUND:
                away = _away(fault)
                await tx.run("relay_wake_failed", row["id"], _wait(away, row["attempts"]))
                return not away
        await barrier("after_wake", row["workflow_id"])
        await tx.run("relay_woken", row["id"])
        return True

    async def _follow_switches(self) -> None:
        """Beside the batches, so that neither a slow server nor a locked thread holds a kill switch up."""
        while self.withdraw is not None:
            self.switched.clear()
            try:
                await self._switches(self.withdraw)
            except Exception as fault:
                log.warning("kill switch waits", reason=type(fault).__name__)
                await asyncio.sleep(1)
            await _rest(self.switched)

    async def _switches(self, withdraw: Callable[[Any], Awaitable[None]]) -> None:
        async with self.database.transaction() as tx:
            rows = await tx.rows("relay_switches")
        for row in rows:
            await withdraw(row)


async def _rest(woken: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(woken.wait(), POLL_S)
    except TimeoutError:
        return


def _away(fault: BaseException) -> bool:
    """Is it the server that is missing, and not this one row that is wrong?"""
    return fault.status in NO_SERVER if isinstance(fault, RPCError) else isinstance(fault, (RuntimeError, OSError))


def _attributes(row: Any) -> TypedSearchAttributes:
    mailbox = row["mailbox_id"]
    pairs = [SearchAttributePair(SearchAttributeKey.for_keyword(attributes.MAILBOX), str(mailbox))] if mailbox else []
    return TypedSearchAttributes(pairs)


def _wait(away: bool, attempts: int) -> timedelta:
    """A missing server is no fault of the row: it keeps its place, so that the oldest starts first (RS-08)."""
    return timedelta() if away else _back_off(attempts)


def _back_off(attempts: int) -> timedelta:
    """1 s to 60 s, with jitter, so that a server that comes back is not run over."""
    longest = min(FIRST_WAIT_S * 2 ** min(attempts, 10), LONGEST_WAIT_S)
    return timedelta(seconds=longest * (0.5 + random.random() / 2))


def _reason(fault: BaseException) -> str:
    return fault.status.name if isinstance(fault, RPCError) else type(fault).__name__
