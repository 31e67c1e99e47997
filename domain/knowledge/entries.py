"""Kinds of entries, who may see one, and how far it may be believed at the moment of reading (P104, P107)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from domain.briefing.facts import Trust

HALF_LIFE: Final = timedelta(days=180)
AUTHORITY: Final = {Trust.POLICY: 0, Trust.VERIFIED: 1, Trust.UNVERIFIED: 2}


class EntryType(StrEnum):
    """What an entry is about."""

    FACT = "fact"
    DECISION = "decision"
    EVENT = "event"
    PREFERENCE = "preference"
    GOAL = "goal"
    RELATIONSHIP = "relationship"
    ACTION_ITEM = "action_item"
    FAQ = "faq"
    POLICY = "policy"


class Relation(StrEnum):
    """How one entry bears on another."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    RELATES_TO = "relates_to"
    CAUSES = "causes"
    BLOCKS = "blocks"


def imported_trust(entry_type: str) -> Trust:
    """How far the team's own material is believed: its policies are policy, the rest is verified."""
    return Trust.POLICY if entry_type == EntryType.POLICY else Trust.VERIFIED


def is_past(entry: Mapping[str, Any], now: datetime) -> bool:
    """Superseded, taken back, expired, or not valid yet: never in a prompt, last in a search."""
    expires, begins = entry["expires_at"], entry["valid_from"]
    return bool(
        entry["superseded_by"]
        or entry["retired_at"]
        or (expires is not None and expires <= now)
        or (begins is not None and begins > now)
    )


def is_in_scope(entry: Mapping[str, Any], mailbox_id: UUID, contact_id: UUID | None) -> bool:
    """The second wall: an entry of another mailbox or contact never passes, whatever a statement returned (HW8)."""
    if entry["mailbox_id"] != mailbox_id:
        return False
    return entry["contact_id"] is None or (contact_id is not None and entry["contact_id"] == contact_id)


def confidence_at(stated: float, since: datetime, now: datetime) -> float:
    """What is left of a stated confidence: half after 180 days. A function of age, so it never compounds (P107)."""
    age = max(now - since, timedelta())
    return float(stated * 0.5 ** (age / HALF_LIFE))


def weight_at(entry: Mapping[str, Any], now: datetime) -> float:
    """How much an entry counts in the ranking: claims fade with age, what the team itself says does not."""
    if entry["trust"] != Trust.UNVERIFIED:
        return 1.0
    return confidence_at(entry["confidence"], entry["created_at"], now)
