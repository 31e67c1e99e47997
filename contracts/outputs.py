"""What each step stores before it returns (P24). These stay in Postgres; workflow history sees only the route."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from contracts.base import Contract
from contracts.classification import Classification, Intent, SelfCheck
from contracts.security import Evidence, SecurityFlags


class ScanOutput(Contract):
    """The verdict, and whether a person's mail may have effects beyond this message (P44)."""

    flags: SecurityFlags
    agent_off: bool = False


class GroundingSource(Contract):
    """One source still present in the briefing; `trusted` sources count in gate 11 (P66)."""

    id: str
    kind: str
    title: str
    text: str
    trusted: bool = True


class ContextOutput(Contract):
    """The briefing as one text with its labelled sections, and what had to be left out."""

    text: str
    tier: str
    token_count: int
    gaps: tuple[str, ...] = ()
    truncated: bool = False
    sources: tuple[GroundingSource, ...] = ()
    dropped: tuple[str, ...] = ()
    history_found: bool = False
    seen_message_id: UUID | None = None


class ClassifyOutput(Contract):
    """Exactly one classification and the list of intents (P68, P69)."""

    classification: Classification
    intents: tuple[Intent, ...]
    flags: tuple[str, ...] = ()
    offline: bool = False


class GroundedFact(Contract):
    """A date, amount, number, link, name or promise of the draft, and where it stands."""

    text: str
    kind: str
    start: int
    end: int
    grounded: bool
    source_id: str | None = None


class DraftFinding(Contract):
    """One finding of the outgoing scan, with an id that is stable while its text is (P98a)."""

    finding_id: str
    detector: str
    evidence_hash: str
    start: int
    end: int
    snippet: str
    confirmable: bool = True


class DraftOutput(Contract):
    """The draft with everything a reviewer and the route step need to judge it."""

    text: str
    subject: str
    language: str = ""
    options: tuple[str, ...] = ()
    quality: SelfCheck | None = None
    grounding_score: float = 1.0
    facts: tuple[GroundedFact, ...] = ()
    confidence: float = 0.0
    findings: tuple[DraftFinding, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    flags: tuple[str, ...] = ()
    offline: bool = False


class RouteOutput(Contract):
    """The decision with its reason and evidence (P87)."""

    outcome: str
    stage: str
    reason: str
    gate: str = ""
    evidence: dict[str, Any] = {}
    verdicts: dict[str, str] = {}
    score: Decimal | None = None
    rule_id: UUID | None = None
    rule_version: int | None = None
    would_have_sent: bool = False
    observed: bool = False
    propensity: Decimal | None = None
    audit_rate: Decimal | None = None
    charge: str = ""
