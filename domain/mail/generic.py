"""The generic JSON event: a mail that somebody else has parsed already. Its fields may be missing, of another type, or
invented ("unknown-17", "(no subject)"); what is left over goes the same way as raw mail (AD2)."""

import base64
import binascii
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from contracts.mail import ParsedMail
from domain.mail.address_list import AddressList, read_address_list
from domain.mail.assemble import LANGUAGES, Arrival, Envelope, assemble, shown_headers
from domain.mail.body import compare_texts
from domain.mail.cleaning import body_text, header_text
from domain.mail.encoded_words import decode_words
from domain.mail.findings import Findings
from domain.mail.limits import MAX_HEADERS, MAX_HTML_BYTES, MAX_SUBJECT_CHARS, MAX_TEXT_BYTES
from domain.mail.message_ids import all_ids, id_text, normalise_message_id
from domain.mail.text_parts import html_text, plain_text
from domain.mail.transfer import decode_base64

NO_SUBJECT = "(no subject)"
MAX_ATTACHMENTS_READ = 1_000
_INVENTED_ID = re.compile(r"<?unknown-[0-9]+(?:@.*)?>?\Z")
_MILLISECONDS = re.compile(r"[0-9]{12,14}\Z")


def parse_generic(
    payload: dict[str, Any],
    *,
    received_at: datetime,
    envelope_sender: str | None,
    envelope_recipients: tuple[str, ...],
    our_names: tuple[str, ...] = (),
    languages: tuple[str, ...] = LANGUAGES,
) -> tuple[ParsedMail, dict[str, bytes]]:
    """The mail in the `inboundPayload` of a generic event, and the bytes of attachments that came along. Never raises.

    Without `envelope_recipients` the payload's `to` counts as the envelope recipient.
    """
    return parse_generic_strictly(
        payload, Arrival(received_at, envelope_sender, envelope_recipients, our_names, languages)
    )


def parse_generic_strictly(payload: dict[str, Any], arrival: Arrival) -> tuple[ParsedMail, dict[str, bytes]]:
    """The same, for a caller that has the arrival as one value."""
    fields = payload if isinstance(payload, dict) else {}
    recipients = arrival.envelope_recipients or tuple(filter(None, _strings(fields.get("to"))))
    findings = Findings()
    envelope = _envelope(fields, _headers(fields))
    for attachment in _list(fields.get("attachments"))[:MAX_ATTACHMENTS_READ]:
        _take_attachment(attachment, findings)
    text = _body(fields, findings)
    arrival = replace(arrival, envelope_recipients=recipients)
    return assemble("provider_json", envelope, text, findings, arrival), findings.contents


def _envelope(fields: dict[str, Any], headers: dict[str, str]) -> Envelope:
    message_id = _message_id(fields.get("messageId")) or _message_id(headers.get("message-id"))
    return Envelope(
        senders=_senders(fields, headers),
        reply_to=read_address_list(headers.get("reply-to", "")),
        to=read_address_list(headers.get("to") or ", ".join(_strings(fields.get("to")))),
        cc=read_address_list(headers.get("cc", "")),
        subject=_subject(fields.get("subject")) or _subject(headers.get("subject")),
        date=_date(fields.get("date")) or headers.get("date", "")[:200],
        message_id=normalise_message_id(message_id),
        message_id_raw=id_text(message_id),
        in_reply_to=_ids(fields.get("inReplyTo"), headers.get("in-reply-to")),
        references=_ids(fields.get("references"), headers.get("references")),
        headers=shown_headers((name, decode_words(value)) for name, value in headers.items()),
    )


def _senders(fields: dict[str, Any], headers: dict[str, str]) -> AddressList:
    """The From header with its name, if it names the same address as the payload; two different ones are ambiguous."""
    bare = read_address_list(", ".join(_strings(fields.get("from"))))
    named = read_address_list(headers.get("from", ""))
    if not bare.addresses or not named.addresses:
        return bare if bare.addresses else named
    if {each.identity for each in bare.addresses} == {each.identity for each in named.addresses}:
        return named
    return AddressList(bare.addresses, tuple(dict.fromkeys((*bare.flags, *named.flags, "ambiguous"))))


def _body(fields: dict[str, Any], findings: Findings) -> str:
    """Plain or HTML text by the rules of an `alternative` (MI9, MI10)."""
    plain_source, html_source = _string(fields.get("textBody")), _string(fields.get("htmlBody"))
    if len(plain_source) > MAX_TEXT_BYTES or len(html_source) > MAX_HTML_BYTES:
        findings.note("text_too_big")
    plain = plain_text(body_text(plain_source[:MAX_TEXT_BYTES]), findings) if plain_source else ""
    html = html_text(html_source[:MAX_HTML_BYTES], findings) if html_source else ""
    verdict = compare_texts(plain, html)
    findings.parts_differ = verdict.differ
    if verdict.differ:
        return f"{plain.strip()}\n\n{html.strip()}"
    return html if verdict.stub else plain


def _take_attachment(attachment: Any, findings: Findings) -> None:
    """Metadata alone is shown as "not delivered by the source"; content that came with it is kept."""
    entry = attachment if isinstance(attachment, dict) else {}
    name, kind = _string(entry.get("filename")), _string(entry.get("contentType"))
    content = entry.get("contentBase64")
    if isinstance(content, str):
        findings.attach(_decoded(content, findings), kind, decode_words(name))
        return
    size = entry.get("size")
    size_bytes = size if isinstance(size, int) and 0 <= size < 2**53 else 0
    findings.list_only(kind, decode_words(name), size_bytes, False, ("not_delivered",))


def _decoded(content: str, findings: Findings) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        findings.note("base64_broken")
        return decode_base64(content.encode("ascii", "ignore")).data


def _headers(fields: dict[str, Any]) -> dict[str, str]:
    """The payload's headers with lower-case names; a value of another type is shown as text."""
    given = fields.get("headers")
    items = list(given.items())[:MAX_HEADERS] if isinstance(given, dict) else []
    return {header_text(str(name)).lower(): header_text(", ".join(_strings(value))) for name, value in items}


def _message_id(value: Any) -> str:
    text = _string(value).strip()
    return "" if _INVENTED_ID.match(text) else text


def _subject(value: Any) -> str:
    text = decode_words(_string(value))[:MAX_SUBJECT_CHARS]
    return "" if text.casefold() == NO_SUBJECT else text


def _ids(own: Any, header: str | None) -> tuple[str, ...]:
    return all_ids(" ".join(_strings(own))) or all_ids(header or "")


def _date(value: Any) -> str:
    """A date as text; milliseconds since 1970, which some senders write, as ISO 8601."""
    text = header_text(_string(value))[:200]
    if not _MILLISECONDS.match(text):
        return text
    return datetime.fromtimestamp(int(text) / 1000, UTC).isoformat()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _strings(value: Any) -> list[str]:
    return [_string(each) for each in value[:MAX_HEADERS]] if isinstance(value, list) else [_string(value)]


def _string(value: Any) -> str:
    """Text as it is, numbers as digits; everything else, also a missing field, counts as absent."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
