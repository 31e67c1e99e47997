"""A stand-in for Resend's `POST /emails` that honours Idempotency-Key, fails as told, and counts what it accepted.

It speaks HTTP itself, because no framework would cut a line in mid-answer or answer one request twice.
"""

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

OK = "ok"
ACCEPT_500 = "accept-500"
ACCEPT_HANG = "accept-hang"
ACCEPT_CUT = "accept-cut"
ACCEPT_TWICE = "accept-twice"
ACCEPT_HTML = "accept-html"
HANG = "hang"
CUT = "cut"
BUSY = "busy"

_ERRORS = {
    400: "validation_error",
    401: "missing_api_key",
    403: "validation_error",
    408: "timeout",
    409: "invalid_idempotent_request",
    422: "invalid_parameter",
    429: "rate_limit_exceeded",
    500: "internal_server_error",
    503: "service_unavailable",
}


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    key: str
    body: bytes


class ResendPeer:
    """The server. `modes` holds the behaviour of the next requests, one each; then it is OK.

    A mode is one of the constants above, or a status code as text (`"429"`) for a refusal that accepts nothing. All
    ACCEPT modes accept the mail before they misbehave. `BUSY` says that the same key is still being worked on.
    """

    def __init__(self, modes: Iterable[str] = (), *, api_key: str = "re_test") -> None:
        self.modes = deque(modes)
        self.asked: list[Asked] = []
        self.accepted: list[dict[str, object]] = []
        self._known: dict[str, tuple[str, str]] = {}
        self._api_key = api_key
        self._sessions: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.url = ""

    async def __aenter__(self) -> "ResendPeer":
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=1 << 20)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server:
            self._server.close()
        for session in self._sessions:
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)

    def forget_keys(self) -> None:
        """What happens after 24 hours: a known key is new again."""
        self._known.clear()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            self._sessions.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        request, *lines = head.split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        key = fields.get("idempotency-key", "")
        self.asked.append(Asked(key, body))
        if request != "POST /emails HTTP/1.1" or fields.get("authorization") != f"Bearer {self._api_key}":
            return _write(writer, 401, _error(401))
        await self._behave(self.modes.popleft() if self.modes else OK, key, body, writer)
        await writer.drain()

    async def _behave(self, mode: str, key: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        if mode == CUT:
            return writer.transport.abort()
        if mode == HANG:
            await asyncio.Event().wait()
        if mode == BUSY:
            return _write(writer, 409, {"statusCode": 409, "name": "concurrent_idempotent_requests", "message": "wait"})
        if mode.isdigit():
            return _write(writer, int(mode), _error(int(mode)))
        mail_id = self._accept(key, body)
        if not mail_id:
            return _write(writer, 409, _error(409))
        await self._after_accepting(mode, mail_id, writer)

    def _accept(self, key: str, body: bytes) -> str:
        """The id of the mail, new or known; empty if the key is known with another body."""
        digest = hashlib.sha256(body).hexdigest()
        if key not in self._known:
            self.accepted.append(json.loads(body))
            self._known[key] = digest, f"mail-{len(self.accepted)}"
        known_digest, mail_id = self._known[key]
        return mail_id if known_digest == digest else ""

    async def _after_accepting(self, mode: str, mail_id: str, writer: asyncio.StreamWriter) -> None:
        if mode == ACCEPT_HANG:
            await asyncio.Event().wait()
        if mode == ACCEPT_500:
            return _write(writer, 500, _error(500))
        if mode == ACCEPT_HTML:
            return _write(writer, 200, "<html>welcome</html>")
        if mode == ACCEPT_CUT:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n{")
            return await writer.drain()
        for _ in range(2 if mode == ACCEPT_TWICE else 1):
            _write(writer, 200, {"id": mail_id})


def _error(status: int) -> dict[str, object]:
    return {"statusCode": status, "name": _ERRORS[status], "message": "as the test ordered"}


def _write(writer: asyncio.StreamWriter, status: int, body: object) -> None:
    payload = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
    writer.write(head.encode() + payload)
