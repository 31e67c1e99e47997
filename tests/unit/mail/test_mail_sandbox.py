"""The parser in a process of its own (MI2, HW12, RS-26). One warm parser serves nearly all tests of this file."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio

from adapters.parsing import SandboxedParser
from contracts.errors import MalformedMessage, TransientFault
from contracts.mail import ParsedMail
from domain.mail.parse import Arrival, parse_strictly
from tests.unit.mail.mail_corpus import CORPUS, RECEIVED, mail


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parser() -> AsyncIterator[SandboxedParser]:
    """A warm parser with one child, so that each test meets what the one before left behind."""
    found = SandboxedParser(processes=1, cpu_limit=timedelta(seconds=1))
    await found.start()
    yield found
    await found.close()


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def read(parser: SandboxedParser, raw: bytes, kind: str = "rfc822") -> tuple[ParsedMail, dict[str, bytes]]:
    """`raw` through the sandbox."""
    return await parser.parse(raw, kind, received_at=RECEIVED, envelope_recipients=("support@shop.example",))


async def test_the_whole_corpus_comes_out_as_in_process(parser: SandboxedParser) -> None:
    """In the child nothing can be loaded any more, and yet every mail gives the same result (MI2)."""
    arrival = Arrival(RECEIVED, None, ("support@shop.example",))
    for name, raw in CORPUS.items():
        assert await read(parser, raw) == parse_strictly(raw, arrival), name


async def test_an_event_is_read_by_its_payload(parser: SandboxedParser) -> None:
    """`provider_json` takes the whole event as received, or its payload (AD2)."""
    payload = {"from": "ada@customer.example", "textBody": "hello"}
    for event in ({"event": "inbound.received", "inboundPayload": payload}, payload):
        shown, _ = await read(parser, json.dumps(event).encode(), "provider_json")
        assert (shown.text, shown.raw_kind) == ("hello", "provider_json")


@pytest.mark.parametrize(
    ("raw", "kind", "code"),
    [
        (b'{"inboundPayload": ', "provider_json", "payload_unreadable"),
        (b"[1]", "provider_json", "payload_unreadable"),
        (b'{"inboundPayload": 1}', "provider_json", "payload_unreadable"),
        (b"\xff", "provider_json", "payload_unreadable"),
        (b"[" * 100_000, "provider_json", "parser_recursion"),
        (b"x", "provider_form", "unknown_raw_kind"),
    ],
)
async def test_what_cannot_be_read_is_named(parser: SandboxedParser, raw: bytes, kind: str, code: str) -> None:
    """A reason code for the poison lane, and the next mail is read as if nothing had been (MI2, RC11)."""
    with pytest.raises(MalformedMessage, match=f"^{code}$"):
        await read(parser, raw, kind)
    assert (await read(parser, CORPUS["plain"]))[0].text == "Where is my parcel?"


async def test_many_callers_share_the_child(parser: SandboxedParser) -> None:
    """Concurrent mails do not mix (MI2)."""
    mails = [mail(b"number %d" % number) for number in range(20)]
    answers = await asyncio.gather(*(read(parser, raw) for raw in mails))
    assert [shown.text for shown, _ in answers] == [f"number {number}" for number in range(20)]


async def test_too_much_cpu_ends_the_child_and_not_the_caller(parser: SandboxedParser) -> None:
    """Past its CPU time the kernel ends the child; the caller gets a code, the next mail a new child (MI2, RS-26)."""
    bomb = b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--\n" * 10_000_000
    with pytest.raises(MalformedMessage, match="^parser_cpu$"):
        await read(parser, bomb)
    assert (await read(parser, CORPUS["plain"]))[0].text == "Where is my parcel?"


async def test_a_killed_child_is_replaced(parser: SandboxedParser) -> None:
    """A child that dies while it works is a named error, one that died while idle too (MI2)."""
    child = await parser._slots[0].child()
    os.kill(child.process.pid, signal.SIGKILL)
    await child.process.wait()
    with pytest.raises(MalformedMessage, match="^parser_killed$"):
        await read(parser, CORPUS["plain"])
    assert (await read(parser, CORPUS["plain"]))[0].text == "Where is my parcel?"


async def test_a_caller_who_gives_up_does_not_disturb_the_next(parser: SandboxedParser) -> None:
    """A cancelled parse never leaves half an answer for the next mail (MI2)."""
    slow = asyncio.create_task(read(parser, b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--\n" * 1_000_000))
    await asyncio.sleep(0.05)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow
    assert (await read(parser, CORPUS["plain"]))[0].text == "Where is my parcel?"


async def test_memory_is_bounded() -> None:
    """What does not fit the address space ends as a code (MI2)."""
    small = SandboxedParser(processes=1, address_space_bytes=300 * 1024 * 1024)
    try:
        with pytest.raises(MalformedMessage, match="^parser_memory$"):
            await read(small, b"Subject: s\r\n\r\n" + b"x" * (120 * 1024 * 1024))
        assert (await read(small, CORPUS["plain"]))[0].text == "Where is my parcel?"
    finally:
        await small.close()


async def test_the_child_knows_no_secret_and_opens_nothing(parser: SandboxedParser) -> None:
    """Its environment holds the path to the code alone, and it has no file descriptor left to open (HW12)."""
    child = await parser._slots[0].child()
    with open(f"/proc/{child.process.pid}/environ", "rb") as source:
        names = {entry.split(b"=")[0] for entry in source.read().split(b"\0") if entry}
    assert names <= {b"PYTHONPATH", b"OPENBLAS_NUM_THREADS", b"OMP_NUM_THREADS", b"PYTHONUTF8", b"LC_CTYPE"}
    with open(f"/proc/{child.process.pid}/limits") as source:
        limits = {line[:25].strip(): line[25:].split()[0] for line in source}
    assert limits["Max open files"] == "0"
    assert limits["Max file size"] == "0"
    assert limits["Max address space"] == str(512 * 1024 * 1024)


async def test_a_child_that_cannot_start_is_a_transient_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine out of processes is no fault of the mail (P34); later mails are read."""
    broken = SandboxedParser(processes=1)
    with monkeypatch.context() as patch:
        patch.setattr("sys.executable", "/nonexistent/python")
        with pytest.raises(TransientFault):
            await read(broken, CORPUS["plain"])
    assert (await read(broken, CORPUS["plain"]))[0].text == "Where is my parcel?"
    await broken.close()
