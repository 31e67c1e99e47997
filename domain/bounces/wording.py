"""Bounces of mail servers that never heard of RFC 3464: recipients and reasons are read out of their prose."""

import re
from collections.abc import Iterable
from email.message import Message

from flufl.bounce import all_failures

from domain.bounces.fields import status_code
from domain.bounces.report import ReportedRecipient, ReportKind
from domain.bounces.returned import part_text

MAX_DIAGNOSTIC_CHARS = 400
_REASON = re.compile(
    r"[^\n]{0,200}(?<![0-9.])(?:[45][0-5][0-9][ -]|[45]\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.]))[^\n]{0,300}"
)
_FAILED_HEADER = "X-Failed-Recipients"


def worded_recipients(message: Message, parts: Iterable[Message]) -> tuple[ReportedRecipient, ...]:
    """The recipients a free-form bounce speaks of; empty if none was recognised."""
    temporary, permanent = _recognised(message)
    permanent |= {address.strip() for value in message.get_all(_FAILED_HEADER, []) for address in str(value).split(",")}
    reason = _reason(parts)
    failed = _described(permanent, ReportKind.FAILED, reason)
    return (*failed, *_described(temporary - permanent, ReportKind.DELAYED, reason))


def _recognised(message: Message) -> tuple[set[str], set[str]]:
    """Temporary and permanent failures by the pattern library, which raises on some malformed mail."""
    try:
        temporary, permanent = all_failures(message)
    except Exception:
        return set(), set()
    return _addresses(temporary), _addresses(permanent)


def _addresses(found: Iterable[bytes]) -> set[str]:
    return {text for address in found if "@" in (text := address.decode("ascii", "replace").strip("<> "))}


def _described(addresses: set[str], kind: ReportKind, reason: str) -> tuple[ReportedRecipient, ...]:
    """The reason is credited only if its code is of the same class as the verdict."""
    expected = "5" if kind is ReportKind.FAILED else "4"
    status = status_code(reason)
    fits = status.startswith(expected)
    return tuple(
        ReportedRecipient(
            address=address,
            kind=kind,
            status=status if fits else "",
            diagnostic=reason if fits else "",
            gave_up=kind is ReportKind.FAILED,
        )
        for address in sorted(addresses - {""})
    )


def _reason(parts: Iterable[Message]) -> str:
    """The first line of the mail's own text that holds a status or reply code."""
    for part in parts:
        found = _REASON.search(part_text(part)) if part.get_content_type() == "text/plain" else None
        if found:
            return " ".join(found[0].split())[:MAX_DIAGNOSTIC_CHARS]
    return ""
