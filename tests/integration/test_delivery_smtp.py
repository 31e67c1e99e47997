"""Sending by SMTP to a peer that fails at every verb: the report says what it can prove, and nothing goes out twice.

Waiting times are shortened by injection: where the product waits 600 s for the final dot (or 60 s for an HTTP answer)
the tests let it wait a fraction of a second, against peers that do not answer before they are told to.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import pytest
from pydantic import SecretStr

from adapters.delivery.smtp import SmtpChannel
from adapters.delivery.smtp_session import SmtpServer, SmtpTimeouts, TlsMode
from contracts.delivery import HandOver, HandOverReport, Outgoing
from tests.peers import smtp_peer as sp
from tests.peers.outgoing_mail import HOSTILE, LATER, NOW, mail
from tests.peers.smtp_peer import SmtpPeer, SmtpScript

pytestmark = pytest.mark.asyncio

SENT, TEMPORARY, PERMANENT, AMBIGUOUS = (
    HandOver.SENT, HandOver.REFUSED_TEMPORARY, HandOver.REFUSED_PERMANENT, HandOver.AMBIGUOUS
)  # fmt: skip


def smtp(
    peer: SmtpPeer,
    *,
    tls: TlsMode = "loopback",
    context: ssl.SSLContext | None = None,
    user: str = "",
    wait: Mapping[str, timedelta] | None = None,
    now: Callable[[], datetime] = lambda: NOW,
    host: str = "127.0.0.1",
) -> SmtpChannel:
    """A channel to `peer` that waits 300 ms for the final dot unless told otherwise."""
    waits = {"final_dot": timedelta(milliseconds=300), "farewell": timedelta(milliseconds=300)} | dict(wait or {})
    server = SmtpServer(host=host, port=peer.port, tls=tls, user=user, password=SecretStr("s3cret") if user else None)
    return SmtpChannel(server, tls_context=context, timeouts=SmtpTimeouts(**waits), now=now)


async def send(channel: SmtpChannel, sent: Outgoing | None = None) -> HandOverReport:
    """Hand over the plain mail, far from the deadline."""
    return await channel.hand_over(sent or mail(), deadline=LATER)


async def test_smtp_accepts() -> None:
    """An accepted mail arrives once, with its envelope and its very bytes, and the server's words come back."""  # SE4
    async with SmtpPeer() as peer:
        found = await send(smtp(peer))
    assert (found.result, found.detail) == (SENT, "250 2.0.0 queued")
    assert peer.accepted == {"<ob-1.k7Qp@desk.example>": 1}
    [got] = peer.mails
    assert (got.sender, got.recipients) == ("bounces@desk.example", ("ada@customer.example", "ben@customer.example"))
    assert got.raw == mail().raw and got.options == f"SIZE={len(got.raw)}"
    assert peer.verbs == ["EHLO", "MAIL", "RCPT", "RCPT", "DATA", "QUIT"]


@pytest.mark.parametrize("stage", ["connect", "ehlo", "auth", "mail", "rcpt", "data", "dot"])
@pytest.mark.parametrize(("answer", "expected"), [("451 4.7.1 busy", TEMPORARY), ("554 5.7.1 no", PERMANENT)])
async def test_smtp_refusals(stage: str, answer: str, expected: HandOver) -> None:
    """A refusal at any stage, the final dot included, is proof: nothing accepted, the server's words kept."""  # RS-59
    async with SmtpPeer(SmtpScript({stage: answer}), users={"desk": "s3cret"}) as peer:
        found = await send(smtp(peer, user="desk"))
    assert found.result is expected and answer[4:] in found.detail
    assert not peer.accepted and not found.safe_to_retry_same_bytes


@pytest.mark.parametrize("stage", ["connect", "ehlo", "auth", "mail", "rcpt", "data"])
@pytest.mark.parametrize("answer", [sp.DROP, sp.SILENT])
async def test_smtp_line_lost_before_the_body(stage: str, answer: str) -> None:
    """A cut line or silence before the body proves that nothing was accepted."""  # RS-59
    short = {name: timedelta(milliseconds=200) for name in ("connect", "command", "data")}
    async with SmtpPeer(SmtpScript({stage: answer}), users={"desk": "s3cret"}) as peer:
        found = await send(smtp(peer, user="desk", wait=short))
    assert found.result is TEMPORARY and not peer.accepted


