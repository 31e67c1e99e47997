"""Keeps knowledge in order behind the worker: vectors that are missing, word counts that are stale (P107)."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog

from activities.knowledge.vectors import Reembedding
from activities.ports import Database, Embedder
from contracts.errors import DeskhandError

EVERY: Final = timedelta(minutes=2)

log = structlog.get_logger("knowledge")


class KnowledgeUpkeep:
    """One round over all mailboxes at start, then one every two minutes. Each step may be repeated by any worker."""

    def __init__(self, database: Database, embedder: Embedder, every: timedelta = EVERY) -> None:
        self.database, self.embedder, self.every = database, embedder, every

    def start(self) -> Callable[[], Awaitable[None]]:
        """Begins; the answer ends it."""
        task = asyncio.create_task(self._run())

        async def stop() -> None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        return stop

    async def _run(self) -> None:
        while True:
            try:
                await self.round()
            except DeskhandError as fault:
                log.warning("knowledge waits", reason=type(fault).__name__)
            except Exception as fault:
                log.exception("knowledge upkeep failed", reason=type(fault).__name__)
            await asyncio.sleep(self.every.total_seconds())

    async def round(self) -> int:
        """Once over all mailboxes; the number of vectors made. Raises the faults of database and embedder."""
        async with self.database.transaction() as tx:
            mailboxes = [row["id"] for row in await tx.rows("knowledge_mailboxes")]
        return sum([await self._keep(mailbox_id) for mailbox_id in mailboxes])

    async def _keep(self, mailbox_id: UUID) -> int:
        async with self.database.transaction(mailbox_id) as tx:
            if await tx.value("knowledge_words_stale", mailbox_id):
                await tx.run("knowledge_count_words", mailbox_id)
        return await Reembedding(self.database, self.embedder).run(mailbox_id)
