"""Mail by SMTP to one relay, encrypted and verified unless the relay is this machine (SE5).

SMTP recognises no repetition, so a mail whose fate is unknown is never handed over again from here.
"""

import ssl
from datetime import datetime

from adapters.delivery import DataStarted, Now, is_loopback, report, utc_now
from adapters.delivery.smtp_session import Session, SmtpServer, SmtpTimeouts
from contracts.delivery import HandOver, HandOverReport, Outgoing
from contracts.errors import SettingsFault


class SmtpChannel:
    """Hands mail to one relay. It knows no repetition: after an ambiguous try it sends nothing more."""

    name = "smtp"
    recognises_repeats = False

    def __init__(
        self,
        server: SmtpServer,
        *,
        tls_context: ssl.SSLContext | None = None,
        timeouts: SmtpTimeouts | None = None,
        now: Now = utc_now,
    ) -> None:
        if server.tls == "loopback" and not is_loopback(server.host):
            raise SettingsFault("smtp_tls asks for no encryption, but smtp_host is another machine; encrypt the line.")
        self._server = server
        self._context = tls_context if server.tls == "loopback" else tls_context or ssl.create_default_context()
        self._timeouts = timeouts or SmtpTimeouts()
        self._now = now

    async def hand_over(
        self,
        mail: Outgoing,
        *,
        deadline: datetime,
        unproven_since: datetime | None = None,
        on_data_started: DataStarted | None = None,
    ) -> HandOverReport:
        """See Channel."""
        if unproven_since is not None:
            return report(HandOver.AMBIGUOUS, "An earlier try may have been accepted; nothing was sent this time.")
        session = Session(self._server, self._context, self._timeouts, lambda: deadline - self._now())
        try:
            return await session.deliver(mail, on_data_started)
        finally:
            session.close()
