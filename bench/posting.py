"""A sender of signed mail that costs little itself; an ordinary HTTP client would be a good part of the load."""

import asyncio
import json
import time
import uuid
from types import TracebackType
from typing import Any, NamedTuple, Self

from api.webhooks.signatures import sign_standard
from cli.stack.first_access import RAW_SOURCE

PATIENCE_S = 30.0


class Answer(NamedTuple):
    """Status and JSON body of one delivery, with the clock (seconds since the epoch) before and after it."""

    status: int
    body: dict[str, Any]
    sent_at: float
    answered_at: float


class Poster:
    """Keeps connections open and uses as many as there are deliveries under way."""

    def __init__(self, port: int, secret: str, source: str = RAW_SOURCE) -> None:
        self._port, self._secret = port, secret
        self._path = f"/webhooks/raw/{source}"
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _, writer in self._idle:
            writer.close()

    async def post(self, mail: bytes, event_id: str | None = None) -> Answer:
        """Deliver once. OSError or TimeoutError where no answer came; the status is for the caller to judge."""
        request = self._request(mail, event_id or f"bench-{uuid.uuid4()}")
        sent_at = time.time()
        reader, writer = await self._connection()
        try:
            async with asyncio.timeout(PATIENCE_S):
                writer.write(request)
                status, body = await _response(reader)
        except asyncio.IncompleteReadError:
            writer.close()
            raise ConnectionResetError("the webhook hung up before it answered") from None
        except BaseException:
            writer.close()
            raise
        self._idle.append((reader, writer))
        return Answer(status, body, sent_at, time.time())

    async def accepted(self, mail: bytes) -> tuple[str, Answer]:
        """Deliver a mail that must be taken in; its message id and the answer. OSError for any answer but 200."""
        answer = await self.post(mail)
        if answer.status != 200 or not answer.body.get("message_id"):
            raise OSError(f"the webhook answered {answer.status}: {answer.body}")
        return str(answer.body["message_id"]), answer

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """An open connection the server has not closed meanwhile, else a new one."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection("127.0.0.1", self._port)

    def _request(self, mail: bytes, event_id: str) -> bytes:
        now = int(time.time())
        head = (
            f"POST {self._path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: message/rfc822\r\n"
            f"Content-Length: {len(mail)}\r\nwebhook-id: {event_id}\r\nwebhook-timestamp: {now}\r\n"
            f"webhook-signature: {sign_standard(self._secret, event_id, now, mail)}\r\n\r\n"
        )
        return head.encode() + mail


async def _response(reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    body = await reader.readexactly(int(fields.get("content-length", "0")))
    return int(head[0].split()[1]), json.loads(body) if body else {}
