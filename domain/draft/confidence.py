"""One number decides whether a reply may leave by itself, so it is the weakest of what we know, and not knowing is the
weakest of all (P76, P77)."""

import math
from collections.abc import Iterable

OPTIONS_BELOW = 0.80
MAX_OPTIONS = 3


def confidence_score(classifier: float | None, self_check: float | None, grounding: float | None) -> float:
    """The least of the three, in [0, 1]; an unknown one (None or NaN) counts as 0 (P76)."""
    return min(_known(classifier), _known(self_check), _known(grounding))


def _known(score: float | None) -> float:
    return 0.0 if score is None or math.isnan(score) else min(max(score, 0.0), 1.0)


def needs_options(score: float) -> bool:
    """True below 0.80: the reviewer gets alternatives (P77)."""
    return not score >= OPTIONS_BELOW


def options_with_draft(draft: str, alternatives: Iterable[str]) -> tuple[str, ...]:
    """The draft first, then up to two alternatives that differ from it; empty if there is none, the draft then
    stands."""
    others = dict.fromkeys(text.strip() for text in alternatives)
    distinct = [text for text in others if text and text != draft.strip()][: MAX_OPTIONS - 1]
    return (draft, *distinct) if distinct else ()
