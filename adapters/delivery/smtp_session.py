"""One SMTP connection and the one mail it carries, driven verb by verb.

A library's `sendmail` delivers to whichever recipients were accepted and cannot say whether a time-out came before or
after the mail left. Here every verb is its own step: until the first octet of the body is written a failure proves that
nothing was accepted, and from then on only the server's answer to the final dot proves anything (SE4).
"""

import re
import ssl
from collections.abc import Callable
from datetime import timedelta
from typing import Literal

from aiosmtplib import SMTP, SMTPException, SMTPResponseException, SMTPServerDisconnected
from aiosmtplib.protocol import SMTPProtocol
from pydantic import SecretStr

from adapters.delivery import DataStarted, report
from contracts.base import Contract
from contracts.delivery import HandOver, HandOverReport, Outgoing
from contracts.errors import PermanentFault
from domain.reply.recipients import wire_address

TlsMode = Literal["starttls", "tls", "loopback"]

_GO_AHEAD = 354
_CLOSING = 421
_LINE_END = re.compile(rb"\r\n|\r|\n")
_DOT = re.compile(rb"(?m)^\.")


class SmtpServer(Contract):
    """The relay to hand mail to. `loopback` means no encryption and is refused for any other host."""

    host: str
    port: int
    tls: TlsMode = "starttls"
    user: str = ""
    password: SecretStr | None = None


class SmtpTimeouts(Contract):
    """How long to wait for each answer; the defaults are the minima of RFC 5321 4.5.3.2, save for the connection."""

    connect: timedelta = timedelta(seconds=30)
    command: timedelta = timedelta(minutes=5)
    data: timedelta = timedelta(minutes=2)
    final_dot: timedelta = timedelta(seconds=600)
    farewell: timedelta = timedelta(seconds=5)


class _Refused(Exception):
    """The server said no, or asked for what we do not have, before it had any of the body."""

    def __init__(self, words: str, *, permanent: bool) -> None:
        super().__init__(words)
        self.result = HandOver.REFUSED_PERMANENT if permanent else HandOver.REFUSED_TEMPORARY


