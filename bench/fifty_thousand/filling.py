"""Fills a house with the planned conversations, in some processes at once."""

import asyncio
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from adapters.postgres import Database, Transaction
from bench.fifty_thousand.letters import letter
from bench.fifty_thousand.plan import Conversation, Ending, conversations
from bench.fifty_thousand.story import Story
from domain.keys import Keyring

AT_ONCE = 3
LATER = timedelta(days=3)
STRANGER = "nobody@elsewhere.example"


@dataclass(frozen=True)
class Ground:
    """Where to fill in, and who decides, owns and reads there; `organisation_id` is theirs."""

    database_url: str
    key: bytes
    organisation_id: UUID
    person: UUID
    address: str


def fill(ground: Ground, messages: int, processes: int | None = None) -> float:
    """Fills in so many messages; seconds it took."""
    many, began = processes or os.cpu_count() or 1, time.monotonic()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(many, mp_context=spawn) as pool:
        parts = [pool.submit(fill_part, ground, messages, n, many) for n in range(many)]
        for part in parts:
            part.result()
    return time.monotonic() - began


def fill_part(ground: Ground, messages: int, part: int, parts: int) -> None:
    """Every `parts`-th conversation; the longest go first, so that the processes end together."""
    mine = sorted(conversations(messages), key=lambda c: -len(c.endings))[part::parts]
    asyncio.run(fill_in(ground, mine))


async def fill_in(ground: Ground, planned: Sequence[Conversation]) -> None:
    """These conversations, some at once; mails of one in their order."""
    database = await Database.connect(ground.database_url, most=AT_ONCE, name="fill")
    waiting = iter(planned)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(_take(database, ground, waiting))
    finally:
        await database.close()


async def _take(database: Database, ground: Ground, waiting: Iterator[Conversation]) -> None:
    keyring = Keyring(ground.key)
    for conversation in waiting:
        thread_id = None
        for number, ending in enumerate(conversation.endings):
            async with database.transaction(lifecycle=True) as tx:
                story = Story(tx, keyring, ground.person)
                misdirected = ending is Ending.POISON
                content = letter(STRANGER if misdirected else ground.address, conversation.number, number)
                await story.tell(content, ending, conversation.number)
                thread_id = thread_id if misdirected else await story.thread_id()
        if thread_id is not None:
            async with database.transaction() as tx:
                await _arrange(tx, ground, thread_id, conversation)


async def _arrange(tx: Transaction, ground: Ground, thread_id: UUID, conversation: Conversation) -> None:
    """What people did with the conversation itself."""
    if conversation.read:
        await tx.run("dashboard_read", ground.person, thread_id)
    if conversation.state == "assigned":
        await tx.value("dashboard_assign", thread_id, ground.person, ground.organisation_id)
    elif conversation.state == "snoozed":
        await tx.run("desk_snooze", thread_id, datetime.now(UTC) + LATER)
    elif conversation.state and conversation.endings[-1] is not Ending.REVIEW:
        await tx.run("desk_thread_status", thread_id, conversation.state)
