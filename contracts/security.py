"""The verdict of the security scan: graded evidence, never only a yes or no (P54-P58)."""

from datetime import datetime

from contracts.base import Contract


class Evidence(Contract):
    """One hit of one detector. `weight` is its band value; `snippet` holds at most 200 characters; `place` names the
    part."""

    detector: str
    family: str
    weight: float
    place: str
    snippet: str
    language: str = ""
    form: str = "raw"
    quoted: bool = False
    source_message_id: str | None = None


class SpamEvidence(Contract):
    """One named reason for spam points; points may be negative (credit)."""

    family: str
    name: str
    points: int


class SecurityFlags(Contract):
    """Stored on every route of the scan, also when the agent is off (P57)."""

    injection_detected: bool = False
    injection_type: str = ""
    confidence: float = 0.0
    combined_score: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    flagged_content: str = ""
    spam_score: int = 0
    spam_evidence: tuple[SpamEvidence, ...] = ()
    spam_may_archive: bool = False
    phishing_detected: bool = False
    guard_unavailable: bool = False
    bypassed: tuple[str, ...] = ()
    scan_timestamp: datetime | None = None
