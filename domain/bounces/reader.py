"""Reads a report about mail we sent out of raw bytes. Whatever the bytes are, it answers with a value and never raises:
a bounce that kills its reader would be a bounce nobody sees."""

import re
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.message import Message
from email.parser import BytesHeaderParser

from domain.automatic_mail.header_rules import REPORT_TYPES, keyword
from domain.automatic_mail.phrases import failure_subject
from domain.bounces.delivery_status import (
    complaint_kind,
    complaint_recipients,
    receipt_recipient,
    reported_recipient,
)
from domain.bounces.fields import Fields, field_groups, first
from domain.bounces.report import BounceReport, ReportKind, worst
from domain.bounces.returned import own_parts, related_message_ids, returned_marker, returned_message_id
from domain.bounces.wording import worded_recipients
from domain.mail.encoded_words import decode_header
from domain.threads.subjects import has_reply_prefix

MAX_READ_BYTES = 1 << 20
MAX_LINES = 10_000
MAX_LINE_BYTES = 1_000
MAX_NESTING_SIGNS = 64
MAX_RECIPIENTS = 500
_NESTING = re.compile(rb"boundary|message/", re.IGNORECASE)
_DAEMON = re.compile(r"mailer[-_.]?daemon|postmaster|mail delivery (?:sub)?system", re.IGNORECASE)
_STATUS_TYPES = frozenset({"message/delivery-status", "message/global-delivery-status"})
_RECEIPT_TYPES = frozenset({"message/disposition-notification", "message/global-disposition-notification"})
_COMPLAINT_TYPES = frozenset({"message/feedback-report"})
_Reader = Callable[[Message, list[Message]], BounceReport | None]


def read_bounce(raw: bytes) -> BounceReport | None:
    """The report a mail makes about mail of ours, or None if it is no report (BO1). Never raises."""
    try:
        return _read(_parsed(raw))
    except Exception:  # RecursionError included; what the email package cannot read is no report
        return None


def _read(message: Message) -> BounceReport | None:
    if not _looks_like_report(message):
        return None
    parts = list(own_parts(message))
    for reader in _READERS:
        report = reader(message, parts)
        if report is not None:
            return _with_original(report, message, parts)
    return None


def _parsed(raw: bytes) -> Message:
    """The mail within limits; with suspiciously many nested parts only its headers are looked at (MI3)."""
    bounded = b"\n".join(line[:MAX_LINE_BYTES] for line in raw[:MAX_READ_BYTES].splitlines()[:MAX_LINES])
    if len(_NESTING.findall(bounded)) > MAX_NESTING_SIGNS:
        return BytesHeaderParser(policy=policy.compat32).parsebytes(bounded)
    return message_from_bytes(bounded, policy=policy.compat32)


def _looks_like_report(message: Message) -> bool:
    """Only a machine's mail is read as a report: a person may quote or forward a bounce (AU15)."""
    return (
        keyword(_header(message, "Content-Type")) in REPORT_TYPES
        or bool(_header(message, "X-Failed-Recipients"))
        or _header(message, "Return-Path") == "<>"
        or bool(_DAEMON.search(_header(message, "From")))
        or _is_titled_failure(_header_text(message, "Subject"))
    )


def _is_titled_failure(subject: str) -> bool:
    """A failure by its title, but not the answer to or the forward of one, which a person may have written."""
    return bool(failure_subject(subject)) and not has_reply_prefix(subject)


def _delivery_status(message: Message, parts: list[Message]) -> BounceReport | None:
    groups = list(_groups(parts, _STATUS_TYPES))
    found = (reported_recipient(fields) for fields in groups)
    recipients = tuple(item for item in found if item is not None)[:MAX_RECIPIENTS]
    if not recipients:
        return None
    envelope_id = next(filter(None, (first(fields, "original-envelope-id") for fields in groups)), "")
    return BounceReport(kind=worst(recipients), format="rfc3464", recipients=recipients, envelope_id=envelope_id)


def _complaint(message: Message, parts: list[Message]) -> BounceReport | None:
    for fields in _groups(parts, _COMPLAINT_TYPES):
        feedback_type = first(fields, "feedback-type").lower()
        kind = complaint_kind(feedback_type)
        recipients = complaint_recipients(fields, kind)[:MAX_RECIPIENTS]
        return BounceReport(kind=kind, format="rfc5965", recipients=recipients, feedback_type=feedback_type)
    return None


def _receipt(message: Message, parts: list[Message]) -> BounceReport | None:
    for fields in _groups(parts, _RECEIPT_TYPES):
        return BounceReport(
            kind=ReportKind.READ_RECEIPT,
            format="rfc8098",
            recipients=(receipt_recipient(fields),),
            original_message_id=first(fields, "original-message-id"),
        )
    return None


def _worded(message: Message, parts: list[Message]) -> BounceReport | None:
    recipients = worded_recipients(message, parts)[:MAX_RECIPIENTS]
    return BounceReport(kind=worst(recipients), format="wording", recipients=recipients) if recipients else None


def _unreadable(message: Message, parts: list[Message]) -> BounceReport | None:
    """A report by its form or title, of which nothing more could be made out."""
    is_report = keyword(_header(message, "Content-Type")) in REPORT_TYPES
    if not is_report and not _is_titled_failure(_header_text(message, "Subject")):
        return None
    return BounceReport(kind=ReportKind.UNKNOWN, format="unreadable")


_READERS: tuple[_Reader, ...] = (_delivery_status, _complaint, _receipt, _worded, _unreadable)


def _with_original(report: BounceReport, message: Message, parts: list[Message]) -> BounceReport:
    return report.model_copy(
        update={
            "original_message_id": returned_message_id(parts, stated=report.original_message_id),
            "related_message_ids": related_message_ids(message),
            "marker": returned_marker(parts),
        }
    )


def _groups(parts: list[Message], types: frozenset[str]) -> Iterator[Fields]:
    for part in parts:
        if part.get_content_type() in types:
            yield from field_groups(part)


def _header(message: Message, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())


def _header_text(message: Message, name: str) -> str:
    """A header with its encoded words read."""
    return decode_header(_header(message, name).encode("utf-8", "surrogateescape")).text
