"""The Date header. It is a claim of the sender's clock: shown if it is plausible, never used for order or deadlines
(MI20)."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

MAX_SKEW = timedelta(days=7)
MAX_DATE_CHARS = 200


def plausible_date(text: str, received_at: datetime) -> datetime | None:
    """The date in `text` (RFC 5322 or ISO 8601) if it is within 7 days of `received_at`, else None. Never raises."""
    try:
        found = in_utc(_read(text.strip()[:MAX_DATE_CHARS]))
        return found if abs(found - in_utc(received_at)) <= MAX_SKEW else None
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return None


def in_utc(moment: datetime) -> datetime:
    """`moment` in UTC; a naive one is taken as UTC."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read(text: str) -> datetime:
    if text[:4].isdecimal() and text[4:5] == "-":
        return datetime.fromisoformat(text)
    return parsedate_to_datetime(text)
