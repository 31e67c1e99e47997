"""The look at a mail that the webhook can afford: its own headers, from the first 256 KiB, while the sender waits
(RC8)."""

from dataclasses import dataclass

from domain.mail.address_list import read_address_list
from domain.mail.encoded_words import decode_header
from domain.mail.headers import HeaderBlock, read_header_block, with_line_feeds
from domain.mail.limits import MAX_HEADER_BLOCK_BYTES, MAX_SUBJECT_CHARS
from domain.mail.message_ids import id_text, normalise_message_id

MAX_LIST_CHARS = 8_192


@dataclass(frozen=True, slots=True)
class HeaderScan:
    """Decoded on one line each, "" if absent. `from_address` is the identity of the one sender, "" if there is none.

    `body_offset` is where the body begins in the scanned bytes.
    """

    message_id: str = ""
    message_id_raw: str = ""
    from_: str = ""
    from_address: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    date: str = ""
    body_offset: int = 0
    defects: tuple[str, ...] = ()


def scan_headers(raw: bytes) -> HeaderScan:
    """The identifying headers of a raw mail. Reads 256 KiB at most and never raises."""
    return scan_block(read_header_block(with_line_feeds(raw[:MAX_HEADER_BLOCK_BYTES])))


def scan_block(block: HeaderBlock) -> HeaderScan:
    """The same for a header block that was read already."""
    senders = read_address_list(block.first("from")).addresses
    return HeaderScan(
        message_id=normalise_message_id(block.first("message-id")),
        message_id_raw=id_text(block.first("message-id")),
        from_=_line(block, "from"),
        from_address=senders[0].identity if senders else "",
        to=_line(block, "to"),
        cc=_line(block, "cc"),
        subject=decode_header(block.first("subject")).text[:MAX_SUBJECT_CHARS],
        date=decode_header(block.first("date")).text[:200],
        body_offset=block.body_start,
        defects=block.defects,
    )


def _line(block: HeaderBlock, name: str) -> str:
    return decode_header(block.first(name)[: 4 * MAX_LIST_CHARS]).text[:MAX_LIST_CHARS]
