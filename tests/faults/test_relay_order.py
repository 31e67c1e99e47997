"""A server that is away is nobody's fault but its own: orders to start keep their places in the queue (RC13, RS-08)."""

from typing import Any

import pytest
from temporalio.service import RPCError, RPCStatusCode

from adapters.relay import Relay
from tests.faults.house import House

pytestmark = pytest.mark.asyncio(loop_scope="module")


class AwayServer:
    """A Temporal client whose server is down until somebody turns it on."""

    def __init__(self) -> None:
        self.is_down = True
        self.tries = 0
        self.started: list[str] = []

    async def start_workflow(self, name: str, argument: Any, *, id: str, **options: Any) -> None:
        """As the real one."""
        self.tries += 1
        if self.is_down:
            raise RPCError("away", RPCStatusCode.UNAVAILABLE, b"")
        self.started.append(id)


async def test_the_oldest_mail_starts_first_however_often_the_server_was_missed(house: House) -> None:
    """RS-08: ten rounds against a dead server move nobody to the end of the queue."""
    server = AwayServer()
    relay = Relay(house.database, server, "unused")  # type: ignore[arg-type]
    messages = await house.accept_many(25)
    for _ in range(10):
        await relay._drain()
    assert server.tries == 10, "a missing server is asked once a round, not once a row"
    server.is_down = False
    while await relay._drain():
        pass
    assert server.started == [f"message/{message}" for message in messages]
