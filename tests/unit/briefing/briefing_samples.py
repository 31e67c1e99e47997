"""Invented material for briefings, with only the fields that matter to a test set by the test."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from domain.briefing.facts import (
    ActivityFacts,
    BriefingFacts,
    ContactFacts,
    CurrentMessageFacts,
    FileFacts,
    HistoryFacts,
    KnowledgeFacts,
    Trust,
)

NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
CONTACT = ContactFacts(id="c-1", email="mara@example.org", name="Mara Quill", language="en", timezone="Europe/Vienna")


def current(body: str = "Where is my parcel?", **fields: Any) -> CurrentMessageFacts:
    """The message to answer, scanned and clean."""
    given = {"id": "m-now", "sender": "mara@example.org", "received_at": NOW, "subject": "Parcel", "pattern_score": 0.0}
    return CurrentMessageFacts(**{**given, "to": ("care@example.com",), "body": body, **fields})


def mail(number: int, body: str = "", **fields: Any) -> HistoryFacts:
    """Entry `number` of the thread, one hour after the one before, scanned and clean."""
    at = NOW - timedelta(hours=100 - number)
    return HistoryFacts(
        **{"id": f"h-{number}", "at": at, "body": body or f"history {number}", "pattern_score": 0.0, **fields}
    )


def knowledge(number: int, trust: Trust = Trust.VERIFIED, **fields: Any) -> KnowledgeFacts:
    """Knowledge entry `number` of the organisation."""
    return KnowledgeFacts(**{"id": f"k-{number}", "text": f"knowledge {number}", "trust": trust, **fields})


def claim(number: int, **fields: Any) -> KnowledgeFacts:
    """A claim mined from a mail of the contact."""
    given = {"contact_id": "c-1", "claimed_by": "Mara Quill", "claimed_on": date(2026, 3, 2)}
    return knowledge(number, Trust.UNVERIFIED, **{**given, **fields})


def file(number: int, **fields: Any) -> FileFacts:
    """File `number` of the organisation."""
    return FileFacts(
        **{"id": f"f-{number}", "name": f"sheet{number}.pdf", "title": f"Sheet {number}", "summary": "prices", **fields}
    )


def activity(number: int, **fields: Any) -> ActivityFacts:
    """Activity `number` of the contact, one day after the one before."""
    at = NOW - timedelta(days=50 - number)
    return ActivityFacts(**{"id": f"a-{number}", "kind": "order", "at": at, "summary": f"activity {number}", **fields})


def facts(**fields: Any) -> BriefingFacts:
    """A briefing about Mara's parcel."""
    return BriefingFacts(**{"current": current(), "contact": CONTACT, **fields})
