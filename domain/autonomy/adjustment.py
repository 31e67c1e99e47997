"""Once a week each threshold follows its reviews: tightened at once when too many replies are rejected, loosened only
as far as a certificate reaches (P90)."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import AwareDatetime, Field

from contracts.base import Contract
from domain.routing.rules import THRESHOLD_GRID

WINDOW = timedelta(days=7)
NEWEST = 200
MIN_REVIEWS = 5
MIN_TO_LOOSEN = 20
TOO_MANY_REJECTED = 0.40
FEW_REJECTED = 0.10
_TIGHTEN_BY_HUNDREDTHS = 10


class Change(StrEnum):
    """keep: nothing to do; tighten and loosen: set the threshold; suggest: an admin may accept it."""

    KEEP = "keep"
    TIGHTEN = "tighten"
    LOOSEN = "loosen"
    SUGGEST = "suggest"


class Review(Contract):
    """One feedback row: only a rejection counts against the rule here."""

    rejected: bool
    at: AwareDatetime


class Adjustment(Contract):
    """What to do with one rule. `threshold` is the new one, the suggested one, or the present one for keep;
    `deletes_suggestion` True: a pending suggestion is void."""

    change: Change
    threshold: float
    reviews: int = Field(ge=0)
    rejected: int = Field(ge=0)
    deletes_suggestion: bool = False


def weekly_adjustment(
    threshold: float, reviews: Sequence[Review], certified: Collection[float], now: datetime
) -> Adjustment:
    """`threshold` is the rule's, on the grid; `certified` are the thresholds its record certifies at its own target."""
    if threshold not in THRESHOLD_GRID:
        raise ValueError(f"a threshold is one of {THRESHOLD_GRID}, not {threshold}")
    counted = sorted((one for one in reviews if now - WINDOW <= one.at <= now), key=lambda one: one.at)[-NEWEST:]
    rejected = sum(one.rejected for one in counted)
    change, value = _change(threshold, len(counted), rejected, certified)
    return Adjustment(
        change=change,
        threshold=value,
        reviews=len(counted),
        rejected=rejected,
        deletes_suggestion=change is Change.TIGHTEN,
    )


def _change(threshold: float, reviews: int, rejected: int, certified: Collection[float]) -> tuple[Change, float]:
    if reviews < MIN_REVIEWS:
        return Change.KEEP, threshold
    if rejected > TOO_MANY_REJECTED * reviews:
        tighter = tightened(threshold)
        return (Change.TIGHTEN if tighter > threshold else Change.KEEP), tighter
    looser = loosened(threshold)
    if rejected >= FEW_REJECTED * reviews or reviews < MIN_TO_LOOSEN or looser is None:
        return Change.KEEP, threshold
    return (Change.LOOSEN if looser in certified else Change.SUGGEST), looser


def tightened(threshold: float) -> float:
    """The lowest grid value at or above threshold + 0.10, else the highest there is."""
    at_least = round(threshold * 100) + _TIGHTEN_BY_HUNDREDTHS
    return next((step for step in THRESHOLD_GRID if round(step * 100) >= at_least), THRESHOLD_GRID[-1])


def loosened(threshold: float) -> float | None:
    """The next lower grid value, None below 0.50."""
    index = THRESHOLD_GRID.index(threshold)
    return THRESHOLD_GRID[index - 1] if index else None
