"""Bounces of mail servers that never heard of RFC 3464: recipients and reasons are read out of their prose."""

import re
from collections.abc import Iterable
from copy import copy
from email.message import Message

from flufl.bounce import all_failures

from domain.bounces.fields import status_code
from domain.bounces.report import ReportedRecipient, ReportKind
from domain.bounces.returned import is_attached_mail, part_text

MAX_DIAGNOSTIC_CHARS = 400
_CODE = re.compile(r"(?<![0-9.])(?:[45][0-5][0-9][ -]|[45]\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.]))")
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
        temporary, permanent = all_failures(_without_attached_mail(message))
    except Exception:
        return set(), set()
    return _addresses(temporary), _addresses(permanent)


def _without_attached_mail(message: Message) -> Message:
    """A copy without the mails attached to it, whose own words are not this report's (AU15)."""
    copied = copy(message)
    payload = message.get_payload()
    if message.get_content_maintype() == "multipart" and isinstance(payload, list):
        own = [part for part in payload if isinstance(part, Message) and not is_attached_mail(part)]
        copied.set_payload([_without_attached_mail(part) for part in own])
    return copied


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
        text = part_text(part) if part.get_content_type() == "text/plain" else ""
        if found := _CODE.search(text):
            return " ".join(_line_around(text, found.start()).split())[:MAX_DIAGNOSTIC_CHARS]
    return ""


def _line_around(text: str, place: int) -> str:
    """The line that holds `place`."""
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    return text[start : end if end >= 0 else len(text)]
