"""The families and bands of P54, in one place, so that every detector grades by the same scale."""

from enum import StrEnum

VERSION = "1"
QUARANTINE_MIN = 0.70
FLAGGED_MIN = 0.30
GUARD_CONFIDENCE_MIN = 0.80
SNIPPET_CHARACTERS_MAX = 200
FLAGGED_CHARACTERS_MAX = 500


class Family(StrEnum):
    """What kind of manipulation a hit points to; a family counts once, with its highest value (P55)."""

    OVERRIDE = "override"
    RE_ROLE = "re_role"
    TEMPLATE_FORGERY = "template_forgery"
    AUTHORITY = "authority"
    EXFILTRATION = "exfiltration"
    HIDDEN_CONTENT = "hidden_content"
    GUARD_LLM = "guard_llm"


class Band(StrEnum):
    """How much one hit weighs."""

    STRONG = "strong"
    MEDIUM = "medium"
    WEAK = "weak"


WEIGHTS = {Band.STRONG: 0.85, Band.MEDIUM: 0.50, Band.WEAK: 0.30}
HIDDEN_CONTENT_WEIGHT = 0.80
_LOWER = {Band.STRONG: Band.MEDIUM, Band.MEDIUM: Band.WEAK}


def one_lower(band: Band) -> Band | None:
    """The band of the same phrase in quoted or reported text; a weak one no longer counts."""
    return _LOWER.get(band)


def combined(weights: dict[str, float]) -> float:
    """1 - product of (1 - highest value) over the families (P55), rounded to four places."""
    rest = 1.0
    for weight in weights.values():
        rest *= 1 - weight
    return round(1 - rest, 4)
