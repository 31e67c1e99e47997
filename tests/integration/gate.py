"""A gate before Postgres: shut, it refuses and breaks connections as a dead server does; it can also cut a COMMIT."""

import asyncio
import contextlib
from typing import Self
from urllib.parse import parse_qs, urlsplit, urlunsplit

PIECE = 65536


class Gate:
    """A TCP forwarder on loopback. `url` names the same database through the gate."""

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self.url = ""
        self.cut_next_commit = False
        self._port = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        await self.open()
        host = f"{self._target.username}:{self._target.password}@127.0.0.1:{self._port}"
        self.url = urlunsplit(self._target._replace(netloc=host, query=""))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.shut()

    async def open(self) -> None:
        """Lets connections through, on the same port as before."""
        self._server = await asyncio.start_server(self._forward, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        """Refuses new connections and breaks the present ones."""
        if self._server is not None:
            self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        self._open.clear()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await self._reach()
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, far_writer}
        line = _Line(self, writer, far_writer)
        await asyncio.gather(line.there(reader), line.back(far_reader))
        self._open -= {writer, far_writer}

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The server, by its socket where the address names one."""
        named = parse_qs(self._target.query)
        if "host" in named:
            return await asyncio.open_unix_connection(f"{named['host'][0]}/.s.PGSQL.{named['port'][0]}")
        return await asyncio.open_connection(self._target.hostname, self._target.port)


class _Line:
    """One connection in both directions."""

    def __init__(self, gate: Gate, near: asyncio.StreamWriter, far: asyncio.StreamWriter) -> None:
        self.gate, self.near, self.far = gate, near, far
        self.cutting = False

    async def there(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(PIECE):
                if self.gate.cut_next_commit and b"COMMIT" in piece:
                    self.gate.cut_next_commit, self.cutting = False, True
                self.far.write(piece)
                await self.far.drain()
        self.far.close()

    async def back(self, reader: asyncio.StreamReader) -> None:
        """The answer to a COMMIT that is to be cut never arrives: the server did it, the client cannot know."""
        with contextlib.suppress(OSError):
            while piece := await reader.read(PIECE):
                if self.cutting:
                    self.near.transport.abort()
                    break
                self.near.write(piece)
                await self.near.drain()
        self.near.close()
