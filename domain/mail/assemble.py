"""From findings to a `ParsedMail`: what raw mail and JSON events have in common once their body was chosen."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from contracts.mail import Address, ParsedMail
from domain.mail.address_list import AddressList
from domain.mail.cleaning import header_text, storable
from domain.mail.dates import plausible_date
from domain.mail.display_names import is_spoofed_name
from domain.mail.findings import Findings
from domain.mail.language import detect_language
from domain.mail.limits import MAX_HEADER_BLOCK_BYTES, MAX_HEADERS, MAX_SHOWN_HEADER_CHARS
from domain.mail.quotes import split_text

PARSER_VERSION = "1"
LANGUAGES = ("en", "de", "fr", "es")


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is known of a mail from outside its bytes."""

    received_at: datetime
    envelope_sender: str | None = None
    envelope_recipients: tuple[str, ...] = ()
    our_names: tuple[str, ...] = ()
    languages: tuple[str, ...] = LANGUAGES


@dataclass(frozen=True, slots=True)
class Envelope:
    """The identifying headers of one mail, decoded."""

    senders: AddressList = AddressList()
    reply_to: AddressList = AddressList()
    to: AddressList = AddressList()
    cc: AddressList = AddressList()
    subject: str = ""
    date: str = ""
    message_id: str = ""
    message_id_raw: str = ""
    in_reply_to: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


def assemble(raw_kind: str, envelope: Envelope, text: str, findings: Findings, arrival: Arrival) -> ParsedMail:
    """The parsed mail; every doubt stands in `defects`."""
    body = _chosen_text(text, findings)
    split = split_text(body, envelope.subject)
    shown = body or envelope.subject
    sender = _sender(envelope, findings)
    date = plausible_date(envelope.date, arrival.received_at)
    _note_doubts(envelope, body, date, findings)
    new_text = split.new or envelope.subject
    return ParsedMail(
        parser_version=PARSER_VERSION,
        raw_kind=raw_kind,
        message_id=envelope.message_id,
        message_id_raw=envelope.message_id_raw,
        in_reply_to=envelope.in_reply_to,
        references=envelope.references,
        from_=sender,
        from_count=len(envelope.senders.addresses),
        ambiguous_sender="ambiguous" in envelope.senders.flags or len(envelope.senders.addresses) > 1,
        display_name_spoof=sender is not None and is_spoofed_name(sender, arrival.our_names),
        reply_to=envelope.reply_to.addresses,
        to=envelope.to.addresses,
        cc=envelope.cc.addresses,
        envelope_sender=None if arrival.envelope_sender is None else header_text(arrival.envelope_sender),
        envelope_recipients=tuple(map(header_text, arrival.envelope_recipients)),
        subject=envelope.subject,
        date=date,
        date_raw=envelope.date,
        text=shown,
        new_text=new_text,
        quoted_text=split.quoted,
        signature=split.signature,
        forwarded=split.forwarded,
        html=storable("\n".join(findings.html)),
        hidden=tuple(findings.hidden),
        hidden_share=findings.hidden_share,
        maybe_hidden=findings.maybe_hidden,
        attribute_text=tuple(findings.attribute_text),
        language="" if findings.encrypted and not body else detect_language(new_text, arrival.languages),
        attachments=findings.with_inline_flags(),
        attached_mails=tuple(findings.attached_mails),
        calendar=tuple(findings.calendar),
        calendar_method=findings.calendar_method,
        parts_differ=findings.parts_differ,
        attachment_only=not body and bool(findings.attachments),
        encrypted=findings.encrypted,
        signed=findings.signed,
        decoded_as=tuple(findings.decoded_as),
        replacements=findings.replacements,
        headers=envelope.headers,
        defects=tuple(findings.defects),
    )


def _chosen_text(text: str, findings: Findings) -> str:
    """The body, or what stands in for an empty one: the body of a winmail.dat, or the facts of an invitation."""
    stand_ins = (text, findings.fallback_text, "\n".join(findings.calendar))
    return next((each.strip("\n") for each in stand_ins if each.strip()), "")


def _sender(envelope: Envelope, findings: Findings) -> Address | None:
    findings.note(*(f"from_{flag}" for flag in envelope.senders.flags))
    findings.note(*(f"reply_to_{flag}" for flag in envelope.reply_to.flags))
    findings.note(*(f"to_{flag}" for flag in (*envelope.to.flags, *envelope.cc.flags) if flag in ("group", "too_many")))
    return envelope.senders.addresses[0] if envelope.senders.addresses else None


def _note_doubts(envelope: Envelope, body: str, date: datetime | None, findings: Findings) -> None:
    doubts = {
        "from_missing": not envelope.senders.addresses,
        "message_id_unusable": not envelope.message_id,
        "date_missing": not envelope.date,
        "date_implausible": bool(envelope.date) and date is None,
        "body_empty": not body,
    }
    findings.note(*(code for code, is_so in doubts.items() if is_so))


def shown_headers(fields: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Decoded headers within limits: 1,000 of them, 8 Ki characters each, 256 Ki characters together."""
    kept: list[tuple[str, str]] = []
    left = MAX_HEADER_BLOCK_BYTES
    for name, value in fields:
        shown = value[:MAX_SHOWN_HEADER_CHARS]
        left -= len(name) + len(shown)
        if left < 0 or len(kept) >= MAX_HEADERS:
            break
        kept.append((name, shown))
    return tuple(kept)
