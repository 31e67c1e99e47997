"""The sender's side of the webhook: signatures, patience, and what each answer means for the next mail."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx2
import pytest
from standardwebhooks import Webhook

from cli.door import PATIENCE_S, Door, DoorRefuses, DoorShut, Fate, Receipt, event_id_of, retry_after_s

SECRET = "whsec_" + "Zm9ydHkgd2lua3Mgb2YgYSByZWQgZmlzaGluZyBib2F0IQ=="
MAIL = b"From: Ana <ana@customer.example>\nSubject: Lamp\n\nIs it in stock?\n"
STORED = {"message_id": "0199", "duplicate": False}

Answers = Callable[[httpx2.Request], httpx2.Response]


class Pauses:
    """A sleep that takes no time and remembers what was asked for."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


@asynccontextmanager
async def door_to(answers: Answers, pauses: Pauses) -> AsyncIterator[Door]:
    """A door whose other side is a function."""
    transport = httpx2.MockTransport(answers)
    async with httpx2.AsyncClient(base_url="http://deskhand.example", transport=transport) as http:
        yield Door(http, "archive", SECRET, sleep=pauses)


async def send(*answers: httpx2.Response | Exception) -> tuple[Receipt, list[float]]:
    """Send one mail to a door that gives these answers in turn; the receipt, and the pauses between tries."""
    waiting, pauses = list(answers), Pauses()

    def answer(request: httpx2.Request) -> httpx2.Response:
        given = waiting.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    async with door_to(answer, pauses) as door:
        receipt = await door.send(MAIL)
    assert waiting == []
    return receipt, pauses.slept


def ok(**answer: object) -> httpx2.Response:
    """200 as the webhook says it."""
    return httpx2.Response(200, json=STORED | answer)


async def test_signature_fits_the_public_standard() -> None:
    """AD3: the `standardwebhooks` package, which is not ours, verifies what we send."""
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return ok()

    async with door_to(answer, Pauses()) as door:
        await door.send(MAIL)
    (request,) = seen
    assert request.url.path == "/webhooks/raw/archive"
    assert request.content == MAIL
    Webhook(SECRET).verify(request.content.decode(), dict(request.headers), json_parse=False)


def test_event_id_is_of_the_content_alone() -> None:
    """C8, DK4: the same bytes give the same id, other bytes another one, and no dot parts the signed text wrongly."""
    assert event_id_of(MAIL) == event_id_of(bytes(MAIL)) != event_id_of(MAIL + b"\n")
    assert "." not in event_id_of(MAIL)


@pytest.mark.parametrize(
    ("answer", "fate"),
    [
        ({}, Fate.STORED),
        ({"duplicate": True}, Fate.DUPLICATE),
        ({"poison": "unknown_recipient"}, Fate.POISON),
    ],
)
async def test_each_kind_of_success(answer: dict[str, object], fate: Fate) -> None:
    """A 200 is stored, known already, or in the poison lane."""
    receipt, pauses = await send(ok(**answer))
    assert (receipt.fate, receipt.message_ids, pauses) == (fate, ("0199",), [])


async def test_a_mail_for_two_mailboxes_names_both_messages() -> None:
    """C10: one message per mailbox, both followed."""
    receipt, _ = await send(ok(message_ids=["a", "b"], message_id="a"))
    assert receipt.message_ids == ("a", "b")


async def test_503_is_waited_out_as_long_as_the_door_asks() -> None:
    """RC table: 503 with Retry-After, then stored."""
    receipt, pauses = await send(httpx2.Response(503, headers={"Retry-After": "7"}), ok())
    assert (receipt.fate, pauses) == (Fate.STORED, [7.0])


async def test_without_a_wish_pauses_grow() -> None:
    """Cut lines and bare 5xx are tried again after 0.5 s, 1 s, 2 s and so on."""
    receipt, pauses = await send(httpx2.ConnectError("refused"), httpx2.Response(502), httpx2.ReadTimeout(""), ok())
    assert (receipt.fate, pauses) == (Fate.STORED, [0.5, 1.0, 2.0])


@pytest.mark.parametrize("wish", ["0", "30", None, "soon"])
async def test_a_door_that_stays_shut_ends_it(wish: str | None) -> None:
    """Patience is bounded, also when the door asks for no pause at all; the message says that a repeat is harmless."""
    pauses = Pauses()
    headers = {} if wish is None else {"Retry-After": wish}
    async with door_to(lambda request: httpx2.Response(503, headers=headers), pauses) as door:
        with pytest.raises(DoorShut, match="already counts as a duplicate"):
            await door.send(MAIL)
    assert len(pauses.slept) <= PATIENCE_S / 0.5


async def test_a_wrong_secret_ends_the_whole_run_at_once() -> None:
    """A second 401 would teach nothing and feed the flood guard (RC17)."""
    with pytest.raises(DoorRefuses, match="clocks"):
        await send(httpx2.Response(401))


@pytest.mark.parametrize("status", [301, 403, 404, 405, 422])
async def test_an_answer_no_webhook_gives_ends_the_run(status: int) -> None:
    """RS-12: such an answer comes from another server; redirects are not followed with signed mail."""
    with pytest.raises(DoorRefuses, match="address"):
        await send(httpx2.Response(status, headers={"Location": "http://elsewhere.example/"}))


@pytest.mark.parametrize("content", [b"<html>", b"[]", b'{"ok": true}'])
async def test_a_200_of_a_stranger_is_no_receipt(content: bytes) -> None:
    """A captive portal answers 200 to everything; nothing may be counted as stored by that."""
    with pytest.raises(DoorRefuses, match="not as Deskhand"):
        await send(httpx2.Response(200, content=content))


async def test_a_mail_above_the_ceiling_fails_alone() -> None:
    """RC20: 413 is about this mail; the others go on."""
    receipt, _ = await send(httpx2.Response(413))
    assert receipt.fate is Fate.FAILED and "413" in receipt.detail


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30.0),
        (" 5 ", 5.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("٣", None),
        ("-3", None),
        ("", None),
        ("Wed, 99 Foo", None),
        (None, None),
    ],
)
def test_retry_after_as_seconds_or_date(value: str | None, seconds: float | None) -> None:
    """RFC 9110: seconds or a date, which may have passed; RC16: digits of other scripts are no digits."""
    assert retry_after_s(value) == seconds
