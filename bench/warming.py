"""The first mails of a process pay for imports, caches and connections; they are sent before anything is timed."""

from bench.house import House
from bench.mails import plain_mail
from bench.watching import until_draft_ready

PATIENCE_S = 120.0


async def warm_up(house: House, messages: int) -> None:
    """Send so many plain mails, one after the other and then two at once, and wait for their drafts."""
    async with house.poster() as poster:
        for number in range(messages):
            message_id, _ = await poster.accepted(plain_mail(number))
            await until_draft_ready(house.sql, [message_id], PATIENCE_S)
