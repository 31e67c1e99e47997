"""What a category's record proves at each threshold: the bound people are shown, the limit that certifies, and how many
more clean decisions a certificate would take (P91, P91a)."""

from collections.abc import Callable, Iterable

from pydantic import Field

from contracts.base import Contract
from domain.autonomy.evidence import ALPHA, certified, evidence
from domain.autonomy.exact_bounds import upper_bound
from domain.autonomy.observation import Observation
from domain.autonomy.record import POINTS, Record
from domain.routing.rules import THRESHOLD_GRID

SHOWN_FROM_CLEAN = 10
_LIMIT_STEPS = 30
_LIMIT_EXACT = 1e-6
_MORE_AT_MOST = 1_000_000


class GridPoint(Contract):
    """One threshold. `displayed_upper` is Clopper-Pearson and certifies nothing; `certified_upper` is the lowest target
    for which this point would have a certificate, 1.0 without data."""

    threshold: float
    n: int = Field(ge=0)
    errors: int = Field(ge=0)
    displayed_upper: float
    certified_upper: float
    is_certified: bool
    more_clean_needed: int = Field(ge=0)

    @property
    def more_clean_shown(self) -> int | None:
        """ "n more to a certificate", said from 10 clean ones (P83)."""
        return self.more_clean_needed if self.n - self.errors >= SHOWN_FROM_CLEAN else None


class Certificate(Contract):
    """The record at every grid point, lowest first; `certified_threshold` is the lowest certified one, if any."""

    target: float
    points: tuple[GridPoint, ...]
    certified_threshold: float | None

    def at(self, threshold: float) -> GridPoint:
        """The point of a grid value; LookupError for any other."""
        for point in self.points:
            if point.threshold == threshold:
                return point
        raise LookupError(f"{threshold} is not on the grid of thresholds")

    def covers(self, threshold: float) -> bool:
        """True if a rule may be switched on at this threshold without an override."""
        return any(point.threshold == threshold and point.is_certified for point in self.points)


def certificate(observations: Iterable[Observation] | Record, target: float, alpha: float = ALPHA) -> Certificate:
    """What the decisions prove for a target error rate in (0, 1); open reviews must be settled() before."""
    record = observations if isinstance(observations, Record) else Record(observations)
    holds = certified(evidence(record, _checked(target)), alpha)
    points = tuple(_point(record, index, target, bool(holds[index]), alpha) for index in range(POINTS))
    lowest = next((point.threshold for point in points if point.is_certified), None)
    return Certificate(target=target, points=points, certified_threshold=lowest)


def certified_thresholds(record: Record, target: float, alpha: float = ALPHA) -> tuple[float, ...]:
    """Only the verdict, for callers that ask after every decision."""
    holds = certified(evidence(record, _checked(target)), alpha)
    return tuple(threshold for threshold, held in zip(THRESHOLD_GRID, holds, strict=True) if held)


def clean_samples_needed(target: float, threshold: float = THRESHOLD_GRID[0], alpha: float = ALPHA) -> int:
    """Clean decisions in a row, from nothing, until `threshold` is certified if no score reaches a higher one."""
    return _more_needed(Record(), THRESHOLD_GRID.index(threshold), _checked(target), alpha)


def _point(record: Record, index: int, target: float, holds: bool, alpha: float) -> GridPoint:
    clean, errors = (int(count) for count in record.totals()[:, index])
    return GridPoint(
        threshold=THRESHOLD_GRID[index],
        n=clean + errors,
        errors=errors,
        displayed_upper=upper_bound(errors, clean + errors),
        certified_upper=_limit(record, index, target, holds, alpha),
        is_certified=holds,
        more_clean_needed=0 if holds else _more_needed(record, index, target, alpha),
    )


def _limit(record: Record, index: int, target: float, holds: bool, alpha: float) -> float:
    """The lowest target that the point would pass; on the same side of `target` as the verdict."""
    low, high = (0.0, target) if holds else (target, 1.0)
    for _ in range(_LIMIT_STEPS):
        if high - low < _LIMIT_EXACT:
            break
        middle = (low + high) / 2
        passes = certified(evidence(record, middle), alpha)[index]
        low, high = (low, middle) if passes else (middle, high)
    return high


def _more_needed(record: Record, index: int, target: float, alpha: float) -> int:
    def enough(more: int) -> bool:
        return bool(certified(evidence(record.with_clean(index, more), target), alpha)[index])

    return _smallest(enough)


def _smallest(enough: Callable[[int], bool]) -> int:
    """The smallest count that is enough, for a condition that stays true once it is; at most a million."""
    low, high = -1, 64
    while not enough(high) and high < _MORE_AT_MOST:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return min(high, _MORE_AT_MOST)


def _checked(target: float) -> float:
    if not 0 < target < 1:
        raise ValueError(f"a target error rate lies between 0 and 1, not at {target}")
    return target
