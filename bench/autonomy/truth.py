"""A world in which the true error rate is known: how often each score occurs, and how often a draft with that score is
faulty although every gate was silent."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from domain.routing.rules import THRESHOLD_GRID

Floats = NDArray[np.float64]

_WIDTHS = np.diff([*THRESHOLD_GRID, 1.0])
_HELD_SHARE = 0.12
_HELD_FAULTY = 0.5


@dataclass(frozen=True)
class Truth:
    """`shares` and `error_rates` per grid point, for scores from that point up to the next; shares sum to 1."""

    shares: tuple[float, ...]
    error_rates: tuple[float, ...]

    def rate_at(self, threshold: float) -> float:
        """The true error rate of all drafts whose score reaches the threshold."""
        start = THRESHOLD_GRID.index(threshold)
        shares, rates = np.array(self.shares[start:]), np.array(self.error_rates[start:])
        return float(shares @ rates / shares.sum())


@dataclass(frozen=True)
class Draws:
    """Everything chance decides for a run of decisions, one entry a decision."""

    scores: Floats
    faulty: NDArray[np.bool_]
    held: NDArray[np.bool_]
    audit: Floats
    senders: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.scores)


def draw(truth: Truth, count: int, senders: int, rng: np.random.Generator) -> Draws:
    """`count` decisions from `senders` people; a gate holds some of them, more often faulty than not."""
    band = rng.choice(len(truth.shares), size=count, p=truth.shares)
    held = rng.random(count) < _HELD_SHARE
    rate = np.where(held, _HELD_FAULTY, np.array(truth.error_rates)[band])
    return Draws(
        scores=np.array(THRESHOLD_GRID)[band] + rng.random(count) * _WIDTHS[band] * 0.99,
        faulty=rng.random(count) < rate,
        held=held,
        audit=rng.random(count),
        senders=rng.integers(senders, size=count),
    )
