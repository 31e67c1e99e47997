"""What envelope and headers alone say of a mail that no parser could read, so that a person can answer it by hand
(RC11)."""

from contracts.mail import ParsedMail
from domain.mail.address_list import read_address_list
from domain.mail.header_scan import scan_headers
from domain.mail.message_ids import normalise_message_id

PARSER_VERSION = "headers-only"
SHOWN_CHARS = 2_000


def stub_of(raw: bytes, raw_kind: str, envelope_sender: str | None) -> ParsedMail:
    """A message row's worth of facts; the text says that the mail itself could not be read. Never raises."""
    scan = scan_headers(raw if raw_kind == "rfc822" else b"")
    senders = read_address_list((scan.from_ or envelope_sender or "").encode("utf-8", "replace")).addresses
    text = "This mail could not be read; only its headers were. The bytes as received are kept for download."
    return ParsedMail(
        parser_version=PARSER_VERSION,
        raw_kind=raw_kind,
        message_id=normalise_message_id(scan.message_id_raw.encode("utf-8", "replace")),
        message_id_raw=scan.message_id_raw,
        from_=senders[0] if len(senders) == 1 else None,
        from_count=len(senders),
        ambiguous_sender=len(senders) != 1,
        envelope_sender=envelope_sender,
        subject=scan.subject,
        date_raw=scan.date,
        text=text,
        new_text=text,
        defects=("headers_only", *scan.defects)[:20],
    )
