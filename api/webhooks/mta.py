"""Generic signed JSON: `inbound.received` becomes a delivery, news about our own mail reaches its outbox row (AD2)."""

import json
import re
from typing import Any

import orjson

from api.webhooks.news import NewsKind, OutboundNews
from contracts.reception import Delivery, PoisonReason
from domain.dedup import body_digest_generic
from domain.mail.address_list import identity
from domain.mail.message_ids import normalise_message_id

RECEIVED = "inbound.received"
LENIENT_BYTES = 8 * 1024 * 1024
NO_SUBJECT = "(no subject)"
_SOMETHING = re.compile(rb"\S")
_UNKNOWN_ID = re.compile(r"unknown-[0-9]+")
_PASS = frozenset({"pass"})
_FAIL = frozenset({"fail", "softfail", "hardfail", "reject"})
_NEWS = {kind.value: kind for kind in NewsKind}


def translate(source: str, raw: bytes) -> Delivery | OutboundNews | str:
    """A delivery, news about a mail of ours, or the name of an event type we ignore. Never raises on any bytes."""
    event, fault = _object(raw)
    if event is None:
        return _poison(source, raw, fault)
    kind = event.get("event")
    if isinstance(kind, str) and kind != RECEIVED:
        return _news(kind, event) or kind[:100]
    payload = event.get("inboundPayload")
    missing = _missing(kind, payload)
    if missing or not isinstance(payload, dict):
        return _poison(source, raw, (PoisonReason.MISSING_FIELD, f"{missing} is missing or of the wrong type"))
    return _delivery(source, raw, event, payload)


def _object(raw: bytes) -> tuple[dict[str, Any] | None, tuple[PoisonReason, str]]:
    if _SOMETHING.search(raw) is None:
        return None, (PoisonReason.EMPTY, "the body is empty")
    try:
        event = _loads(raw)
    except ValueError as error:
        return None, (PoisonReason.BAD_JSON, f"not JSON: {error}"[:200])
    if not isinstance(event, dict):
        return None, (PoisonReason.BAD_JSON, "JSON, but no object")
    return event, (PoisonReason.BAD_JSON, "")


def _loads(raw: bytes) -> Any:
    """JSON as senders write it: half of a surrogate pair, as a text cut in an emoji has, costs one character, not the
    mail."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        if b"\\u" not in raw or len(raw) > LENIENT_BYTES:
            raise
    try:
        return json.loads(raw.decode(), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _missing(kind: Any, payload: Any) -> str:
    if kind != RECEIVED:
        return "event"
    if not isinstance(payload, dict):
        return "inboundPayload"
    for name in ("from", "to"):
        if not isinstance(payload.get(name), str) or not payload[name].strip():
            return f"inboundPayload.{name}"
    return ""


def _poison(source: str, raw: bytes, fault: tuple[PoisonReason, str]) -> Delivery:
    return Delivery(source=source, raw=raw, raw_kind="provider_json", poison=fault[0], detail=fault[1])


def _delivery(source: str, raw: bytes, event: dict[str, Any], payload: dict[str, Any]) -> Delivery:
    given_id = _text(payload.get("messageId"))
    headers = _dict(payload.get("headers"))
    return Delivery(
        source=source,
        event_type=RECEIVED,
        raw=raw,
        raw_kind="provider_json",
        envelope_recipients=(_text(payload["to"]),),
        message_id="" if _UNKNOWN_ID.fullmatch(given_id) else normalise_message_id(given_id),
        from_address=identity(_text(payload["from"])),
        date=_text(payload.get("date")),
        to=_header(headers, "to") or _text(payload["to"]),
        cc=_header(headers, "cc"),
        subject=_subject(payload),
        body_digest=body_digest_generic(payload),
        verdicts=_verdicts(source, payload),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return value[:8192].replace("\x00", "").encode("utf-8", "replace").decode()


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _header(headers: dict[str, Any], name: str) -> str:
    return next((_text(v) for k, v in headers.items() if isinstance(k, str) and k.lower() == name), "")


def _subject(payload: dict[str, Any]) -> str:
    subject = _text(payload.get("subject"))
    return "" if subject == NO_SUBJECT else subject


def _verdicts(source: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Absent, none and temporary errors are unknown, never pass (AD2, HS1)."""
    found = {}
    for name in ("spf", "dkim", "dmarc"):
        raw = payload.get(f"{name}Result")
        word = raw.strip().lower() if isinstance(raw, str) else ""
        value = "pass" if word in _PASS else "fail" if word in _FAIL else "unknown"
        found[name] = {"source": source, "value": value, "raw": word[:60]}
    return found


def _news(kind: str, event: dict[str, Any]) -> OutboundNews | None:
    if kind not in _NEWS:
        return None
    payload = _dict(event.get("inboundPayload"))
    ids = [event.get("messageId"), payload.get("messageId"), payload.get("deskhandId"), event.get("deskhandId")]
    recipient = _text(payload.get("to") or payload.get("recipient") or event.get("recipient"))
    return OutboundNews(
        kind=_NEWS[kind], ids=tuple(_text(i).strip("<> ") for i in ids if _text(i)), recipient=recipient
    )
