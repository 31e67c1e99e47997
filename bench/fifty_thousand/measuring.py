"""Fills the house, then times the queue, the list, conversations of every length, and searches."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import closing

import asyncpg

from bench.fifty_thousand.filling import fill
from bench.fifty_thousand.house import EMAIL, QuietHouse
from bench.fifty_thousand.timing import Reader
from bench.outcome import BenchFailed, percentile

BAR_MS = 200.0
ASKED = 100
LONGEST_FIRST = """
(SELECT id FROM conversation_threads WHERE message_count > 0 ORDER BY message_count DESC, id LIMIT 5)
UNION ALL (SELECT id FROM conversation_threads WHERE message_count > 0 ORDER BY md5(id::text) LIMIT 20)
"""
STATUSES = """
SELECT coalesce(m.processing_status, a.account) AS place, count(*) AS n
FROM accepted_mail a LEFT JOIN inbound_messages m ON m.id = a.message_id GROUP BY 1 ORDER BY 2 DESC
"""
SEARCHES = ("invoice", "100123", "walnut table", "anna", "berg kettle", "receipt", "nowhere to be found", "par")
QUEUE = ("", "?trust=ready", "?trust=you", "?owner=nobody", "?overdue=yes")
LISTS = ("", "?filter=waiting", "?filter=unassigned", "?filter=closed", "?sort=newest", "?filter=mine")


async def run(messages: int, say: Callable[[str], None], processes: int | None = None) -> dict[str, float]:
    """The figures by name; BenchFailed, with the figures, where one is above the bar."""
    async with QuietHouse() as house:
        took_s = await asyncio.to_thread(fill, house.ground(), messages, processes)
        await house.sql.execute("ANALYZE")
        say(f"filled {messages} messages in {took_s:.0f} s: {await _statuses(house.sql)}")
        paths = await _paths(house.sql)
        found = await asyncio.to_thread(_measure, house, paths)
    result = {"pages_filled_messages": float(messages), "pages_filled_s": took_s, **found}
    late = {name: value for name, value in found.items() if name.endswith("p95_ms") and value > BAR_MS}
    if late:
        raise BenchFailed(f"slower than {BAR_MS:.0f} ms: {', '.join(late)}", result)
    return result


async def _statuses(sql: asyncpg.Pool) -> str:
    return ", ".join(f"{row['n']} {row['place']}" for row in await sql.fetch(STATUSES))


async def _paths(sql: asyncpg.Pool) -> dict[str, list[str]]:
    threads = [row["id"] for row in await sql.fetch(LONGEST_FIRST)]
    return {
        "queue_page": [f"/dashboard/inbox/review{query}" for query in QUEUE],
        "inbox_page": [f"/dashboard/inbox{query}" for query in LISTS],
        "thread_page": [f"/dashboard/inbox/{thread_id}" for thread_id in threads],
        "search": [f"/dashboard/inbox?q={words.replace(' ', '+')}" for words in SEARCHES],
    }


def _measure(house: QuietHouse, paths: Mapping[str, list[str]]) -> dict[str, float]:
    found: dict[str, float] = {}
    with closing(Reader(house.url)) as reader:
        reader.sign_in(EMAIL, house.password)
        for name, addresses in paths.items():
            seconds = reader.all_of(addresses, ASKED)
            found |= {f"{name}_p{rank}_ms": percentile(seconds, rank / 100) * 1000 for rank in (50, 95)}
    return found
