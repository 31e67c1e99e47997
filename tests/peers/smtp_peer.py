"""An SMTP server that fails where a test tells it to, and counts what it accepted.

It serves in the test's own loop (`async with SmtpPeer()`) or as its own process, which survives a kill of the sender:
`python -m tests.peers.smtp_peer --port N --count-file F [--plan P]`.
"""

import argparse
import asyncio
import base64
import json
import os
import re
import ssl
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

DROP = "drop"
SILENT = "silent"
ACCEPT_DROP = "accept-drop"
ACCEPT_SILENT = "accept-silent"
ACCEPT_LATE = "accept-late"

_ADDRESS = re.compile(r"<([^>]*)>|$")
_MESSAGE_ID = re.compile(rb"(?im)^message-id:\s*(<[^>]*>)")
_GREETINGS = {"connect": "220 peer.example ready", "data": "354 go ahead", "dot": "250 2.0.0 queued"}


@dataclass(frozen=True)
class SmtpScript:
    """How the peer behaves on a connection.

    `answers` maps a stage (connect, ehlo, starttls, auth, mail, rcpt, data, body, dot, rset, quit) to the line to
    answer, to DROP (cut the line; the only one at `body`) or to SILENT (never answer); at `dot` also ACCEPT_DROP,
    ACCEPT_SILENT, ACCEPT_LATE, which accept the mail first (late: when `SmtpPeer.release` is set). `recipients`
    answers for single addresses.
    """

    answers: Mapping[str, str] = field(default_factory=dict)
    recipients: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AcceptedMail:
    """One mail the peer took responsibility for."""

    sender: str
    recipients: tuple[str, ...]
    options: str
    raw: bytes
    message_id: str


