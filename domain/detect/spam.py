"""The spam score: named reasons with points that add up, so that anger alone can never reach the archive (P58)."""

import re
from dataclasses import dataclass

from contracts.security import SpamEvidence
from domain.detect.lures import lures_in

ARCHIVE_MIN = 80
TONE_MAX = 40
LINKS_MAX = 10
_EXECUTABLE = re.compile(
    r"(?i)\.(?:exe|scr|bat|cmd|com|pif|msi|msix|js|jse|vbs|vbe|wsf|wsh|hta|ps1|psm1|jar|lnk|iso|img|vhdx?|cpl|dll|reg|apk"
    r"|appx?|chm|one|xll|inf|sct|url|gadget|application)[\s.]*\Z"
)
_DOUBLE = re.compile(
    r"(?i)\.(?:pdf|docx?|xlsx?|pptx?|jpe?g|png|gif|txt|rtf|csv|mp[34]|html?)[\s_.]{0,80}\.(?:[a-z0-9]{2,5})[\s.]*\Z"
)
_HARMLESS = frozenset(
    "p7s p7m sig asc gz zip pdf txt xml csv json doc docx xls xlsx ppt pptx odt ods jpg jpeg png gif heic eml ics"
    .split()
)


@dataclass(frozen=True, slots=True)
class SpamFacts:
    """What the score is made of. `text` is the visible text, of HTML-only mail too; `links` counts its links."""

    subject: str = ""
    text: str = ""
    links: int = 0
    link_mismatch: bool = False
    suspicious_host: bool = False
    dmarc_failed: bool = False
    display_name_spoof: bool = False
    first_contact: bool = False
    answered_before: bool = False
    in_existing_thread: bool = False
    attachment_names: tuple[str, ...] = ()


def spam_score(facts: SpamFacts) -> tuple[int, tuple[SpamEvidence, ...], bool]:
    """Score 0-100, its named evidence, and whether the mail may be archived by score: 80 from two families but tone."""
    lures = lures_in(f"{facts.subject}\n{facts.text}", "urgency", "scam", "bulk")
    words = (*_tone(facts, lures["urgency"]), *_phrases(lures))
    evidence = (*words, *_links(facts), *_sender(facts), *_files(facts), *_credit(facts))
    score = min(100, max(0, sum(item.points for item in evidence)))
    families = {item.family for item in evidence if item.points > 0 and item.family != "tone"}
    return score, evidence, score >= ARCHIVE_MIN and len(families) >= 2 and not facts.answered_before


def _tone(facts: SpamFacts, pressure: tuple[str, ...]) -> tuple[SpamEvidence, ...]:
    """Volume and pressure, together at most 40: an angry customer is not a spammer."""
    letters = [character for character in facts.subject if character.isalpha()]
    found = []
    if len(letters) > 5 and facts.subject == facts.subject.upper() != facts.subject.lower():
        found.append(("subject in capitals", 15))
    if f"{facts.subject} {facts.text}".count("!") > 3:
        found.append(("many exclamation marks", 10))
    found += [(f"pressure: {phrase}", 10) for phrase in pressure]
    return _capped("tone", found, TONE_MAX)


def _capped(family: str, found: list[tuple[str, int]], limit: int) -> tuple[SpamEvidence, ...]:
    evidence, total = [], 0
    for name, points in found:
        points = min(points, limit - total)
        total += points
        if points:
            evidence.append(SpamEvidence(family=family, name=name, points=points))
    return tuple(evidence)


def _phrases(lures: dict[str, tuple[str, ...]]) -> list[SpamEvidence]:
    return [
        SpamEvidence(family=family, name=phrase, points=points)
        for family, points in (("scam", 20), ("bulk", 10)) for phrase in lures[family]
    ]


def _links(facts: SpamFacts) -> list[SpamEvidence]:
    return _present("link", (
        ("more than 10 links", 15, facts.links > LINKS_MAX),
        ("link text names another host", 25, facts.link_mismatch),
        ("shortener or look-alike host", 10, facts.suspicious_host),
    ))


def _sender(facts: SpamFacts) -> list[SpamEvidence]:
    return _present("sender", (
        ("DMARC failed", 20, facts.dmarc_failed),
        ("display name imitates the mailbox", 20, facts.display_name_spoof),
        ("first contact", 5, facts.first_contact),
    ))


def _files(facts: SpamFacts) -> list[SpamEvidence]:
    dangerous = [name for name in facts.attachment_names if is_dangerous_name(name)]
    return _present("file", (("executable or double extension", 30, bool(dangerous)),))


def is_dangerous_name(name: str) -> bool:
    """Whether an attachment name ends in a program, or hides its true ending behind a harmless one."""
    doubled = _DOUBLE.search(name)
    return _EXECUTABLE.search(name) is not None or (doubled is not None and not _is_harmless_double(name))


def _is_harmless_double(name: str) -> bool:
    """A document twice named, signed or packed, such as `photo.jpg.png`, `report.pdf.p7s` or `data.csv.gz`."""
    return name.lower().rstrip(". ").rpartition(".")[2] in _HARMLESS


def _credit(facts: SpamFacts) -> list[SpamEvidence]:
    return _present("credit", (
        ("answered before", -40, facts.answered_before),
        ("reply in an existing thread", -20, facts.in_existing_thread),
    ))


def _present(family: str, rows: tuple[tuple[str, int, bool], ...]) -> list[SpamEvidence]:
    return [SpamEvidence(family=family, name=name, points=points) for name, points, present in rows if present]
