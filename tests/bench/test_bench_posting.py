"""The sender of signed mail, against a server that speaks just enough HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from api.webhooks.signatures import BodyCheck, standard_claim
from bench.posting import Poster

SECRET = "whsec_" + "QUJD" * 10
BODY = b'{"message_id": "m", "duplicate": false}'
TAKEN = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(BODY), BODY)
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}"


class Peer:
    """Answers every request alike; keeps requests and counts connections."""

    def __init__(self, answer: bytes = TAKEN, hang_up: bool = False) -> None:
        self.answer, self.hang_up = answer, hang_up
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode().split("\r\n")[1:]
                fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                self.requests.append((fields, await reader.readexactly(int(fields["content-length"]))))
                writer.write(self.answer)
                if self.hang_up:
                    break
        except asyncio.IncompleteReadError:
            pass
        writer.close()


@asynccontextmanager
async def running(peer: Peer) -> AsyncIterator[Poster]:
    """A sender of the peer."""
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    async with server, Poster(server.sockets[0].getsockname()[1], SECRET) as poster:
        yield poster


async def until(true: Callable[[], bool]) -> None:
    """Wait a moment for something that is about to happen."""
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.01)


async def test_what_it_sends_is_signed_as_the_door_wants_it() -> None:  # AD3
    """The signature covers id, time and the bytes of the mail, whatever they are."""
    peer = Peer()
    async with running(peer) as poster:
        message_id, answer = await poster.accepted(b"caf\xe9\r\n")
    headers, body = peer.requests[0]
    check = BodyCheck(standard_claim(headers), [SECRET])  # type: ignore[arg-type]
    check.feed(body)
    assert check.passes_standard(body) and body == b"caf\xe9\r\n"
    assert (message_id, answer.status) == ("m", 200) and answer.answered_at >= answer.sent_at


async def test_connections_are_used_again() -> None:
    """One after the other needs one connection, two at once need two."""
    peer = Peer()
    async with running(peer) as poster:
        for _ in range(3):
            await poster.post(b"a")
        assert peer.connections == 1
        await asyncio.gather(poster.post(b"a"), poster.post(b"b"))
    assert peer.connections == 2


async def test_a_connection_the_server_closed_is_not_used() -> None:
    """Servers end idle connections; the next mail opens a new one instead of failing."""
    peer = Peer(hang_up=True)
    async with running(peer) as poster:
        await poster.post(b"a")
        await until(lambda: all(reader.at_eof() for reader, _ in poster._idle))
        assert (await poster.post(b"b")).status == 200
    assert peer.connections == 2


async def test_a_refusal_is_an_answer_and_an_error_where_a_mail_must_be_taken() -> None:
    """503 is for the caller to judge; who needs the mail taken in gets an error that says what came."""
    async with running(Peer(BUSY)) as poster:
        assert (await poster.post(b"a")).status == 503
        with pytest.raises(OSError, match="503"):
            await poster.accepted(b"a")


async def test_no_answer_is_an_error() -> None:
    """A server that hangs up in the middle of its answer raises, so that no mail counts as taken by mistake."""
    async with running(Peer(TAKEN[:40], hang_up=True)) as poster:
        with pytest.raises(ConnectionError):
            await poster.post(b"a")
