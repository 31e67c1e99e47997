"""A rule that earned its certificate honestly, and then the model gets worse while its scores stay as they were. How
surely is it dropped, and how many faulty replies above the target left before?"""

import math
import statistics
from dataclasses import dataclass, replace

import numpy as np

from bench.autonomy.deployment import Deployment, new_rule
from bench.autonomy.still import EVERY, SENDERS, TARGET, flat
from bench.autonomy.truth import Floats, draw
from domain.routing.rules import RuleMode

_GOOD_RATE = 0.01
GOOD = flat(_GOOD_RATE)
_TO_CERTIFY = 1_500
_CALM = 300


@dataclass(frozen=True)
class Drift:
    """From the good rate to the `final` one, at once or over so many decisions."""

    name: str
    final: float
    over: int = 0

    def rates(self, decisions: int) -> Floats:
        """The true error rate of each decision after the change began."""
        way = np.minimum(np.arange(1, decisions + 1) / max(self.over, 1), 1.0)
        return _GOOD_RATE + (self.final - _GOOD_RATE) * way


DRIFTS = (
    Drift("to_10pct", 0.10),
    Drift("to_15pct", 0.15),
    Drift("to_30pct", 0.30),
    Drift("slowly_to_20pct", 0.20, over=1_000),
)


@dataclass(frozen=True)
class DriftResult:
    """Of `deployments`, `switched_on` came as far as automatic sending and `early` of those dropped before anything
    changed; `excess` holds, for each dropped after it, the faulty replies sent beyond the target."""

    name: str
    deployments: int
    switched_on: int
    early: int
    excess: tuple[float, ...]

    @property
    def demoted_share(self) -> float:
        """Dropped, of those that were on when the change began."""
        return len(self.excess) / max(self.switched_on - self.early, 1)

    @property
    def told(self) -> str:
        """What a run says of the drift as soon as it is through."""
        dropped = f"dropped {len(self.excess)} of {self.switched_on - self.early}, {self.early} too early"
        return f"{self.name}: {dropped}, excess errors {statistics.median(self.excess or [math.nan]):.1f}"

    def __add__(self, other: "DriftResult") -> "DriftResult":
        """Both runs of one drift together."""
        on, early = self.switched_on + other.switched_on, self.early + other.early
        return DriftResult(self.name, self.deployments + other.deployments, on, early, self.excess + other.excess)


def run_drift(drift: Drift, numbers: range, decisions: int, seed: int) -> DriftResult:
    """`decisions` after the change, in the deployments with these numbers."""
    on = early = 0
    excess: list[float] = []
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        life = _switched_on(rng)
        on += life is not None
        if life is None:
            continue
        life.live(draw(GOOD, _CALM, SENDERS, rng))
        early += life.dropped_at is not None
        if life.dropped_at is None:
            excess += _excess(life, drift, decisions, rng)
    return DriftResult(drift.name, len(numbers), on, early, tuple(excess))


def _switched_on(rng: np.random.Generator) -> Deployment | None:
    """A deployment at the moment it is certified and switched on, None if that does not come."""
    life = Deployment(new_rule(RuleMode.SHADOW, 0.95, TARGET), EVERY)
    draws = draw(GOOD, _TO_CERTIFY, SENDERS, rng)
    for index in range(len(draws)):
        life.step(draws, index)
        if life.rule.mode is RuleMode.ON:
            return life
    return None


def _excess(life: Deployment, drift: Drift, decisions: int, rng: np.random.Generator) -> list[float]:
    """Faulty replies beyond the target from the moment the true rate passed it; empty if the rule never drops."""
    rates = drift.rates(decisions)
    draws = draw(GOOD, decisions, SENDERS, rng)
    draws = replace(draws, faulty=np.where(draws.held, draws.faulty, rng.random(decisions) < rates))
    begin = int(np.argmax(rates > TARGET))
    sent = faulty = 0
    for index in range(decisions):
        if index == begin:
            sent, faulty = life.sent, life.faulty_sent
        life.step(draws, index)
        if life.dropped_at is not None:
            late = index >= begin
            return [max(life.faulty_sent - faulty - TARGET * (life.sent - sent), 0.0) if late else 0.0]
    return []
