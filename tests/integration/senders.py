"""What sends mail to our webhooks, one class per adapter, so that one table of situations can walk them all (RC21)."""

import json
import time
import uuid
from dataclasses import dataclass
from typing import Any

from api.webhooks.signatures import sign_mta, sign_standard
from tests.integration.running import MAILBOX, mail

MTA_SECRET = "f3" * 32
RAW_SECRET = "whsec_" + "c2VjcmV0IG9mIHRoZSByYXcgc291cmNlIGZvciB0ZXN0cw=="
OTHER_RAW_SECRET = "whsec_" + "YW5vdGhlciBzZWNyZXQgb2YgdGhlIHJhdyBzb3VyY2UgISE="


@dataclass(frozen=True)
class Sender:
    """One adapter: where it posts, how it signs, and bodies that are good or bad in known ways."""

    kind: str
    source: str
    path: str
    secret: str
    other_secret: str
    unreadable: bytes
    unknown_event: bytes | None
    missing_header: str
    time_header: str

    def good(self, to: str = MAILBOX, **fields: Any) -> bytes:
        """A mail nobody sent before."""
        raise NotImplementedError

    def headers(
        self, body: bytes, *, secret: str | None = None, at: int | None = None, event: str | None = None
    ) -> dict[str, str]:
        """The signature headers."""
        raise NotImplementedError


class MtaSender(Sender):
    """Generic signed JSON."""

    def good(self, to: str = MAILBOX, **fields: Any) -> bytes:
        """`inbound.received` with a fresh Message-ID; `fields` change the payload."""
        payload = {
            "from": "anna@kunde.example",
            "to": to,
            "subject": "Where is my order?",
            "textBody": "Hello, where is it?",
            "messageId": f"<{uuid.uuid4()}@kunde.example>",
            "headers": {"To": to},
            **fields,
        }
        return json.dumps({"event": "inbound.received", "timestamp": 1, "inboundPayload": payload}).encode()

    def headers(
        self, body: bytes, *, secret: str | None = None, at: int | None = None, event: str | None = None
    ) -> dict[str, str]:
        """X-MTA-*; there is no event id."""
        now = int(time.time()) if at is None else at
        return {"x-mta-timestamp": str(now), "x-mta-signature": sign_mta(secret or self.secret, now, body)}


class RawSender(Sender):
    """message/rfc822 under Standard Webhooks."""

    def good(self, to: str = MAILBOX, **fields: Any) -> bytes:
        """A plain mail; `fields` as `running.mail` knows them."""
        return mail(to=to, **fields)

    def headers(
        self, body: bytes, *, secret: str | None = None, at: int | None = None, event: str | None = None
    ) -> dict[str, str]:
        """webhook-*."""
        now, event_id = (int(time.time()) if at is None else at), event or f"evt-{uuid.uuid4()}"
        return {
            "webhook-id": event_id,
            "webhook-timestamp": str(now),
            "webhook-signature": sign_standard(secret or self.secret, event_id, now, body),
        }


SENDERS: dict[str, Sender] = {
    "mta": MtaSender(
        kind="mta",
        source="mta",
        path="/webhooks/mta",
        secret=MTA_SECRET,
        other_secret="0d" * 32,
        unreadable=b'{"event": "inbound.received", ',
        unknown_event=b'{"event": "contact.updated", "messageId": "x"}',
        missing_header="x-mta-signature",
        time_header="x-mta-timestamp",
    ),
    "raw": RawSender(
        kind="raw",
        source="shop",
        path="/webhooks/raw/shop",
        secret=RAW_SECRET,
        other_secret=OTHER_RAW_SECRET,
        unreadable=b" \r\n \r\n",
        unknown_event=None,
        missing_header="webhook-signature",
        time_header="webhook-timestamp",
    ),
}