class Session:
    """One connection and the one mail it carries."""

    def __init__(
        self,
        server: SmtpServer,
        context: ssl.SSLContext | None,
        timeouts: SmtpTimeouts,
        left: Callable[[], timedelta],
    ) -> None:
        self._server = server
        self._context = context
        self._timeouts = timeouts
        self._left = left
        self._client = SMTP(
            hostname=server.host,
            port=server.port,
            use_tls=server.tls == "tls",
            start_tls=False,
            tls_context=context,
        )

    def close(self) -> None:
        """Drop the connection, whatever state it is in."""
        self._client.close()

    async def deliver(self, mail: Outgoing, on_data_started: DataStarted | None) -> HandOverReport:
        """Hand the mail over once; the report says what the answers prove."""
        try:
            protocol = await self._up_to_the_body(mail)
        except _Refused as refusal:
            outcome = report(refusal.result, str(refusal))
        else:
            if on_data_started:
                on_data_started()
            outcome = await self._body(protocol, mail.raw)
        if outcome.result is not HandOver.AMBIGUOUS:
            await self._farewell()
        return outcome

    async def _up_to_the_body(self, mail: Outgoing) -> SMTPProtocol:
        """Everything before the body. Whatever fails here, the server has nothing to deliver: it becomes _Refused."""
        try:
            sender = wire_address(mail.envelope_sender) if mail.envelope_sender else ""
            recipients = [wire_address(each) for each in mail.recipients]
            await self._open(sender.rpartition("@")[2] or "localhost")
            await self._envelope(sender, recipients, mail.raw)
            return await self._data()
        except SMTPResponseException as answer:
            raise _refusal(answer.code, answer.message) from answer
        except (SMTPException, OSError) as fault:
            raise _Refused(f"{type(fault).__name__}: {fault}", permanent=False) from fault
        except (PermanentFault, ValueError) as fault:
            raise _Refused(str(fault), permanent=True) from fault

    async def _open(self, greeting_name: str) -> None:
        self._client.local_hostname = greeting_name
        await self._client.connect(timeout=self._seconds(self._timeouts.connect))
        await self._client.ehlo(timeout=self._seconds(self._timeouts.command))
        if self._server.tls == "starttls":
            await self._client.starttls(tls_context=self._context, timeout=self._seconds(self._timeouts.connect))
            await self._client.ehlo(timeout=self._seconds(self._timeouts.command))
        if self._server.user:
            password = self._server.password.get_secret_value() if self._server.password else ""
            await self._client.login(self._server.user, password, timeout=self._seconds(self._timeouts.command))

    async def _envelope(self, sender: str, recipients: list[str], raw: bytes) -> None:
        if not recipients:
            raise _Refused("This mail has no recipient.", permanent=True)
        await self._command("MAIL", f"FROM:<{sender}>", *self._mail_options([sender, *recipients], raw))
        refusals = await self._refused_recipients(recipients)
        if refusals:
            await self._reset()
            raise _Refused("; ".join(refusals.values()), permanent=any(code >= 500 for code, _ in refusals))

    def _mail_options(self, addresses: list[str], raw: bytes) -> list[str]:
        options = [f"SIZE={len(raw)}"] if self._client.supports_extension("size") else []
        if not all(each.isascii() for each in addresses) or not raw.partition(b"\r\n\r\n")[0].isascii():
            options += [self._needed("SMTPUTF8", "an address or header beyond ASCII")]
        if not raw.isascii():
            options += ["BODY=" + self._needed("8BITMIME", "octets beyond ASCII")]
        return options

    def _needed(self, extension: str, why: str) -> str:
        if not self._client.supports_extension(extension):
            raise _Refused(f"The server does not offer {extension}, which this mail needs: {why}.", permanent=True)
        return extension

    async def _refused_recipients(self, recipients: list[str]) -> dict[tuple[int, str], str]:
        """What was refused, with the server's words for it; all are asked, unless the server says it is closing."""
        refusals = {}
        for address in recipients:
            code, words = await self._answer("RCPT", f"TO:<{address}>")
            if not 200 <= code < 300:
                refusals[code, address] = f"{address}: {code} {words}"
            if code == _CLOSING:
                break
        return refusals

    async def _data(self) -> SMTPProtocol:
        code, words = await self._answer("DATA", timeout=self._timeouts.data)
        if 400 <= code < 600:
            raise _refusal(code, words)
        try:
            return self._ready_for_the_body(code, words)
        except _Refused:
            # Danger: the server may be reading the body by now, and would take QUIT for a part of it.
            self._client.close()
            raise

    def _ready_for_the_body(self, code: int, words: str) -> SMTPProtocol:
        self._seconds(self._timeouts.final_dot)
        if code != _GO_AHEAD:
            raise _refusal(code, words)
        protocol = self._client.protocol
        if protocol is None or not self._client.is_connected:
            raise SMTPServerDisconnected("The line was cut before the body.")
        if _has_unread_answer(protocol):
            raise _Refused("The server answered more often than it was asked.", permanent=False)
        return protocol

    async def _body(self, protocol: SMTPProtocol, raw: bytes) -> HandOverReport:
        """Write the body and wait for the one answer that counts. No answer, or no clear one, is ambiguous."""
        wait = max(min(self._timeouts.final_dot, self._left()), timedelta())
        try:
            protocol.write(_transparent(raw))
            code, words = await protocol.read_response(timeout=wait.total_seconds())
        except (SMTPException, OSError) as fault:
            return report(HandOver.AMBIGUOUS, f"No answer after the body was sent ({type(fault).__name__}).")
        return report(_verdict(code), f"{code} {words}")

    async def _command(self, *words: str) -> None:
        code, answer = await self._answer(*words)
        if not 200 <= code < 300:
            raise _refusal(code, answer)

    async def _answer(self, *words: str, timeout: timedelta | None = None) -> tuple[int, str]:
        seconds = self._seconds(timeout or self._timeouts.command)
        response = await self._client.execute_command(*(word.encode() for word in words), timeout=seconds)
        return response.code, response.message

    async def _reset(self) -> None:
        try:
            await self._answer("RSET", timeout=self._timeouts.farewell)
        except (SMTPException, OSError, _Refused):
            self._client.close()

    async def _farewell(self) -> None:
        """QUIT for courtesy: its answer changes nothing that was already proved."""
        try:
            await self._client.quit(timeout=self._timeouts.farewell.total_seconds())
        except (SMTPException, OSError):
            self._client.close()

    def _seconds(self, limit: timedelta) -> float:
        """How long to wait now; past the deadline the claim is another's, so no further verb is sent."""
        left = min(limit, self._left())
        if left <= timedelta():
            raise _Refused("The time for this try was over before the mail was sent.", permanent=False)
        return left.total_seconds()


def _refusal(code: int, words: str) -> _Refused:
    return _Refused(f"{code} {words}", permanent=500 <= code < 600)


def _verdict(code: int) -> HandOver:
    """What an answer to the final dot proves (RFC 5321 4.2.1)."""
    by_class = {2: HandOver.SENT, 4: HandOver.REFUSED_TEMPORARY, 5: HandOver.REFUSED_PERMANENT}
    return by_class.get(code // 100, HandOver.AMBIGUOUS)


def _has_unread_answer(protocol: SMTPProtocol) -> bool:
    # Danger: a surplus answer left in the buffer would be taken for the answer to the final dot. No public name for it.
    return bool(protocol._buffer)


def _transparent(raw: bytes) -> bytes:
    """`raw` as the body of DATA: CRLF line ends only, leading dots doubled, and the final dot (RFC 5321 4.5.2)."""
    lines = _LINE_END.sub(b"\r\n", raw)
    ended = lines if lines.endswith(b"\r\n") else lines + b"\r\n"
    return _DOT.sub(b"..", ended) + b".\r\n"
