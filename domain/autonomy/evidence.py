"""How strongly a record speaks against "at least the target share is faulty": one betting process per grid point, and
one closed test over all of them, so that neither looking after every decision nor picking the best threshold costs the
guarantee. The proofs stand in docs/autonomy.md."""

import numpy as np
from numpy.typing import NDArray

from domain.autonomy.record import POINTS, Record

ALPHA = 0.05

# A bet keeps this share of its capital when a decision turns out faulty. The first stakes everything on "no errors":
# it certifies soonest and dies at the first error; the others live on.
KEPT = np.array([0.0, 0.1, 0.2, 0.4, 0.6])
CAPITAL = np.array([0.60, 0.12, 0.12, 0.10, 0.06])

# Of several points that might all be bad, the lowest has the most decisions and gets this share of the say; the rest
# is spread with an eye to where certificates are usually sought.
_LOWEST_SAY = 0.7
_SAY = np.array([0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 4.0, 1.0])

# Capping what a process may show keeps the sums finite and only ever makes the test more careful.
_CAP_LOG = 60.0

Floats = NDArray[np.float64]


def evidence(record: Record, target: float) -> Floats:
    """One e-value per grid point: the wealth of the bets that its error rate is below `target`, 1.0 without data."""
    log_wealth = np.zeros((POINTS, len(KEPT)))
    with np.errstate(divide="ignore"):
        for weight, (clean, errors) in record.by_weight():
            gain = np.log1p(weight * (1 - KEPT) * target / (1 - target))
            loss = np.log1p(-weight * (1 - KEPT))
            log_wealth += np.outer(clean, gain)
            log_wealth += np.where(errors[:, None] > 0, loss, 0.0) * np.maximum(errors, 1)[:, None]
    return np.exp(np.minimum(log_wealth, _CAP_LOG)) @ CAPITAL


def certified(e_values: Floats, alpha: float = ALPHA) -> NDArray[np.bool_]:
    """Which grid points are certified: those for which every set of points they belong to is refuted together."""
    if e_values.max() * alpha < 1:
        return np.zeros(POINTS, bool)
    kept_possible = (_WEIGHTS @ e_values) * alpha < 1
    refuted: NDArray[np.bool_] = ~np.any(_MEMBERS[kept_possible], axis=0)
    return refuted


def _sets() -> NDArray[np.bool_]:
    """All non-empty sets of grid points, one a row."""
    numbers = np.arange(1, 2**POINTS)
    return (numbers[:, None] >> np.arange(POINTS) & 1).astype(bool)


def _weights(members: NDArray[np.bool_]) -> Floats:
    """The say of each point in each set; every row sums to 1."""
    spread = members * _SAY
    spread = spread / spread.sum(axis=1, keepdims=True)
    lowest = np.zeros_like(spread)
    lowest[np.arange(len(members)), members.argmax(axis=1)] = 1.0
    return _LOWEST_SAY * lowest + (1 - _LOWEST_SAY) * spread


_MEMBERS = _sets()
_WEIGHTS = _weights(_MEMBERS)
