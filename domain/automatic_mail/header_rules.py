"""Rules AU1-AU6: what the top-level headers of a mail admit about it. Headers of attached mails never reach this
module, since `ParsedMail.headers` holds the outermost ones only (AU15)."""

from collections.abc import Callable, Iterator

from contracts.mail import AutomaticClass, AutomaticHit, ParsedMail
from domain.automatic_mail.facts import hit

REPORT_TYPES = frozenset(
    {
        "multipart/report",
        "message/delivery-status",
        "message/global-delivery-status",
        "message/disposition-notification",
        "message/global-disposition-notification",
        "message/feedback-report",
    }
)
VENDOR_HEADERS = frozenset(
    {
        "x-autoreply",
        "x-autorespond",
        "x-autoresponse",
        "x-autoresponder",
        "x-mail-autoreply",
        "x-fc-machinegenerated",
        "x-autoreply-from",
    }
)
_LIST_HEADERS = frozenset({"list-id", "list-post"})
_LIST_PRECEDENCES = frozenset({"bulk", "list", "junk", "auto_reply", "auto-reply"})
_DENIALS = frozenset({"", "no", "none", "false", "0"})
_CALENDAR_ANSWERS = frozenset({"reply", "cancel"})


def header_values(mail: ParsedMail, *names: str) -> Iterator[tuple[str, str]]:
    """Name and stripped value of every top-level header of these lower-case names."""
    return ((name, value.strip()) for name, value in mail.headers if name.lower() in names)


def keyword(value: str) -> str:
    """The first word of a structured header, without comments and parameters, in lower case."""
    return (_without_comments(value).split(";")[0].split() or [""])[0].lower()


def _without_comments(value: str) -> str:
    depth, kept = 0, []
    for char in value:
        depth += char == "("
        if depth == 0:
            kept.append(char)
        depth -= char == ")" and depth > 0
    return "".join(kept)


def auto_submitted(mail: ParsedMail) -> AutomaticHit | None:
    """AU1: any value but `no`; a forwarding rule's `auto-forwarded` may hide a human and is B."""
    words = [word for _, value in header_values(mail, "auto-submitted") if (word := keyword(value)) not in ("", "no")]
    if not words:
        return None
    forwarded_only = all(word == "auto-forwarded" for word in words)
    mail_class = AutomaticClass.B if forwarded_only else AutomaticClass.A
    return hit("auto_submitted", mail_class, *(f"Auto-Submitted: {word}" for word in words))


def null_sender(mail: ParsedMail) -> AutomaticHit | None:
    """AU2: an empty envelope sender; None in `envelope_sender` means that nobody told us."""
    if mail.envelope_sender is not None and mail.envelope_sender.strip() in ("", "<>"):
        return hit("null_sender", AutomaticClass.A, "envelope sender <>")
    if any("".join(value.split()) == "<>" for _, value in header_values(mail, "return-path")):
        return hit("null_sender", AutomaticClass.A, "Return-Path: <>")
    return None


def report(mail: ParsedMail) -> AutomaticHit | None:
    """AU3: delivery reports, receipts and complaints by their media type, or Exim's X-Failed-Recipients."""
    types = [f"Content-Type: {v}" for _, v in header_values(mail, "content-type") if keyword(v) in REPORT_TYPES]
    failed = [f"{name}: {value}" for name, value in header_values(mail, "x-failed-recipients") if value]
    return hit("report", AutomaticClass.A, *types, *failed) if types or failed else None


def mailing_list(mail: ParsedMail) -> AutomaticHit | None:
    """AU4: list headers and bulk precedence; List-Unsubscribe alone also stands on personal mail and is B."""
    strong = [f"{name}: {value}" for name, value in header_values(mail, *_LIST_HEADERS) if value]
    strong += [f"{n}: {v}" for n, v in header_values(mail, "precedence") if keyword(v) in _LIST_PRECEDENCES]
    if strong:
        return hit("list", AutomaticClass.A, *strong)
    weak = [f"{name}: {value}" for name, value in header_values(mail, "list-unsubscribe") if value]
    return hit("list", AutomaticClass.B, *weak) if weak else None


def vendor(mail: ParsedMail) -> AutomaticHit | None:
    """AU5: headers that autoresponders add, and calendar answers, which a program sends on a click."""
    found = [f"{n}: {v}" for n, v in header_values(mail, *VENDOR_HEADERS) if keyword(v) not in _DENIALS]
    if mail.calendar_method.strip().lower() in _CALENDAR_ANSWERS:
        found.append(f"calendar {mail.calendar_method.strip().upper()}")
    return hit("vendor", AutomaticClass.A, *found) if found else None


def suppress(mail: ParsedMail) -> AutomaticHit | None:
    """AU6: the sender asks for no automatic answer. Some human mail carries it too."""
    found = [f"{n}: {v}" for n, v in header_values(mail, "x-auto-response-suppress") if keyword(v) not in _DENIALS]
    return hit("suppress", AutomaticClass.B, *found) if found else None


HEADER_RULES: tuple[Callable[[ParsedMail], AutomaticHit | None], ...] = (
    auto_submitted,
    null_sender,
    report,
    mailing_list,
    vendor,
    suppress,
)
