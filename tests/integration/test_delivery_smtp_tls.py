"""Sending by SMTP: encryption, verification and login, and the peer as a process of its own."""

import asyncio
import json
import os
import ssl
import sys
from pathlib import Path

import pytest
import trustme
from pydantic import SecretStr

from adapters.delivery import is_loopback
from adapters.delivery.smtp import SmtpChannel
from adapters.delivery.smtp_session import SmtpServer, TlsMode
from contracts.delivery import HandOver, HandOverReport
from contracts.errors import SettingsFault
from tests.peers import smtp_peer as sp
from tests.peers.outgoing_mail import LATER, Clock, mail
from tests.peers.smtp_peer import SmtpPeer

pytestmark = pytest.mark.asyncio

SENT, TEMPORARY, PERMANENT, AMBIGUOUS = (
    HandOver.SENT, HandOver.REFUSED_TEMPORARY, HandOver.REFUSED_PERMANENT, HandOver.AMBIGUOUS
)  # fmt: skip

ROOT = Path(__file__).parents[2]


def smtp(peer: SmtpPeer, *, tls: TlsMode = "loopback", context: ssl.SSLContext | None = None) -> SmtpChannel:
    """A channel to `peer` that logs in."""
    server = SmtpServer(host="127.0.0.1", port=peer.port, tls=tls, user="desk", password=SecretStr("s3cret"))
    return SmtpChannel(server, tls_context=context, now=Clock())


async def send(channel: SmtpChannel) -> HandOverReport:
    """Hand over the plain mail, far from the deadline."""
    return await channel.hand_over(mail(), deadline=LATER)


def contexts(host: str = "127.0.0.1") -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server context for `host` and a client context that trusts its issuer."""
    issuer = trustme.CA()
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    issuer.issue_cert(host).configure_cert(server)
    issuer.configure_trust(client)
    return server, client


@pytest.mark.parametrize("tls", ["starttls", "tls"])
async def test_smtp_encrypted_and_logged_in(tls: TlsMode) -> None:
    """With STARTTLS or TLS the login and the mail travel encrypted; after STARTTLS the greeting is repeated."""  # SE5
    server, client = contexts()
    async with SmtpPeer(tls=server, implicit_tls=tls == "tls", users={"desk": "s3cret"}) as peer:
        assert (await send(smtp(peer, tls=tls, context=client))).result is SENT
    opening = ["EHLO", "STARTTLS", "EHLO"] if tls == "starttls" else ["EHLO"]
    assert peer.verbs[: len(opening) + 2] == [*opening, "AUTH", "MAIL"]


@pytest.mark.parametrize("tls", ["starttls", "tls"])
@pytest.mark.parametrize("fault", ["unknown issuer", "other host"])
async def test_smtp_unverified_server_gets_nothing(tls: TlsMode, fault: str) -> None:
    """A certificate of another host or issuer ends the try before login and mail."""  # SE5
    server, client = contexts("127.0.0.1" if fault == "unknown issuer" else "10.1.2.3")
    trusting = ssl.create_default_context() if fault == "unknown issuer" else client
    async with SmtpPeer(tls=server, implicit_tls=tls == "tls", users={"desk": "s3cret"}) as peer:
        found = await send(smtp(peer, tls=tls, context=trusting))
    assert found.result is TEMPORARY and not peer.accepted and "AUTH" not in peer.verbs


async def test_smtp_without_starttls_offer() -> None:
    """A server, or someone in between, that offers no STARTTLS gets neither password nor mail."""  # SE5
    async with SmtpPeer(users={"desk": "s3cret"}) as peer:
        found = await send(smtp(peer, tls="starttls"))
    assert found.result is TEMPORARY and peer.verbs == ["EHLO", "QUIT"]


async def test_smtp_wrong_password() -> None:
    """A refused login is permanent and the password is in no report."""  # SE4
    async with SmtpPeer(users={"desk": "another"}) as peer:
        found = await send(smtp(peer))
    assert found.result is PERMANENT and "535" in found.detail and "s3cret" not in found.detail


async def test_smtp_plain_only_on_loopback() -> None:
    """The setting `loopback` is refused for any other host."""  # SE5
    for host in ("relay.example", "10.0.0.1", "127.0.0.1.evil.example"):
        with pytest.raises(SettingsFault):
            SmtpChannel(SmtpServer(host=host, port=25, tls="loopback"))
    assert is_loopback("::1") and is_loopback("127.9.9.9") and is_loopback("localhost")


async def test_smtp_peer_as_its_own_process(tmp_path: Path) -> None:
    """The peer also runs apart from the test, follows a plan, and leaves its count on disk when killed."""  # RS-59
    counts, plan = tmp_path / "counts", tmp_path / "plan.json"
    plan.write_text(json.dumps([{"answers": {"dot": sp.ACCEPT_DROP}}, {"answers": {"rcpt": "451 busy"}}]))
    arguments = ["-m", "tests.peers.smtp_peer", "--port", "0", "--count-file", str(counts), "--plan", str(plan)]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE, env=path
    )
    try:
        assert process.stdout is not None
        server = SmtpServer(host="127.0.0.1", port=int(await process.stdout.readline()), tls="loopback")
        channel = SmtpChannel(server, now=Clock())
        assert [(await send(channel)).result for _ in range(2)] == [AMBIGUOUS, TEMPORARY]
    finally:
        process.kill()
        await process.wait()
    assert counts.read_text() == "<ob-1.k7Qp@desk.example>\n"
