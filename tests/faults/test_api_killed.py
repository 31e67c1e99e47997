"""The API dies between COMMIT and its answer: the sender knows nothing, tries again, and must make no second message."""

import asyncio
import time
from collections.abc import Awaitable

import httpx2
import pytest

from api.webhooks.signatures import sign_standard
from tests.faults.house import House, mail
from tests.faults.promise import check_promise

pytestmark = pytest.mark.asyncio(loop_scope="module")


def deliver(house: House, http: httpx2.AsyncClient, content: bytes, event: str) -> Awaitable[httpx2.Response]:
    """One try of a webhook sender."""
    now = int(time.time())
    signed = {
        "webhook-id": event,
        "webhook-timestamp": str(now),
        "webhook-signature": sign_standard(house.login.raw_secret, event, now, content),
    }
    return http.post(f"http://127.0.0.1:{house.servers.ports.api_port}/webhooks/raw/default", content=content, headers=signed)


async def test_a_mail_whose_answer_was_lost_is_known_when_it_comes_again(house: House) -> None:
    """RS-07: kill -9 after the COMMIT; the sender's retry is answered 200 as a duplicate; one message, one workflow."""
    content = mail()
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
        await house.start_api("after_accept_commit")
        first_try = asyncio.create_task(deliver(house, http, content, "evt-once"))
        message = await house.held("after_accept_commit")
        await house.kill(house.api)
        with pytest.raises(httpx2.TransportError):
            await first_try
        await asyncio.gather(house.start_api(), house.start_worker())
        answer = await deliver(house, http, content, "evt-once")
    assert (answer.status_code, answer.json()) == (200, {"message_id": message, "duplicate": True})
    rows = await house.rows("SELECT message_id FROM accepted_mail")
    assert [str(row["message_id"]) for row in rows] == [message]
    await house.until(rows[0]["message_id"], "draft_ready")
    await check_promise(house, [rows[0]["message_id"]])
