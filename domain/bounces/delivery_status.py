"""Delivery reports as RFC 3464 has them, complaints (RFC 5965) and read receipts (RFC 8098): what their fields mean."""

from domain.bounces.fields import Fields, first, status_code, typed_value
from domain.bounces.report import ReportedRecipient, ReportKind

MAX_DIAGNOSTIC_CHARS = 400
NOT_COMPLAINTS = frozenset({"not-spam", "auth-failure"})
_KIND_OF_ACTION = (
    ("fail", ReportKind.FAILED),
    ("error", ReportKind.FAILED),
    ("delay", ReportKind.DELAYED),
    ("deliver", ReportKind.DELIVERED),
    ("relay", ReportKind.DELIVERED),
    ("expand", ReportKind.DELIVERED),
)
_KIND_OF_CLASS = {"5": ReportKind.FAILED, "4": ReportKind.DELAYED, "2": ReportKind.DELIVERED}


def reported_recipient(fields: Fields) -> ReportedRecipient | None:
    """One per-recipient group as a value; None for the per-message group, which names no recipient."""
    address = typed_value(first(fields, "original-recipient", "final-recipient", "x-actual-recipient"))
    action = (first(fields, "action").lower().split("(")[0].split() or [""])[0]
    if not address and not action:
        return None
    diagnostic = first(fields, "diagnostic-code", "x-supplementary-info")
    status = status_code(first(fields, "status")) or status_code(diagnostic)
    kind = kind_of(action, status)
    return ReportedRecipient(
        address=address,
        kind=kind,
        action=action,
        status=status,
        diagnostic=typed_value(diagnostic)[:MAX_DIAGNOSTIC_CHARS],
        gave_up=ReportKind.FAILED in (kind, _kind_of_action(action)),
    )


def kind_of(action: str, status: str) -> ReportKind:
    """Failure for good needs both: a final action and no temporary status (BO2)."""
    by_class = _KIND_OF_CLASS.get(status[:1], ReportKind.UNKNOWN)
    by_action = _kind_of_action(action)
    if by_action is ReportKind.FAILED and by_class is ReportKind.DELAYED:
        return ReportKind.DELAYED
    return by_action or by_class


def _kind_of_action(action: str) -> ReportKind | None:
    """The five actions of RFC 3464 by their stem, since servers also write `failure` or `error`."""
    return next((kind for stem, kind in _KIND_OF_ACTION if action.startswith(stem)), None)


def complaint_kind(feedback_type: str) -> ReportKind:
    """A complaint, unless the report says the opposite or speaks of authentication only."""
    return ReportKind.UNKNOWN if feedback_type in NOT_COMPLAINTS else ReportKind.COMPLAINT


def complaint_recipients(fields: Fields, kind: ReportKind) -> tuple[ReportedRecipient, ...]:
    """The recipients who complained, where the reporter did not hide them."""
    addresses = dict.fromkeys(typed_value(value) for value in fields.get("original-rcpt-to", ()))
    return tuple(ReportedRecipient(address=address, kind=kind) for address in addresses if address)


def receipt_recipient(fields: Fields) -> ReportedRecipient:
    """Who displayed (or deleted, or dispatched) the mail; `action` is the disposition type."""
    disposition = first(fields, "disposition").rpartition(";")[2].strip().lower()
    return ReportedRecipient(
        address=typed_value(first(fields, "original-recipient", "final-recipient")),
        kind=ReportKind.READ_RECEIPT,
        action=(disposition.split("/")[0].split() or [""])[0],
    )
