"""What the API does while others are away: without Temporal it takes mail in and decides nothing (RC12, P100)."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from cli.stack.ports import spare_ports
from tests.integration.running import Running, mail
from tests.integration.senders import SENDERS

NOWHERE = ("127.0.0.1:9", "deskhand")
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def alone(run_deskhand: Callable[..., Running]) -> Running:
    """An API whose Temporal does not exist, and no worker."""
    from datetime import timedelta

    return run_deskhand(with_worker=False, temporal=NOWHERE, answer_within=timedelta(seconds=1))


async def test_mail_is_accepted_while_temporal_is_down(alone: Running) -> None:  # RC12, RS-08
    """All 200; each waits in the start queue in the order it came. 200 mails here instead of 1,000."""
    slots = asyncio.Semaphore(20)

    async def one() -> int:
        async with slots:
            return (await alone.deliver(mail())).status_code

    assert set(await asyncio.gather(*(one() for _ in range(200)))) == {200}
    waiting = await alone.value("SELECT count(*) FROM start_queue WHERE started_at IS NULL AND attempts = 0")
    assert waiting == 200
    health = (await alone.get("/healthz", token="")).json()
    assert (
        health["status"] == "degraded"
        and health["degraded"] == ["temporal"]
        and health["relay_backlog"]["starts"] == 200
    )


async def test_decisions_wait_while_temporal_is_down(alone: Running) -> None:  # P100, A102
    """503 with Retry-After; reading goes on, and what is settled already is refused without asking anybody."""
    message_id = await alone.arrive(mail(to="nobody@elsewhere.example"))
    answer = await alone.act(
        message_id, "deliver_to", mailbox_id=str(alone.mailbox_id), request_id="deliver-while-down"
    )
    assert answer.status_code == 503 and answer.headers["retry-after"] == "5"
    assert answer.json()["request_id"] == "deliver-while-down"
    assert (await alone.message(message_id))["account"] == "poison"
    audited = await alone.value("SELECT count(*) FROM audit_log WHERE subject = $1", f"message/{message_id}")
    assert audited == 0


@pytest.mark.long
async def test_twenty_large_uploads_stay_within_memory(alone: Running, tmp_path: Path) -> None:  # RS-24
    """60 MiB each at full caps against the API as a process of its own: all 200, peak below 300 MiB.

    Raw mail, and JSON of 30 MiB beside it: reading JSON takes three times its size for a moment.
    """
    port = spare_ports().api_port
    environment = {
        **os.environ, "DATABASE_URL": alone.database_url, "ORGANISATION_KEY": alone.key.hex(),
        "TEMPORAL_ADDRESS": NOWHERE[0], "DESKHAND_STATE_DIR": str(tmp_path),
    }  # fmt: skip
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "api.app:create_app",
        "--factory",
        "--port",
        str(port),
        "--no-access-log",
    ]
    with open(tmp_path / "api.log", "wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        await _until_up(port)
        wanted = [(SENDERS["raw"], 60 * MIB)] * 20 + [(SENDERS["mta"], 30 * MIB)] * 4
        await alone.source("mta", "mta", SENDERS["mta"].secret)
        await alone.source("shop", "raw", SENDERS["raw"].secret)
        statuses = await asyncio.gather(*(_upload(port, sender, size) for sender, size in wanted))
        peak = _peak_mib(process.pid)
        too_large = await _upload(port, SENDERS["raw"], 129 * MIB)
        stub = await _upload(port, SENDERS["raw"], 65 * MIB)
    finally:
        process.terminate()
        process.wait(20)
    assert statuses == [200] * 24 and (too_large, stub) == (413, 200)
    assert peak < 300, f"{peak} MiB"


async def _until_up(port: int) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        for _ in range(200):
            try:
                if (await client.get(f"http://127.0.0.1:{port}/healthz")).status_code == 200:
                    return
            except httpx2.TransportError:
                await asyncio.sleep(0.1)
    raise AssertionError("the API did not start")


async def _upload(port: int, sender: object, size: int) -> int:
    fields = {"textBody": "x" * size} if sender.kind == "mta" else {"body": "x" * size}  # type: ignore[attr-defined]
    body = sender.good(**fields)  # type: ignore[attr-defined]
    headers = sender.headers(body, at=int(time.time()))  # type: ignore[attr-defined]
    async with httpx2.AsyncClient(trust_env=False, timeout=300) as client:
        answer = await client.post(f"http://127.0.0.1:{port}{sender.path}", content=body, headers=headers)  # type: ignore[attr-defined]
    return answer.status_code


def _peak_mib(pid: int) -> int:
    line = next(x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1]) // 1024
