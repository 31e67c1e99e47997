"""The security flags of a message, put together from scan, guard, spam score and phishing verdict (P57)."""

from datetime import datetime
from enum import StrEnum

from contracts.security import SecurityFlags, SpamEvidence
from domain.detect.families import FLAGGED_MIN, QUARANTINE_MIN
from domain.detect.phishing import PhishingVerdict
from domain.detect.scan import ScanResult


class Level(StrEnum):
    """What a score means for the message (HD4)."""

    CLEAR = "clear"
    FLAGGED = "flagged"
    QUARANTINE = "quarantine"


def verdict(
    scan: ScanResult,
    *,
    spam: tuple[int, tuple[SpamEvidence, ...]] = (0, ()),
    phishing: PhishingVerdict | None = None,
    guard_unavailable: bool = False,
    scanned_at: datetime | None = None,
) -> SecurityFlags:
    """The flags to store on every route; text that detectors left unread counts as an unavailable guard (HX6)."""
    found = phishing or PhishingVerdict()
    injected = scan.combined_score >= QUARANTINE_MIN
    only_phishing = found.detected and not injected
    return SecurityFlags(
        injection_detected=injected,
        injection_type="phishing" if only_phishing else scan.injection_type,
        confidence=found.confidence if only_phishing else scan.confidence,
        combined_score=scan.combined_score,
        evidence=(*scan.evidence, *found.evidence),
        flagged_content=scan.flagged_content or (found.evidence[0].snippet if found.evidence else ""),
        spam_score=spam[0],
        spam_evidence=spam[1],
        phishing_detected=found.detected,
        guard_unavailable=guard_unavailable or not scan.complete,
        bypassed=scan.bypassed,
        scan_timestamp=scanned_at,
    )


def level_of(flags: SecurityFlags) -> Level:
    """Clear, flagged or quarantine, from the score and the phishing verdict (HD4, P55)."""
    if flags.combined_score >= QUARANTINE_MIN or flags.phishing_detected:
        return Level.QUARANTINE
    return Level.FLAGGED if flags.combined_score >= FLAGGED_MIN else Level.CLEAR
