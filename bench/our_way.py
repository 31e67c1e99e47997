"""Our own pipeline, driven the same way as the others: mail is queued, then the clock runs until all have drafts."""

import asyncio
import signal
import time
from collections.abc import Iterator, Sequence

from bench.house import House
from bench.posting import Poster
from bench.watching import until_draft_ready

SENDERS = 4
QUEUED_AT = "SELECT extract(epoch FROM created_at)::float8 FROM start_queue WHERE workflow_id = 'message/' || $1"


async def do(house: House, mails: Sequence[bytes], within_s: float) -> tuple[list[str], float]:
    """Queue mails behind a worker that stands still, let it go, and wait; ids, and seconds until the last draft."""
    house.worker.child.send(signal.SIGSTOP)
    try:
        ids = await _queue(house, mails)
    finally:
        went_on_at = time.time()
        house.worker.child.send(signal.SIGCONT)
    ready = await until_draft_ready(house.sql, ids, within_s)
    return ids, max(ready.values()) - went_on_at


async def _queue(house: House, mails: Sequence[bytes]) -> list[str]:
    ids: list[str] = []
    turns = iter(mails)
    async with house.poster() as poster, asyncio.TaskGroup() as group:
        for _ in range(SENDERS):
            group.create_task(_send(poster, turns, ids))
    return ids


async def _send(poster: Poster, turns: Iterator[bytes], ids: list[str]) -> None:
    for mail in turns:
        message_id, _ = await poster.accepted(mail)
        ids.append(message_id)


async def one(house: House, poster: Poster, mail: bytes, within_s: float) -> float:
    """Seconds from the transaction that queued one mail to its draft; the worker is idle before."""
    message_id, _ = await poster.accepted(mail)
    ready = await until_draft_ready(house.sql, [message_id], within_s)
    return float(ready[message_id] - await house.sql.fetchval(QUEUED_AT, message_id))
