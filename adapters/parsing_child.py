"""The child of the sandboxed parser: it reads a mail, parses it and answers; attachments follow (MI2, HW12)."""

import json
from datetime import datetime
from typing import Any

from adapters.sandbox_child import framed, load_whole, run
from contracts.errors import MalformedMessage
from contracts.mail import ParsedMail

_LOADED_WHOLE = ("encodings", "idna", "charset_normalizer", "domain.mail", "domain.text")


def _answer(order: dict[str, Any], raw: bytes) -> list[bytes]:
    try:
        parsed, contents = _parse(order, raw)
        body = parsed.model_dump_json().encode()
        head: dict[str, Any] = {"contents": [(digest, len(data)) for digest, data in contents.items()]}
        return [*framed(head, body), *contents.values()]
    except MemoryError:
        return framed({"error": "parser_memory", "worn": True}, b"")
    except RecursionError:
        return framed({"error": "parser_recursion", "worn": True}, b"")
    except MalformedMessage as fault:
        return framed({"error": str(fault)}, b"")
    except Exception as fault:  # noqa: BLE001 - MI2: any fault of the parser ends as a reason code at the caller
        return framed({"error": f"parser_error_{type(fault).__name__}", "worn": True}, b"")


def _parse(order: dict[str, Any], raw: bytes) -> tuple[ParsedMail, dict[str, bytes]]:
    from domain.mail.generic import parse_generic_strictly
    from domain.mail.parse import Arrival, parse_strictly

    arrival = Arrival(
        datetime.fromisoformat(order["received_at"]),
        order["envelope_sender"],
        tuple(order["envelope_recipients"]),
        tuple(order["our_names"]),
        tuple(order["languages"]),
    )
    if order["raw_kind"] == "rfc822":
        return parse_strictly(raw, arrival)
    if order["raw_kind"] == "provider_json":
        return parse_generic_strictly(_payload(raw), arrival)
    raise MalformedMessage("unknown_raw_kind")


def _payload(raw: bytes) -> dict[str, Any]:
    """The `inboundPayload` of an event, or the object itself if it is one already (AD2)."""
    try:
        event = json.loads(raw)
    except ValueError:
        raise MalformedMessage("payload_unreadable") from None
    payload = event.get("inboundPayload", event) if isinstance(event, dict) else None
    if not isinstance(payload, dict):
        raise MalformedMessage("payload_unreadable")
    return payload


def _warm_up() -> None:
    """Load everything that is loaded lazily: afterwards no file can be opened any more."""
    load_whole(_LOADED_WHOLE)
    order = {
        "received_at": "2026-01-01T00:00:00+00:00",
        "envelope_sender": None,
        "envelope_recipients": (),
        "our_names": ("Example",),
        "languages": ("en", "de"),
    }
    plain = "From: Shop.example <a@bücher.example>\n\n".encode() + "Où est ma commande ? ".encode("latin-1") * 5
    html = b"From: a@b.example\nContent-Type: text/html\n\n<style>p{color:red}</style><p>Hello <b>there</b></p>"
    for raw_kind, raw in (("rfc822", plain), ("rfc822", html), ("provider_json", b"{}"), ("", b"")):
        _answer({**order, "raw_kind": raw_kind}, raw)


if __name__ == "__main__":
    run(_warm_up, _answer)
