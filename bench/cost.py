"""What one plain message costs the engine, from its start until a person can see the draft: history events and writes.

The writes are counted by the Temporal server itself. Everything else that writes in the namespace is paused meanwhile,
and a quiet spell before shows that nothing else does.
"""

import asyncio

from bench.house import House, another_port
from bench.mails import plain_mail
from bench.outcome import BenchFailed
from bench.server_metrics import between, read_writes
from bench.sizes import Sizes
from bench.warming import warm_up
from bench.watching import until_draft_ready
from cli.stack.ports import spare_ports
from cli.stack.temporal import NAMESPACE

PATIENCE_S = 60.0
QUIET_S = 2.0
QUIET_TRIES = 15


def run(sizes: Sizes) -> dict[str, float]:
    """`events_per_message` (the most any needed) and `persistence_tx_per_message` (the mean over all of them)."""
    return asyncio.run(_run(sizes))


async def _run(sizes: Sizes) -> dict[str, float]:
    port = another_port(spare_ports())
    async with House(metrics_port=port) as house:
        await warm_up(house, sizes.warm_up)
        await _pause_schedules(house)
        before = await _quiet(port)
        ids = await _send(house, sizes.counted)
        writes = between(before, await _quiet(port))
        events = [await _events(house, message_id) for message_id in ids]
    return {"events_per_message": float(max(events)), "persistence_tx_per_message": writes / len(ids)}


async def _pause_schedules(house: House) -> None:
    async for schedule in await house.client.list_schedules():
        await house.client.get_schedule_handle(schedule.id).pause(note="a benchmark counts writes")


async def _quiet(port: int) -> dict[str, int]:
    """The reading after a spell in which nothing was written, so that every write belongs to a message."""
    last = await read_writes(port, NAMESPACE)
    for _ in range(QUIET_TRIES):
        await asyncio.sleep(QUIET_S)
        now = await read_writes(port, NAMESPACE)
        if between(last, now) == 0:
            return now
        last = now
    raise BenchFailed("the namespace never came to rest, so writes cannot be told apart")


async def _send(house: House, messages: int) -> list[str]:
    ids = []
    async with house.poster() as poster:
        for number in range(messages):
            message_id, _ = await poster.accepted(plain_mail(number))
            await until_draft_ready(house.sql, [message_id], PATIENCE_S)
            ids.append(message_id)
    return ids


async def _events(house: House, message_id: str) -> int:
    history = await house.client.get_workflow_handle(f"message/{message_id}").fetch_history()
    return len(history.events)
