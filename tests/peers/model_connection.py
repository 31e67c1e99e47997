"""The HTTP/1.1 side of a scripted endpoint, straight on asyncio and httptools to cost little per call."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import httptools


class Response(NamedTuple):
    """What to send, None for silence; whether to hang up afterwards; the pause after each byte, 0 for all at once."""

    sent: bytes | None
    closes: bool = False
    pause_s: float = 0.0


class Handler(Protocol):
    """Who answers requests and keeps count of connections."""

    delay_s: float

    def handle(self, path: str, headers: Mapping[str, str], raw: bytes) -> Response: ...

    def opened(self, transport: asyncio.BaseTransport) -> None: ...

    def closed(self, transport: asyncio.BaseTransport) -> None: ...


class Connection(asyncio.Protocol):
    """One client connection: requests one after the other, as HTTP/1.1 keep-alive has them."""

    def __init__(self, peer: Handler) -> None:
        self._peer = peer
        self._parser = httptools.HttpRequestParser(self)
        self._path, self._headers, self._body = "", dict[str, str](), bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._peer.opened(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._peer.closed(self._transport)

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._transport.close()

    def on_message_begin(self) -> None:
        self._headers, self._body = {}, bytearray()

    def on_url(self, url: bytes) -> None:
        self._path = url.decode("ascii")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        response = self._peer.handle(self._path, self._headers, bytes(self._body))
        if self._peer.delay_s:
            asyncio.get_running_loop().call_later(self._peer.delay_s, self._send, response)
        else:
            self._send(response)

    def _send(self, response: Response) -> None:
        if response.pause_s:
            self._drip(response.sent or b"", response.pause_s)
        elif response.sent:
            self._transport.write(response.sent)  # type: ignore[attr-defined]
        if response.closes:
            self._transport.close()

    def _drip(self, rest: bytes, pause_s: float) -> None:
        if rest and not self._transport.is_closing():
            self._transport.write(rest[:1])  # type: ignore[attr-defined]
            asyncio.get_running_loop().call_later(pause_s, self._drip, rest[1:], pause_s)
