"""A hundred thousand decisions boil down to a small table of counts. The evidence depends on nothing else, so a record
grows one decision at a time and is never read again from the start."""

from bisect import bisect_right
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from domain.autonomy.observation import Observation
from domain.routing.rules import THRESHOLD_GRID

POINTS = len(THRESHOLD_GRID)
_DECIMALS = 6

Counts = NDArray[np.int64]


def highest_point(score: float) -> int:
    """Index of the highest grid point a score reaches; -1 below the lowest."""
    return bisect_right(THRESHOLD_GRID, score) - 1


class Record:
    """Clean and faulty decisions per grid point they reach and per weight; `add` takes them one by one."""

    def __init__(self, observations: Iterable[Observation] = ()) -> None:
        self._reached: dict[float, Counts] = {}
        self._shown = np.zeros((2, POINTS), np.int64)
        for observation in observations:
            self.add(observation)

    def add(self, observation: Observation) -> None:
        """Count one decision; one that a gate held, or that reaches no point, counts nowhere (P91a)."""
        point = highest_point(observation.score)
        if observation.clean is None:
            raise ValueError("an open review is no evidence yet; see settled()")
        if observation.gates_silent and point >= 0:
            clean, errors = int(observation.clean), int(not observation.clean)
            self.add_counts(point, clean, errors, observation.weight, is_shown=observation.is_shown)

    def add_counts(self, point: int, clean: int, errors: int, weight: float = 1.0, *, is_shown: bool = True) -> None:
        """Count decisions whose highest grid point has index `point`."""
        if not 0 < weight <= 1:
            raise ValueError(f"a weight lies in (0, 1], not at {weight}")
        table = self._reached.setdefault(round(weight, _DECIMALS), np.zeros((2, POINTS), np.int64))
        table[0, point] += clean
        table[1, point] += errors
        self._shown[:, point] += (clean * is_shown, errors * is_shown)

    def with_clean(self, point: int, more: int) -> "Record":
        """What the record would be after `more` clean decisions at full weight whose score is just that point's."""
        grown = Record()
        grown._reached = {weight: table.copy() for weight, table in self._reached.items()}
        grown._shown = self._shown.copy()
        grown.add_counts(point, more, 0)
        return grown

    def by_weight(self) -> list[tuple[float, Counts]]:
        """(weight, counts[clean or error, grid point]) where a decision counts at every point its score reaches."""
        return [(weight, _at_or_above(table)) for weight, table in sorted(self._reached.items())]

    def totals(self) -> Counts:
        """counts[clean or error, grid point] of what is shown, whatever the weight."""
        return _at_or_above(self._shown)


def _at_or_above(table: Counts) -> Counts:
    return table[:, ::-1].cumsum(axis=1)[:, ::-1]
