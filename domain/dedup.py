"""Mail arrives more than once, and anyone can copy a Message-ID. Here stands what makes two deliveries the same mail,
so that a repeated one is recognised and a forged one is never mistaken for it."""

import base64
import hashlib
import hmac
import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum

from contracts.base import Contract

CHUNK_BYTES = 1 << 20
_HEADER_LINE = re.compile(rb"[!-9;-~]{1,256}[ \t]{0,8}:")
_MBOX_LINE = re.compile(rb">?From ")
_LINE_END = re.compile(rb"\r\n|\n|\r")


class Delivery(StrEnum):
    """What one delivery is to us (DK1-DK5). All four are answered with success."""

    NEW = "new"
    DUPLICATE = "duplicate"
    DUPLICATE_OF_DELETED = "duplicate_of_deleted"
    VARIANT = "variant"


class DeliveryFacts(Contract):
    """What the store knows of a delivery: lookups by dedup key, by Message-ID under other keys, and by event id."""

    key_known: bool = False
    key_deleted: bool = False
    same_id_other_key: bool = False
    event_id_known: bool = False
    event_content_same: bool = False


class DeliveryVerdict(Contract):
    """The judgement and its flags: `same_id_other_body` (DK3, autonomy off) and `event_id_reused` (DK4)."""

    delivery: Delivery
    flags: tuple[str, ...] = ()

    @property
    def autonomy_off(self) -> bool:
        """True if the mail may never be answered without a person (DK3)."""
        return "same_id_other_body" in self.flags


def dedup_key(
    org_key: bytes,
    *,
    message_id: str,
    from_address: str,
    date: str,
    to: str,
    cc: str,
    subject: str,
    body_digest: str,
) -> str:
    """The key of one mail in one organisation: hex HMAC-SHA256 (DK1). `message_id` is normalised, empty if unusable."""
    fields: tuple[str, ...]
    if message_id:
        fields = ("id", message_id, _address(from_address), _one_line(date), body_digest)
    else:
        headers = (_address(from_address), _one_line(to), _one_line(cc), _one_line(subject), _one_line(date))
        fields = ("headers", *headers, body_digest)
    return hmac.new(org_key, b"".join(_framed(fields)), hashlib.sha256).hexdigest()


def body_digest(raw: bytes) -> str:
    """Hex SHA-256 of what follows the header block, line ends as LF, trailing blank lines dropped (DK2)."""
    digest = hashlib.sha256()
    held_line_ends = 0
    for piece in _unified(raw, _body_start(raw)):
        content = piece.rstrip(b"\n")
        if content:
            _feed_line_ends(digest, held_line_ends)
            digest.update(content)
            held_line_ends = 0
        held_line_ends += len(piece) - len(content)
    return digest.hexdigest()


def body_digest_generic(payload: dict) -> str:
    """Hex SHA-256 over the two bodies and the attachment list of a JSON payload (AD2, DK2); odd values never raise."""
    bodies = [_plain_text(payload.get(name)) for name in ("textBody", "htmlBody")]
    attachments = payload.get("attachments")
    listed = [_attachment(item) for item in attachments] if isinstance(attachments, list) else []
    digest = hashlib.sha256()
    for field in (*bodies, *(part for item in listed for part in item)):
        _feed_text(digest, field)
    return digest.hexdigest()


def judge_delivery(facts: DeliveryFacts) -> DeliveryVerdict:
    """Whether a delivery is new, a repeat, a repeat of something deleted, or another mail under a known Message-ID."""
    flags = []
    if facts.event_id_known and not facts.event_content_same:
        flags.append("event_id_reused")
    delivery = _delivery(facts)
    if delivery is Delivery.VARIANT:
        flags.append("same_id_other_body")
    return DeliveryVerdict(delivery=delivery, flags=tuple(flags))


def _delivery(facts: DeliveryFacts) -> Delivery:
    if facts.key_deleted:
        return Delivery.DUPLICATE_OF_DELETED
    if facts.key_known or (facts.event_id_known and facts.event_content_same):
        return Delivery.DUPLICATE
    return Delivery.VARIANT if facts.same_id_other_key else Delivery.NEW


def _framed(fields: Iterable[str]) -> Iterator[bytes]:
    """Each field behind its length, so that no two different lists of fields give the same bytes."""
    for field in fields:
        encoded = field.encode("utf-8", "surrogatepass")
        yield len(encoded).to_bytes(8, "big")
        yield encoded


def _one_line(value: str) -> str:
    return " ".join(unicodedata.normalize("NFC", value).split())


def _address(value: str) -> str:
    return _one_line(value).casefold()


def _body_start(raw: bytes) -> int:
    """Offset of the body: after the first blank line, or at the first line that cannot be a header."""
    start = 0
    while start < len(raw):
        end = _LINE_END.search(raw, start)
        line_end, following = (end.start(), end.end()) if end else (len(raw), len(raw))
        if line_end == start:
            return following
        if not _is_header_line(raw, start):
            return start
        start = following
    return len(raw)


def _is_header_line(raw: bytes, start: int) -> bool:
    if start and raw[start] in b" \t":
        return True
    return bool(_HEADER_LINE.match(raw, start) or (start == 0 and _MBOX_LINE.match(raw)))


def _unified(raw: bytes, start: int) -> Iterator[bytes]:
    """The bytes from `start` on in bounded pieces, CRLF and CR turned into LF, also across the seams."""
    view = memoryview(raw)
    carried = b""
    for offset in range(start, len(raw), CHUNK_BYTES):
        piece = carried + view[offset : offset + CHUNK_BYTES]
        carried = b"\r" if piece.endswith(b"\r") else b""
        piece = piece[: len(piece) - len(carried)]
        yield piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if carried:
        yield b"\n"


def _feed_line_ends(digest: "hashlib._Hash", count: int) -> None:
    while count > 0:
        digest.update(b"\n" * min(count, CHUNK_BYTES))
        count -= CHUNK_BYTES


def _feed_text(digest: "hashlib._Hash", text: str) -> None:
    """The text behind its length, in bounded pieces: a body may hold many megabytes."""
    digest.update(f"{len(text)}:".encode())
    for start in range(0, len(text), CHUNK_BYTES):
        digest.update(text[start : start + CHUNK_BYTES].encode("utf-8", "surrogatepass"))


def _plain_text(value: object) -> str:
    text = value if isinstance(value, str) else "" if value is None else _described(value)
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def _described(value: object) -> str:
    try:
        return repr(value)
    except RecursionError:
        return type(value).__name__


def _attachment(item: object) -> list[str]:
    """Name, type, size and content of one listed attachment; where a source keeps its copy changes per delivery."""
    if not isinstance(item, dict):
        return [_described(item)]
    described = [_described(item.get(name)) for name in ("filename", "contentType", "size")]
    content = item.get("contentBase64")
    return [*described, _content_digest(content) if isinstance(content, str) else ""]


def _content_digest(encoded: str) -> str:
    try:
        content = base64.b64decode(encoded)
    except ValueError:
        content = encoded.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()
