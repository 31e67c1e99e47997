"""kill -9 of Postgres and of Temporal with twenty messages under way, and Temporal away while mail comes in (RC12).

The worker lives through all of it: it is one installation, told three stories one after the other.
"""

import asyncio
import signal
import uuid
from collections.abc import Awaitable, Callable
from datetime import datetime
from uuid import UUID

import pytest
import pytest_asyncio

from cli.stack.children import Child
from contracts.errors import DatabaseFault
from tests.faults.conftest import Build
from tests.faults.house import House
from tests.faults.looking import eventually
from tests.faults.mails import mail
from tests.faults.promise import check_promise

pytestmark = pytest.mark.asyncio(loop_scope="module")

LOAD = 20
QUEUED = 50


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def working_house(build: Build) -> House:
    """A house whose worker is never touched."""
    house = await build("smtp")
    await house.start_worker()
    return house


async def kill_server(child: Child) -> None:
    """kill -9 of a server, and the proof of it."""
    child.send(signal.SIGKILL)
    await child.ended()
    assert child.exit_code() == -signal.SIGKILL


async def some(house: House, messages: list[UUID], statuses: tuple[str, ...], count: int) -> None:
    """Waits until so many of the messages are that far."""

    async def there() -> bool:
        sql = "SELECT count(*) FROM inbound_messages WHERE id = ANY ($1) AND processing_status = ANY ($2)"
        return await house.value(sql, messages, list(statuses)) >= count

    await eventually(there, f"{count} messages are {' or '.join(statuses)}")


async def through_the_storm(house: House, messages: list[UUID], strike: Callable[[], Awaitable[None]]) -> None:
    """Struck once while messages are being read, and once while replies leave; everything arrives."""
    await some(house, messages, ("draft_ready",), 3)
    await strike()
    await some(house, messages, ("draft_ready",), len(messages))
    await asyncio.gather(*(house.approve_by_signal(message) for message in messages))
    await some(house, messages, ("sent",), 3)
    await strike()
    await some(house, messages, ("sent", "approved"), len(messages))
    await eventually(lambda: _settled(house, messages), "each reply is sent or in doubt")


async def _settled(house: House, messages: list[UUID]) -> bool:
    states = {await house.status(message) for message in messages}
    return states <= {"sent", "approved/delivery_ambiguous"}


async def _all_messages(house: House) -> list[UUID]:
    return [row["message_id"] for row in await house.rows("SELECT message_id FROM accepted_mail")]


async def test_temporal_killed_under_load_loses_and_repeats_nothing(working_house: House) -> None:
    """A8, RC13: two kills of the server among twenty messages; each is received, drafted and answered once."""
    house, server = working_house, working_house.servers.services.temporal

    async def strike() -> None:
        await kill_server(server.child)
        await server.start()

    messages = await house.accept_many(LOAD)
    await through_the_storm(house, messages, strike)
    await check_promise(house, await _all_messages(house))


async def test_postgres_killed_under_load_loses_and_repeats_nothing(working_house: House) -> None:
    """RS-06, A8: two kills of Postgres; the sender repeats what was refused, and each mail becomes one message."""
    house, server = working_house, working_house.servers.services.postgres

    async def strike() -> None:
        await kill_server(server.child)
        await server.start()

    mails = {f"evt-{uuid.uuid4()}": mail() for _ in range(LOAD)}
    messages = [await _accept_stubbornly(house, content, event) for event, content in mails.items()]
    late = {f"evt-{uuid.uuid4()}": mail() for _ in range(5)}
    sending = asyncio.create_task(_all_accepted(house, late))
    await through_the_storm(house, messages, strike)
    messages += await sending
    again = [await _accept_stubbornly(house, content, event) for event, content in (mails | late).items()]
    assert again == messages
    await some(house, messages, ("sent", "approved", "draft_ready"), len(messages))
    await check_promise(house, await _all_messages(house))


async def _all_accepted(house: House, mails: dict[str, bytes]) -> list[UUID]:
    return [await _accept_stubbornly(house, content, event) for event, content in mails.items()]


async def _accept_stubbornly(house: House, content: bytes, event: str) -> UUID:
    """A sender tries again as long as it is answered 503."""
    while True:
        try:
            return await house.accept(content, event)
        except DatabaseFault:
            await asyncio.sleep(0.2)


async def test_mail_is_taken_in_while_temporal_is_down_and_started_oldest_first(working_house: House) -> None:
    """RS-08, shortened from an hour and 1,000 mails to 50: all accepted, all started once after the return, in order.

    How the order survives a long outage is pinned in `test_relay_order`.
    """
    house, server = working_house, working_house.servers.services.temporal
    await kill_server(server.child)
    messages = await house.accept_many(QUEUED)
    await eventually(lambda: _was_tried(house), "the relay tried and failed")
    await server.start()
    await some(house, messages, ("draft_ready",), QUEUED)
    times = [await _started_at(house, message) for message in messages]
    assert times == sorted(times)
    await check_promise(house, await _all_messages(house))


async def _started_at(house: House, message: UUID) -> datetime:
    return (await house.workflow(message).describe()).start_time


async def _was_tried(house: House) -> bool:
    return bool(await house.value("SELECT count(*) FROM start_queue WHERE started_at IS NULL AND attempts > 0"))
