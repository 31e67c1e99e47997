"""How long a newcomer waits from `deskhand run` in an empty folder until the first mail has its draft."""

import asyncio
from uuid import UUID

from bench.outcome import BenchFailed
from bench.sizes import Sizes
from bench.watching import until_draft_ready
from bench.whole_stack import DEMO_MAIL, WholeStack, whole_stack

PATIENCE_S = 180.0
HAS_TEXT = "SELECT coalesce(draft_response, '') <> '' FROM inbound_messages WHERE id = $1"


def run(sizes: Sizes) -> dict[str, float]:
    """`run_to_first_answer_s`, and `run_to_open_door_s`: until the first mail could be handed over."""
    return asyncio.run(_run())


async def _run() -> dict[str, float]:
    async with whole_stack() as stack:
        return await _first_answer(stack)


async def _first_answer(stack: WholeStack) -> dict[str, float]:
    sql = await stack.open_sql()
    try:
        async with stack.poster() as poster:
            message_id, answer = await poster.accepted(DEMO_MAIL.read_bytes())
        ready = await until_draft_ready(sql, [message_id], PATIENCE_S)
        if not await sql.fetchval(HAS_TEXT, UUID(message_id)):
            raise BenchFailed("the first mail went to a person without a draft")
    finally:
        await sql.close()
    return {
        "run_to_open_door_s": answer.sent_at - stack.began,
        "run_to_first_answer_s": ready[message_id] - stack.began,
    }
