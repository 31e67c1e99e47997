"""Which of our mails a report is about: the returned mail or its headers, wherever the reporting side put them."""

import re
from collections.abc import Iterable, Iterator
from email.message import Message
from email.parser import HeaderParser

from domain.automatic_mail.header_rules import REPORT_TYPES
from domain.automatic_mail.marker import MARKER_HEADER
from domain.mail.message_ids import all_ids, normalise_message_id

MAX_SEARCHED_CHARS = 256 * 1024
MAX_RELATED_IDS = 20
_HEADERS_AS_TEXT = "text/rfc822-headers"
_LINES = re.IGNORECASE | re.MULTILINE
_QUOTE = r"^[ \t>|]{0,4}"
_ID_IN_TEXT = re.compile(_QUOTE + r"Message-ID:[ \t]{0,4}\n?[ \t]{0,4}(<[^<>\s]{1,998}>)", _LINES)
_MARKER_IN_TEXT = re.compile(_QUOTE + MARKER_HEADER + r":[ \t]{0,4}([\w.-]{1,200})", _LINES)


def own_parts(message: Message) -> Iterator[Message]:
    """The parts of the mail itself, outermost first; mails attached to it are not opened (AU15)."""
    yield message
    if message.get_content_maintype() == "multipart":
        for part in _inner(message):
            yield from own_parts(part)


def is_attached_mail(part: Message) -> bool:
    """True for a mail (or its headers) inside this one, under whatever media type; servers invent some."""
    return part.get_content_maintype() == "message" and part.get_content_type() not in REPORT_TYPES


def part_text(part: Message) -> str:
    """The decoded text of a leaf part, bounded; enough to find addresses, codes and ids in."""
    payload = part.get_payload(decode=True)
    return payload[:MAX_SEARCHED_CHARS].decode("utf-8", "replace") if isinstance(payload, bytes) else ""


def returned_message_id(parts: Iterable[Message], *, stated: str = "") -> str:
    """The normalised Message-ID of the mail a report is about, or empty; `stated` is what a field of it says."""
    candidates = (stated, *_candidates(parts, "Message-ID", _ID_IN_TEXT))
    return next(filter(None, map(normalise_message_id, candidates)), "")


def returned_marker(parts: Iterable[Message]) -> str:
    """The X-Deskhand-Id of the mail that came back, unverified, or empty."""
    return next(_candidates(parts, MARKER_HEADER, _MARKER_IN_TEXT), "")


def related_message_ids(message: Message) -> tuple[str, ...]:
    """The ids that the report itself claims to answer."""
    values = [str(value) for name in ("In-Reply-To", "References") for value in message.get_all(name, [])]
    return tuple(dict.fromkeys(id_ for value in values for id_ in all_ids(value)))[:MAX_RELATED_IDS]


def _candidates(parts: Iterable[Message], header: str, in_text: re.Pattern[str]) -> Iterator[str]:
    """Values of a header of the returned mail: from attached mail or headers first, then from plain text."""
    listed = list(parts)
    for part in listed:
        yield from (str(value).strip() for value in _returned_headers(part).get_all(header, []) if str(value).strip())
    for part in listed:
        if part.get_content_maintype() == "text":
            yield from (found[1] for found in in_text.finditer(part_text(part).replace("\r\n", "\n")))


def _returned_headers(part: Message) -> Message:
    if part.get_content_type() == _HEADERS_AS_TEXT:
        return HeaderParser().parsestr(part_text(part))
    return next(iter(_inner(part)), Message()) if is_attached_mail(part) else Message()


def _inner(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [each for each in payload if isinstance(each, Message)] if isinstance(payload, list) else []
