"""Every message exactly once: thousands sent twice each, in random order, while the worker is killed and started again.

What is counted are rows and workflows, not answers: a message that is missing anywhere is lost, one that is anywhere
twice is doubled.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from bench.house import House
from bench.mails import plain_mail
from bench.outcome import BenchFailed
from bench.posting import Poster
from bench.sizes import Sizes
from bench.tracing import Trace, traces_of
from bench.watching import how_many_ready

SENDERS = 8
KILLS = 2
TRIES = 60
PAUSE_S = 0.5
LEAST_RATE = 4.0
LOOK_EVERY_S = 1.0
SEED = 20_261_130


@dataclass
class Sent:
    """The distinct mails, the message ids the door answered each with, and how many deliveries are done."""

    mails: list[bytes]
    answered: dict[int, set[str]] = field(default_factory=dict)
    done: int = 0


def run(sizes: Sizes) -> dict[str, float]:
    """`lost` and `doubled` of so many distinct messages; BenchFailed if any is, or if not all finished in time."""
    return asyncio.run(_run(sizes))


async def _run(sizes: Sizes) -> dict[str, float]:
    sent = Sent([plain_mail(number) for number in range(sizes.distinct)])
    async with House() as house:
        async with asyncio.TaskGroup() as group:
            group.create_task(_send_all(house, sent))
            group.create_task(_kill_now_and_then(house, sent))
        finished = await _until_finished(house, sizes.distinct)
        traces = await traces_of(house, [_message_id(mail) for mail in sent.mails])
    return judged(traces, sent, finished)


def judged(traces: dict[str, Trace], sent: Sent, finished: int) -> dict[str, float]:
    """Counts what is missing and what is there twice; BenchFailed unless neither is and everything finished."""
    wanted = [traces.get(_message_id(mail), Trace()) for mail in sent.mails]
    lost = sum(trace.is_missing for trace in wanted)
    doubled = sum(trace.is_doubled for trace in wanted) + sum(len(ids) > 1 for ids in sent.answered.values())
    measured = {"distinct_messages": float(len(wanted)), "lost": float(lost), "doubled": float(doubled)}
    measured["finished"] = float(finished)
    if lost or doubled or finished != len(wanted):
        odd = Counter(trace.words() for trace in wanted if trace.is_missing or trace.is_doubled)
        words = f"{finished} of {len(wanted)} finished, {lost} lost, {doubled} doubled"
        raise BenchFailed(f"{words}: {dict(odd)}", measured)
    return measured


def _message_id(mail: bytes) -> str:
    line = next(line for line in mail.split(b"\r\n") if line.startswith(b"Message-ID: "))
    return line.partition(b": ")[2].strip(b"<>").decode()


async def _send_all(house: House, sent: Sent) -> None:
    """Each mail twice, in random order. Half of the repeats come as the same event, half as another one."""
    order = [*range(len(sent.mails))] * 2
    random.Random(SEED).shuffle(order)
    turns = iter(order)
    async with house.poster() as poster, asyncio.TaskGroup() as group:
        for _ in range(SENDERS):
            group.create_task(_send(poster, turns, sent))


async def _send(poster: Poster, turns: Iterator[int], sent: Sent) -> None:
    for number in turns:
        event_id = f"event-{number}" if number % 2 else None
        message_id = await _deliver(poster, sent.mails[number], event_id)
        sent.answered.setdefault(number, set()).add(message_id)
        sent.done += 1


async def _deliver(poster: Poster, mail: bytes, event_id: str | None) -> str:
    """As a sender does: again and again until the door says 200."""
    for _ in range(TRIES):
        try:
            answer = await poster.post(mail, event_id)
        except (OSError, TimeoutError):
            answer = None
        if answer is not None and answer.status == 200:
            return str(answer.body["message_id"])
        await asyncio.sleep(PAUSE_S)
    raise BenchFailed(f"the webhook took a mail in none of {TRIES} tries")


async def _kill_now_and_then(house: House, sent: Sent) -> None:
    """`kill -9` on the worker when a third and when two thirds of the deliveries are done; then a new one."""
    for number in range(1, KILLS + 1):
        while sent.done < 2 * len(sent.mails) * number // (KILLS + 1):
            await asyncio.sleep(0.05)
        if (code := await house.kill_worker()) != -9:
            raise BenchFailed(f"the worker was to die of kill -9 and ended with {code}")
        await house.worker.start()


async def _until_finished(house: House, distinct: int) -> int:
    """Wait for all drafts, at most as long as a slow machine may take; how many there are."""
    deadline = time.monotonic() + 120 + distinct / LEAST_RATE
    while (ready := await how_many_ready(house.sql)) < distinct and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_EVERY_S)
    return ready
