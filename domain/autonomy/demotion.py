"""Trust that was earned can be lost. The audit sample is the only unbiased look at what leaves without a person; this
module reads it after every audit and says when the rule must go back to shadow, and when to look twice as often."""

from collections.abc import Iterable
from enum import StrEnum

import numpy as np
from pydantic import Field

from contracts.base import Contract
from domain.autonomy.evidence import ALPHA, Floats
from domain.autonomy.observation import Observation

# The error rates suspected, as multiples of the target; capped below 1.
SUSPECTED = np.array([2.0, 3.0, 5.0])
_HIGHEST_RATE = 0.95
MAX_AUDIT_RATE = 0.10
_LIMIT_STEPS = 40


class DropReason(StrEnum):
    """`lower_limit`: proven over the whole time since switched on; `drift`: proven since some moment in between."""

    LOWER_LIMIT = "lower_limit"
    DRIFT = "drift"


class AuditVerdict(Contract):
    """What the audits since a rule was switched on say. `lower_limit` is the 95 % time-uniform lower confidence limit
    of the error rate; `drift` and `drift_limit` are the detector's level and the level at which the rule drops."""

    n: int = Field(ge=0)
    errors: int = Field(ge=0)
    lower_limit: float
    drift: float
    drift_limit: float
    drops: DropReason | None
    alert: bool


class AuditWatch:
    """Takes audited decisions in their order. A fresh one belongs to each time a rule is switched on or changed."""

    def __init__(self, target: float, threshold: float, alpha: float = ALPHA) -> None:
        if not 0 < target < _HIGHEST_RATE:
            raise ValueError(f"a target error rate lies between 0 and {_HIGHEST_RATE}, not at {target}")
        self.target, self.threshold, self._alpha = target, threshold, alpha
        self._counts: dict[float, list[int]] = {}
        self._since_any_start = np.zeros(len(SUSPECTED))
        self._log_since_on = np.zeros(len(SUSPECTED))

    def add(self, observation: Observation) -> None:
        """Count one review that the rule would have sent; others count nowhere."""
        if observation.clean is None:
            raise ValueError("an open review is no evidence yet; see settled()")
        if observation.gates_silent and observation.score >= self.threshold:
            self._count(observation.clean, observation.weight)

    def _count(self, clean: bool, weight: float) -> None:
        self._counts.setdefault(round(weight, 6), [0, 0])[not clean] += 1
        factor = 1 + weight * _stakes(self.target) * (-1 if clean else (1 - self.target) / self.target)
        self._since_any_start = np.minimum(factor * (self._since_any_start + 1), 1e12)
        self._log_since_on += np.log(factor)

    @property
    def drift(self) -> float:
        """Evidence for "worse than the target since some moment", summed over all moments; about 0.5 / target while
        nothing goes wrong."""
        return float(self._since_any_start.mean())

    @property
    def drift_limit(self) -> float:
        """A rule whose error rate is exactly the target drops, on average, not before this many audits."""
        return 1 / (self._alpha * self.target)

    @property
    def drops(self) -> DropReason | None:
        """Why the rule must go back to shadow now, or None."""
        if _mean_of_exp(self._log_since_on) >= 1 / self._alpha:
            return DropReason.LOWER_LIMIT
        return DropReason.DRIFT if self.drift >= self.drift_limit else None

    @property
    def alert(self) -> bool:
        """True while there is enough suspicion to audit twice as often."""
        return self.drift >= 1 / self.target

    def audit_rate(self, configured: float) -> float:
        """The rate of the audit sample from now on: the configured one, and the highest allowed on an alert."""
        return max(configured, MAX_AUDIT_RATE) if self.alert else configured

    def verdict(self) -> AuditVerdict:
        """Everything the page shows."""
        clean, errors = (sum(pair[side] for pair in self._counts.values()) for side in (0, 1))
        return AuditVerdict(
            n=clean + errors,
            errors=errors,
            lower_limit=self._lower_limit() if errors else 0.0,
            drift=self.drift,
            drift_limit=self.drift_limit,
            drops=self.drops,
            alert=self.alert,
        )

    def _lower_limit(self) -> float:
        """The highest rate that the whole record refutes as an upper bound."""
        low, high = 0.0, _HIGHEST_RATE
        for _ in range(_LIMIT_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._refutes(middle) else (low, middle)
        return low

    def _refutes(self, rate: float) -> bool:
        logs = sum((_log_wealth(rate, weight, *pair) for weight, pair in self._counts.items()), 0.0)
        return _mean_of_exp(logs) >= 1 / self._alpha


def watch(observations: Iterable[Observation], target: float, threshold: float) -> AuditWatch:
    """The watch after these audited decisions, in order of decision."""
    watching = AuditWatch(target, threshold)
    for one in sorted(observations, key=lambda item: item.at):
        watching.add(one)
    return watching


def _stakes(target: float) -> Floats:
    """The share of the capital each bet loses on a clean decision."""
    return (np.minimum(SUSPECTED * target, (target + 1) / 2) - target) / (1 - target)


def _log_wealth(target: float, weight: float, clean: int, errors: int) -> Floats:
    stakes = _stakes(target)
    return clean * np.log1p(-weight * stakes) + errors * np.log1p(weight * stakes * (1 - target) / target)


def _mean_of_exp(logs: Floats | float) -> float:
    return float(np.exp(np.minimum(logs, 60.0)).mean())
