"""Raw message/rfc822 under a Standard Webhooks signature: the reference adapter (AD3)."""

import re
from collections.abc import Mapping

from contracts.reception import Delivery, PoisonReason
from domain.dedup import body_digest
from domain.mail.header_scan import scan_headers

MOST_HINTS = 50
_SOMETHING = re.compile(rb"\S")


def translate(source: str, raw: bytes, event_id: str, headers: Mapping[str, str]) -> Delivery:
    """The delivery; envelope headers are hints, used only to find the mailbox. Never raises on any bytes."""
    if _SOMETHING.search(raw) is None:
        return Delivery(
            source=source, provider_event_id=event_id, raw=raw, poison=PoisonReason.EMPTY, detail="the body is empty"
        )
    scan = scan_headers(raw)
    return Delivery(
        source=source,
        provider_event_id=event_id,
        event_type="rfc822",
        raw=raw,
        envelope_sender=_hint(headers, "x-envelope-from"),
        envelope_recipients=_recipients(headers),
        message_id=scan.message_id,
        from_address=scan.from_address,
        date=scan.date,
        to=scan.to,
        cc=scan.cc,
        subject=scan.subject,
        body_digest=body_digest(raw),
    )


def _hint(headers: Mapping[str, str], name: str) -> str | None:
    """An empty hint is the null sender, a missing one is unknown."""
    value = headers.get(name)
    return None if value is None else value.strip().strip("<>")[:1000]


def _recipients(headers: Mapping[str, str]) -> tuple[str, ...]:
    given = headers.get("x-envelope-to", "")
    return tuple(a.strip().strip("<>") for a in given.split(",") if "@" in a)[:MOST_HINTS]
