"""The parser of raw mail. Any bytes give a `ParsedMail`: every doubt is a defect code, and a fault of our own still
gives the headers and the whole mail as one attachment (MI1, MI2)."""

import hashlib
from datetime import datetime

from contracts.mail import Address, Attachment, ParsedMail
from domain.mail.address_list import AddressList, read_address_list
from domain.mail.assemble import LANGUAGES, PARSER_VERSION, Arrival, Envelope, assemble, shown_headers
from domain.mail.body import render
from domain.mail.cleaning import header_text
from domain.mail.encoded_words import decode_header
from domain.mail.findings import Findings
from domain.mail.header_scan import scan_headers
from domain.mail.headers import HeaderBlock
from domain.mail.limits import MAX_SUBJECT_CHARS
from domain.mail.message_ids import all_ids, id_text, normalise_message_id
from domain.mail.other_parts import read_inner

__all__ = ["PARSER_VERSION", "Arrival", "parse_rfc822", "parse_strictly"]

_SINGLETONS = ("from", "subject", "date", "message-id", "content-type")


def parse_rfc822(
    raw: bytes,
    *,
    received_at: datetime,
    envelope_sender: str | None,
    envelope_recipients: tuple[str, ...],
    our_names: tuple[str, ...] = (),
    languages: tuple[str, ...] = LANGUAGES,
) -> tuple[ParsedMail, dict[str, bytes]]:
    """The mail in `raw`, and the bytes of its attachments by SHA-256. Never raises on any bytes.

    A fault inside the parser gives a partial result with the defect `parser_error`.
    """
    arrival = Arrival(received_at, envelope_sender, envelope_recipients, our_names, languages)
    try:
        return parse_strictly(raw, arrival)
    except Exception as fault:  # noqa: BLE001 - MI2: a fault of ours is a defect of the result, not the end of the mail
        return _partial(raw, arrival, type(fault).__name__)


def parse_strictly(raw: bytes, arrival: Arrival) -> tuple[ParsedMail, dict[str, bytes]]:
    """The same without the safety net: faults of the parser come through, for those who report them."""
    findings = Findings()
    root = read_inner(raw, 0, findings)
    envelope = _envelope(root.headers, findings)
    if root.headers.excess:
        findings.attach(root.headers.excess, "application/octet-stream", "headers.txt", flags=("opaque_excess",))
    text = render(root, findings).text
    return assemble("rfc822", envelope, text, findings, arrival), findings.contents


def _partial(raw: bytes, arrival: Arrival, fault: str) -> tuple[ParsedMail, dict[str, bytes]]:
    """The headers and the whole mail as one attachment, made with as little of the parser as possible."""
    scan = scan_headers(raw)
    digest = hashlib.sha256(raw).hexdigest()
    whole = Attachment(
        name="message.eml",
        declared_type="message/rfc822",
        size_bytes=len(raw),
        sha256=digest,
        flags=("opaque_excess",),
    )
    sender = Address(address=scan.from_address, identity=scan.from_address) if scan.from_address else None
    parsed = ParsedMail(
        parser_version=PARSER_VERSION,
        message_id=scan.message_id,
        message_id_raw=scan.message_id_raw,
        from_=sender,
        ambiguous_sender=True,
        envelope_sender=arrival.envelope_sender,
        envelope_recipients=arrival.envelope_recipients,
        subject=scan.subject,
        date_raw=scan.date,
        text=scan.subject,
        new_text=scan.subject,
        attachments=(whole,),
        defects=("parser_error", f"parser_error_{fault}"),
    )
    return parsed, {digest: raw}


def _envelope(block: HeaderBlock, findings: Findings) -> Envelope:
    for name in _SINGLETONS:
        if len(block.all(name)) > 1:
            findings.note(f"repeated_{name.replace('-', '_')}")
    subject = decode_header(block.first("subject"))
    if subject.charset:
        findings.decoded_as[subject.charset] = None
    return Envelope(
        senders=_addresses(block, "from"),
        reply_to=_addresses(block, "reply-to"),
        to=_addresses(block, "to"),
        cc=_addresses(block, "cc"),
        subject=subject.text[:MAX_SUBJECT_CHARS],
        date=header_text(decode_header(block.first("date")).text)[:200],
        message_id=normalise_message_id(block.first("message-id")),
        message_id_raw=id_text(block.first("message-id")),
        in_reply_to=all_ids(b" ".join(block.all("in-reply-to"))),
        references=all_ids(b" ".join(block.all("references"))),
        headers=shown_headers((name, decode_header(value, detect=False).text) for name, value in block.fields),
    )


def _addresses(block: HeaderBlock, name: str) -> AddressList:
    """The addresses of every header `name`; two From headers are two senders (MI8)."""
    lists = [read_address_list(value) for value in block.all(name)]
    addresses = tuple(address for each in lists for address in each.addresses)
    flags = dict.fromkeys(flag for each in lists for flag in each.flags)
    if len(lists) > 1:
        flags["ambiguous"] = None
    return AddressList(addresses, tuple(flags))
