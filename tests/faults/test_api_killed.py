"""The API dies between COMMIT and its answer, or asks a workflow that has not heard the news: nobody is told a lie."""

import asyncio
import time
from typing import Any
from uuid import UUID

import httpx2
import pytest

from activities.lifecycle import Lifecycle
from api.webhooks.signatures import sign_standard
from contracts.lifecycle import Command, Withdraw
from domain.keys import Keyring
from tests.faults.house import KEY, House
from tests.faults.mails import mail
from tests.faults.promise import check_accounts, check_promise

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def deliver(house: House, http: httpx2.AsyncClient, content: bytes, event: str) -> httpx2.Response:
    """One try of a webhook sender."""
    now = int(time.time())
    signed = {
        "webhook-id": event,
        "webhook-timestamp": str(now),
        "webhook-signature": sign_standard(house.login.raw_secret, event, now, content),
    }
    return await http.post(f"{house.url}/webhooks/raw/default", content=content, headers=signed)


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
    await _a_reviewer_is_not_refused_for_news_that_are_under_way(house, rows[0]["message_id"])


async def _a_reviewer_is_not_refused_for_news_that_are_under_way(house: House, message: UUID) -> None:
    """P20a: the reply was taken back, its wake is not there yet; the new approval waits for it instead of failing."""
    await house.config(human_undo_ms=120_000)
    headers = {"authorization": f"Bearer {house.login.api_token}"}
    async with httpx2.AsyncClient(base_url=house.url, trust_env=False, timeout=60, headers=headers) as http:
        assert (await _approve(http, message)).status_code == 200
        await _withdraw_without_wake(house, message)
        await house.config(human_undo_ms=0)
        approval = asyncio.create_task(_approve(http, message))
        await asyncio.sleep(1)
        await house.rows(
            "INSERT INTO wake_queue (workflow_id, cause) VALUES ('message/' || $1::uuid, 'late news')", message
        )
        answer = await approval
    assert answer.status_code == 200, answer.text
    await house.until(message, "sent")
    await check_accounts(house, [message])


async def _approve(http: httpx2.AsyncClient, message: UUID) -> httpx2.Response:
    seen: dict[str, Any] = (await http.get(f"/api/messages/{message}")).json()["to_approve"]
    return await http.post(f"/api/messages/{message}/approve", json=seen)


async def _withdraw_without_wake(house: House, message: UUID) -> None:
    """What the database says between a transaction and the delivery of its wake."""
    outbox = await house.value("SELECT id FROM outbox WHERE message_id = $1 AND state = 'ready'", message)
    act = Withdraw(outbox_id=outbox, reason="kill_switch")
    command = Command(message_id=message, cause_key="test/withdraw", actor="test", act=act)
    assert (await Lifecycle(house.database, Keyring(KEY)).apply(command)).ok