@pytest.mark.parametrize(
    ("stage", "answer", "accepted"),
    [
        ("body", sp.DROP, 0),
        ("dot", sp.DROP, 0),
        ("dot", sp.SILENT, 0),
        ("dot", sp.ACCEPT_DROP, 1),
        ("dot", sp.ACCEPT_SILENT, 1),
        ("dot", sp.ACCEPT_LATE, 1),
        ("dot", "what?", 0),
        ("dot", "354 go on", 0),
    ],
)
async def test_smtp_line_lost_after_the_body(stage: str, answer: str, accepted: int) -> None:
    """From the body on, silence, a cut line or an unclear answer is ambiguous, whatever the server did with the mail.

    The late answer stands for one after 601 s: the final-dot time-out is shortened to 300 ms by injection.
    """  # RS-59
    async with SmtpPeer(SmtpScript({stage: answer})) as peer:
        found = await send(smtp(peer), mail(body="line\n" * 50_000))
        peer.release.set()
    assert (found.result, found.safe_to_retry_same_bytes) == (AMBIGUOUS, False)
    assert peer.accepted.total() == accepted


async def test_smtp_connection_refused() -> None:
    """Nobody listening is a temporary refusal, and so is a name that does not resolve."""  # OB9
    async with SmtpPeer() as peer:
        closed = smtp(peer)
    assert (await send(closed)).result is TEMPORARY
    unknown = SmtpChannel(SmtpServer(host="relay.invalid", port=25, tls="tls"), now=lambda: NOW)
    assert (await send(unknown)).result is TEMPORARY


@pytest.mark.parametrize(("code", "expected"), [("450", TEMPORARY), ("550", PERMANENT)])
async def test_smtp_one_recipient_refused(code: str, expected: HandOver) -> None:
    """One of two recipients refused: the transaction is reset, nobody gets the mail, the address is named."""  # RS-60
    async with SmtpPeer(SmtpScript(recipients={"ben@customer.example": f"{code} no such user"})) as peer:
        found = await send(smtp(peer))
    assert (found.result, found.detail) == (expected, f"ben@customer.example: {code} no such user")
    assert peer.verbs == ["EHLO", "MAIL", "RCPT", "RCPT", "RSET", "QUIT"] and not peer.accepted


async def test_smtp_closing_in_the_middle_of_recipients() -> None:
    """A server that closes on a recipient is asked no more and the address is still named."""  # RS-60
    async with SmtpPeer(SmtpScript(recipients={"ada@customer.example": "421 closing"})) as peer:
        found = await send(smtp(peer))
    assert (found.result, found.detail) == (TEMPORARY, "ada@customer.example: 421 closing")
    assert peer.verbs == ["EHLO", "MAIL", "RCPT"] and not peer.accepted


@pytest.mark.parametrize("stage", ["rcpt", "data"])
@pytest.mark.parametrize("copies", [(), ("ben@customer.example",)])
async def test_smtp_surplus_answer(stage: str, copies: tuple[str, ...]) -> None:
    """An answer too many is never taken for the answer to the final dot: not an octet of the mail is written."""  # SE4
    double = {"rcpt": "250 ok\r\n250 ok", "data": "354 go\r\n250 2.0.0 queued"}[stage]
    async with SmtpPeer(SmtpScript({stage: double, "dot": "554 5.7.1 no"})) as peer:
        found = await send(smtp(peer), mail(cc=copies))
    assert found.result is TEMPORARY and not peer.accepted and not peer.body_octets


async def test_smtp_body_is_transparent() -> None:
    """Dots, header lines and SMTP verbs in a text arrive as text; envelope and header stay."""  # RS-65
    sent = mail(body=HOSTILE, subject=f"Re: x\r\n.\r\n{HOSTILE}")
    async with SmtpPeer() as peer:
        assert (await send(smtp(peer), sent)).result is SENT
    [got] = peer.mails
    assert got.recipients == ("ada@customer.example", "ben@customer.example") and got.raw == sent.raw


async def test_smtp_never_smuggles() -> None:
    """Bytes that are not ours to trust cannot end the body early: bare line ends become CRLF, every dot is doubled."""
    raw = b"Message-ID: <s@x>\r\n\r\na\n.\nMAIL FROM:<eve@evil.example>\r.\rb\r\n.\r\n"  # SE4
    sent = mail().model_copy(update={"raw": raw})
    async with SmtpPeer() as peer:
        assert (await send(smtp(peer), sent)).result is SENT
    [got] = peer.mails
    assert got.raw == raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")
    assert peer.verbs.count("MAIL") == 1


async def test_smtp_quit_changes_nothing() -> None:
    """After a proved acceptance a server that never answers QUIT, or cuts the line, alters nothing."""  # OB4
    for answer in (sp.SILENT, sp.DROP, "500 what"):
        async with SmtpPeer(SmtpScript({"quit": answer})) as peer:
            assert (await send(smtp(peer))).result is SENT


