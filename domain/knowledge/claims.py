"""What may be kept of a mail: claims of its sender, never policy, never our answer, never an order (P104, P106)."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from domain.detect.parts import TextPart
from domain.detect.scan import scan
from domain.knowledge.duplicates import fingerprint
from domain.knowledge.entries import EntryType
from domain.knowledge.languages import storable
from domain.prompts.extract import MOST_CLAIMS, ExtractedClaim

LEAST_CHARS: Final = 20
LEAST_CLAIM_CHARS: Final = 8
MOST_CONTENT_CHARS: Final = 1_000
MOST_TITLE_CHARS: Final = 120
CLEAN_BELOW: Final = 0.30
READ_CHARS: Final = 8_000
_TYPES: Final = frozenset(EntryType) - {EntryType.POLICY, EntryType.FAQ}
# What a mail plans or wants grows stale; what it says of its sender only loses weight with age.
_HOLDS: Final = {
    EntryType.ACTION_ITEM: timedelta(days=90),
    EntryType.EVENT: timedelta(days=180),
    EntryType.GOAL: timedelta(days=365),
}


class Claim(NamedTuple):
    """One claim ready to be stored; `said_at` is when the mail came."""

    type: str
    title: str
    content: str
    sha256: str
    fingerprint: int
    confidence: float
    said_at: datetime
    expires_at: datetime | None


def readable_text(message: Mapping[str, Any]) -> str:
    """What its sender wrote anew, at most 8 000 characters."""
    return str(message["new_text"] or message["text_body"]).strip()[:READ_CHARS]


def why_not(message: Mapping[str, Any], text: str) -> str:
    """Why nothing may be kept of a message; empty if it may. Without a scan on record it counts as unclean (P106)."""
    flags = message["security_flags"] or {}
    score = flags.get("combined_score")
    verdict = ((message["auth_verdicts"] or {}).get("dmarc") or {}).get("value")
    reasons = (
        (message["contact_id"] is None, "no_contact"),
        (verdict == "fail" or "unauthenticated" in message["content_flags"], "sender_auth"),
        (message["automatic_class"] != "none", "automatic"),
        (score is None or not float(score) < CLEAN_BELOW, "injection"),
        (len(text) < LEAST_CHARS, "short"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def claims_of(found: Iterable[ExtractedClaim], said_at: datetime) -> list[Claim]:
    """What is kept of an answer: known types, visible text, no orders, each text once, at most eight."""
    kept = {claim.sha256: claim for claim in (_claim(one, said_at) for one in found) if claim is not None}
    return list(kept.values())[:MOST_CLAIMS]


def _claim(one: ExtractedClaim, said_at: datetime) -> Claim | None:
    title, content = _clean(one.title)[:MOST_TITLE_CHARS], _clean(one.content)[:MOST_CONTENT_CHARS]
    if len(content) < LEAST_CLAIM_CHARS or not _is_clean(f"{title}\n{content}"):
        return None
    kind = EntryType(one.type) if one.type in _TYPES else EntryType.FACT
    holds = _HOLDS.get(kind)
    digest = hashlib.sha256(content.encode()).hexdigest()
    expires = said_at + holds if holds else None
    return Claim(kind, title, content, digest, fingerprint(content), one.confidence, said_at, expires)


def _clean(text: str) -> str:
    return " ".join(storable(text).split())


def _is_clean(text: str) -> bool:
    """A model may be talked into writing an order down; it goes no further than this."""
    return scan([TextPart(place="claim", text=text)]).combined_score < CLEAN_BELOW
