"""The sample `deskhand doctor` sends: a mail from ourselves to ourselves that says of itself that a machine wrote it,
so that no model is asked about it and nobody is answered (AU1, AU7)."""

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime

from api.webhooks.signatures import sign_mta, sign_standard

SUBJECT = "Deskhand doctor: a sample"
TEXT = "deskhand doctor sent this to itself to see that mail comes in. It archives it again."
MACHINE = "auto-generated"


@dataclass(frozen=True)
class Sample:
    """One signed delivery, ready to be posted."""

    path: str
    headers: dict[str, str]
    body: bytes


def sample(kind: str, source: str, address: str, secret: str, clock: Callable[[], float] = time.time) -> Sample:
    """A sample for a source of kind `mta` or `raw`, signed as its senders sign (AD2, AD3)."""
    own_id = f"doctor-{uuid.uuid4()}"
    make = _mta if kind == "mta" else _raw
    return make(source, address, secret, own_id, int(clock()))


def _raw(source: str, address: str, secret: str, own_id: str, now: int) -> Sample:
    lines = [*(f"{name}: {value}" for name, value in _headers(address, own_id, now).items()), "", TEXT, ""]
    body = "\r\n".join(lines).encode()
    headers = {
        "content-type": "message/rfc822",
        "webhook-id": own_id,
        "webhook-timestamp": str(now),
        "webhook-signature": sign_standard(secret, own_id, now, body),
    }
    return Sample(f"/webhooks/raw/{source}", headers, body)


def _mta(source: str, address: str, secret: str, own_id: str, now: int) -> Sample:
    headers = _headers(address, own_id, now)
    payload = {
        "from": address,
        "to": address,
        "subject": SUBJECT,
        "textBody": TEXT,
        "messageId": headers["Message-ID"],
        "date": headers["Date"],
        "headers": headers,
        "attachments": [],
    }
    event = {"event": "inbound.received", "messageId": own_id, "timestamp": now * 1000, "inboundPayload": payload}
    body = json.dumps(event).encode()
    signed = {"x-mta-timestamp": str(now), "x-mta-signature": sign_mta(secret, now, body)}
    return Sample("/webhooks/mta", {"content-type": "application/json", **signed}, body)


def _headers(address: str, own_id: str, now: int) -> dict[str, str]:
    return {
        "From": address,
        "To": address,
        "Subject": SUBJECT,
        "Date": format_datetime(datetime.fromtimestamp(now, UTC)),
        "Message-ID": f"<{own_id}@{address.rpartition('@')[2]}>",
        "Auto-Submitted": MACHINE,
    }