async def test_smtp_tells_when_the_body_starts() -> None:
    """The caller hears of the body just before its first octet: never for a refusal, once for a mail."""  # OB8
    heard: list[list[str]] = []
    async with SmtpPeer() as peer:
        await smtp(peer).hand_over(mail(), deadline=LATER, on_data_started=lambda: heard.append(list(peer.verbs)))
    async with SmtpPeer(SmtpScript({"data": "451 busy"})) as busy:
        await smtp(busy).hand_over(mail(), deadline=LATER, on_data_started=lambda: heard.append([]))
    assert heard == [["EHLO", "MAIL", "RCPT", "RCPT", "DATA"]]


async def test_smtp_does_not_repeat_an_unproven_try() -> None:
    """After an ambiguous try the channel opens no connection: only a person may send again, with a new row."""  # OB10
    async with SmtpPeer() as peer:
        found = await smtp(peer).hand_over(mail(), deadline=LATER, unproven_since=NOW - timedelta(minutes=1))
    assert (found.result, peer.connections) == (AMBIGUOUS, 0)


async def test_smtp_stops_at_the_deadline() -> None:
    """Once the claim is over no body is written, for the row may already be in other hands."""  # OB8
    moments = iter([NOW] * 6)
    async with SmtpPeer() as peer:
        found = await send(smtp(peer, now=lambda: next(moments, LATER)))
    assert found.result is TEMPORARY and not peer.accepted


async def test_smtp_waits_no_longer_than_the_claim() -> None:
    """A final dot is not waited for past the deadline, however long the time-out: ambiguous by then."""  # OB8
    async with SmtpPeer(SmtpScript({"dot": sp.ACCEPT_SILENT})) as peer:
        patient = smtp(peer, wait={"final_dot": timedelta(hours=1)})
        found = await patient.hand_over(mail(), deadline=NOW + timedelta(milliseconds=300))
    assert found.result is AMBIGUOUS


async def test_smtp_killed_in_flight() -> None:
    """A cancelled hand-over leaves no open connection, and the caller knows from the callback that it is ambiguous."""
    started = asyncio.Event()
    async with SmtpPeer(SmtpScript({"dot": sp.ACCEPT_SILENT})) as peer:  # OB8
        channel = smtp(peer, wait={"final_dot": timedelta(hours=1)})
        flight = asyncio.create_task(channel.hand_over(mail(), deadline=LATER, on_data_started=started.set))
        await started.wait()
        flight.cancel()
        with pytest.raises(asyncio.CancelledError):
            await flight


@pytest.mark.parametrize(("offers", "expected"), [(("8BITMIME", "SMTPUTF8"), SENT), (("8BITMIME",), PERMANENT)])
async def test_smtp_utf8_only_where_offered(offers: tuple[str, ...], expected: HandOver) -> None:
    """A non-ASCII local part goes out with SMTPUTF8 or not at all, with a reason a person understands."""  # AM7, SE4
    async with SmtpPeer(extensions=offers) as peer:
        found = await send(smtp(peer), mail(to=("j\u00fcrgen@b\u00fccher.example",), cc=()))
    assert found.result is expected
    if expected is SENT:
        assert peer.mails[0].recipients == ("j\u00fcrgen@xn--bcher-kva.example",)
        assert peer.mails[0].options == "SMTPUTF8 BODY=8BITMIME"
    else:
        assert "SMTPUTF8" in found.detail and peer.verbs == ["EHLO", "QUIT"]


async def test_smtp_utf8_not_asked_for_without_need() -> None:
    """A non-ASCII domain travels as A-labels and an encoded header is ASCII: no extension is asked for."""  # AM7
    async with SmtpPeer(extensions=("SMTPUTF8", "8BITMIME")) as peer:
        assert (await send(smtp(peer), mail(to=("info@b\u00fccher.example",), cc=()))).result is SENT
    assert peer.mails[0].options == "" and peer.mails[0].recipients == ("info@xn--bcher-kva.example",)


@pytest.mark.parametrize("bad", ["eve@x.example>\r\nRCPT TO:<e@x", "a b@x.example", "nobody"])
async def test_smtp_bad_address_never_reaches_the_line(bad: str) -> None:
    """An envelope address that could carry a command is refused before the connection."""  # OB11
    async with SmtpPeer() as peer:
        found = await send(smtp(peer), mail().model_copy(update={"recipients": (bad,)}))
    assert (found.result, peer.connections) == (PERMANENT, 0)