class SmtpPeer:
    """The server. `accepted` counts mails by Message-ID; `verbs` lists what was asked, in order."""

    def __init__(
        self,
        script: SmtpScript | None = None,
        *,
        plan: Sequence[SmtpScript] = (),
        extensions: Sequence[str] = ("SIZE 10000000", "8BITMIME"),
        users: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        implicit_tls: bool = False,
        port: int = 0,
        count_file: Path | None = None,
    ) -> None:
        self.script, self.plan = script or SmtpScript(), plan
        self.extensions, self.users = extensions, users or {}
        self.tls = tls
        self.implicit_tls = implicit_tls
        self.port, self._count_file = port, count_file
        self.mails: list[AcceptedMail] = []
        self.accepted: Counter[str] = Counter()
        self.verbs: list[str] = []
        self.release = asyncio.Event()
        self.connections = self.body_octets = 0
        self._server: asyncio.Server | None = None
        self._sessions: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "SmtpPeer":
        context = self.tls if self.implicit_tls else None
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server:
            self._server.close()
        for session in self._sessions:
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)

    def accept(self, mail: AcceptedMail) -> None:
        """Take responsibility for `mail`: counted, and on disk if there is a count file, before any answer."""
        self.mails.append(mail)
        self.accepted[mail.message_id] += 1
        if self._count_file:
            with self._count_file.open("a") as file:
                file.write(mail.message_id + "\n")
                file.flush()
                os.fsync(file.fileno())

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        script = self.plan[self.connections % len(self.plan)] if self.plan else self.script
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        try:
            await _Session(self, script, reader, writer).serve()
        except (_Cut, ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            self._sessions.discard(task)
            writer.close()


class _Cut(Exception):
    """The script cuts the line here."""


class _Session:
    def __init__(
        self, peer: SmtpPeer, script: SmtpScript, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._peer, self._script, self._reader, self._writer = peer, script, reader, writer
        self._sender, self._options, self._encrypted = "", "", peer.implicit_tls
        self._recipients: list[str] = []

    async def serve(self) -> None:
        """Answer until QUIT or until the script ends it."""
        await self._answer("connect")
        while line := await self._reader.readline():
            verb, _, argument = line.decode().rstrip("\r\n").partition(" ")
            self._peer.verbs.append(verb.upper())
            handler = getattr(self, f"_on_{verb.lower()}", self._on_unknown)
            await handler(argument)
            if verb.upper() == "QUIT":
                return

    async def _answer(self, stage: str, default: str = "250 ok") -> str:
        """Answer as scripted and return the code that was sent."""
        answer = self._script.answers.get(stage, _GREETINGS.get(stage, default))
        return await self._say(answer)

    async def _say(self, answer: str) -> str:
        if answer == DROP:
            raise _Cut
        if answer == SILENT:
            await asyncio.Event().wait()
        self._writer.write(answer.encode() + b"\r\n")
        await self._writer.drain()
        return answer[:3]

    async def _on_unknown(self, argument: str) -> None:
        await self._say("502 not known here")

    async def _on_ehlo(self, argument: str) -> None:
        offers = list(self._peer.extensions)
        offers += ["STARTTLS"] if self._peer.tls and not self._encrypted else []
        offers += ["AUTH PLAIN"] if self._peer.users else []
        lines = ["peer.example", *offers]
        greeting = "\r\n".join(f"250-{line}" for line in lines[:-1]) + ("\r\n" if len(lines) > 1 else "")
        await self._answer("ehlo", f"{greeting}250 {lines[-1]}")

    async def _on_starttls(self, argument: str) -> None:
        if await self._answer("starttls", "220 go") == "220" and self._peer.tls:
            await self._writer.start_tls(self._peer.tls)
            self._encrypted = True

    async def _on_auth(self, argument: str) -> None:
        _, user, password = base64.b64decode(argument.partition(" ")[2]).decode().split("\0")
        known = self._peer.users.get(user) == password
        await self._answer("auth", "235 welcome" if known else "535 5.7.8 wrong name or password")

    async def _on_mail(self, argument: str) -> None:
        self._sender, self._options = _address(argument), argument.rpartition(">")[2].strip()
        self._recipients = []
        await self._answer("mail")

    async def _on_rcpt(self, argument: str) -> None:
        address = _address(argument)
        scripted = self._script.recipients.get(address)
        code = await (self._say(scripted) if scripted else self._answer("rcpt"))
        if code == "250":
            self._recipients.append(address)

    async def _on_rset(self, argument: str) -> None:
        self._recipients = []
        await self._answer("rset")

    async def _on_quit(self, argument: str) -> None:
        await self._answer("quit", "221 bye")

    async def _on_data(self, argument: str) -> None:
        if not self._recipients:
            await self._say("554 no valid recipients")
        elif await self._answer("data") == "354":
            await self._dot(await self._body())

    async def _body(self) -> bytes:
        lines = []
        while (line := await self._reader.readuntil(b"\r\n")) != b".\r\n":
            lines.append(line[1:] if line.startswith(b".") else line)
            self._peer.body_octets += len(line)
            if self._script.answers.get("body") == DROP:
                raise _Cut
        return b"".join(lines)

    async def _dot(self, raw: bytes) -> None:
        answer = self._script.answers.get("dot", _GREETINGS["dot"])
        if answer.startswith(("2", "accept")):
            self._peer.accept(self._mail(raw))
        if answer == ACCEPT_LATE:
            await self._peer.release.wait()
        await self._say({ACCEPT_DROP: DROP, ACCEPT_SILENT: SILENT, ACCEPT_LATE: _GREETINGS["dot"]}.get(answer, answer))

    def _mail(self, raw: bytes) -> AcceptedMail:
        found = _MESSAGE_ID.search(raw)
        message_id = found[1].decode() if found else ""
        return AcceptedMail(self._sender, tuple(self._recipients), self._options, raw, message_id)


def _address(argument: str) -> str:
    found = _ADDRESS.search(argument)
    return (found and found[1]) or ""


async def _serve(port: int, count_file: Path, plan: Sequence[SmtpScript]) -> None:
    async with SmtpPeer(plan=plan, port=port, count_file=count_file) as peer:
        print(peer.port, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    """Serve until killed; print the port first. A plan is a JSON list of scripts, used one connection after another."""
    parser = argparse.ArgumentParser(description="A scriptable SMTP server for tests.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--count-file", type=Path, required=True)
    parser.add_argument("--plan", type=Path)
    options = parser.parse_args()
    plan = [SmtpScript(**script) for script in json.loads(options.plan.read_text())] if options.plan else []
    asyncio.run(_serve(options.port, options.count_file, plan))


if __name__ == "__main__":
    main()
