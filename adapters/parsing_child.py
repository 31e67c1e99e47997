"""The child of the sandboxed parser: it reads a mail, parses it and answers, with all rights given up before the first
byte of a mail arrives (MI2, HW12). Frames: sizes of head and body, head as JSON, body; attachments follow an answer."""

import contextlib
import importlib
import json
import os
import pkgutil
import struct
import sys
from datetime import datetime
from typing import Any

from contracts.errors import MalformedMessage
from contracts.mail import ParsedMail

FRAME = struct.Struct(">IQ")
READY = b"ready\n"
OUT_OF_MEMORY = 77
_LOADED_WHOLE = ("encodings", "idna", "charset_normalizer", "domain.mail", "domain.text")


def serve(cpu_s: int, address_space_bytes: int) -> None:
    """The child: read a mail, parse it, answer, until the other end closes."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    orders = os.fdopen(0, "rb")
    _warm_up()
    _give_up_rights(address_space_bytes)
    answers.write(READY)
    answers.flush()
    while len(head := orders.read(FRAME.size)) == FRAME.size:
        order_size, raw_size = FRAME.unpack(head)
        order, raw = json.loads(orders.read(order_size)), orders.read(raw_size)
        _allow_cpu(cpu_s)
        for piece in _answer(order, raw):
            answers.write(piece)
        answers.flush()
        del raw


def _answer(order: dict[str, Any], raw: bytes) -> list[bytes]:
    try:
        parsed, contents = _parse(order, raw)
        body = parsed.model_dump_json().encode()
        head: dict[str, Any] = {"contents": [(digest, len(data)) for digest, data in contents.items()]}
        return [*_framed(head, body), *contents.values()]
    except MemoryError:
        return _framed({"error": "parser_memory", "worn": True}, b"")
    except RecursionError:
        return _framed({"error": "parser_recursion", "worn": True}, b"")
    except MalformedMessage as fault:
        return _framed({"error": str(fault)}, b"")
    except Exception as fault:  # noqa: BLE001 - MI2: any fault of the parser ends as a reason code at the caller
        return _framed({"error": f"parser_error_{type(fault).__name__}", "worn": True}, b"")


def _framed(head: dict[str, Any], body: bytes) -> list[bytes]:
    shown = json.dumps(head).encode()
    return [FRAME.pack(len(shown), len(body)), shown, body]


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
    for package in _LOADED_WHOLE:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            if module.name != "__main__":
                with contextlib.suppress(ImportError):
                    importlib.import_module(f"{package}.{module.name}")
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


def _give_up_rights(address_space_bytes: int) -> None:
    """No more address space than allowed, no new file descriptor, no file growth, no core."""
    import resource

    limits = {
        resource.RLIMIT_AS: address_space_bytes,
        resource.RLIMIT_NOFILE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, limit in limits.items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, limit))


def _allow_cpu(cpu_s: int) -> None:
    """`cpu_s` more seconds of CPU for the next mail; past them the kernel ends the process with SIGXCPU."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + cpu_s + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


if __name__ == "__main__":
    try:
        serve(int(sys.argv[1]), int(sys.argv[2]))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
