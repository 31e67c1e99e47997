"""Scenarios in which the truth stands still. What counts is the share of deployments in which a threshold whose true
error rate exceeds the target ever held a certificate; a procedure that certifies nothing would pass that, so what it
certified is counted too."""

from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from bench.autonomy.deployment import Deployment, new_rule
from bench.autonomy.truth import Truth, draw
from domain.routing.rules import RuleMode

TARGET = 0.05
JUST_TOO_BAD = 0.05001
SENDERS = 25
EVERY = timedelta(minutes=40)

_EVEN = (0.05, 0.05, 0.05, 0.05, 0.10, 0.10, 0.15, 0.15, 0.15, 0.10, 0.05)


@dataclass(frozen=True)
class Scenario:
    """`truths`: one per category, each a rule of its own. `start` is the mode in which the rules begin."""

    name: str
    truths: tuple[Truth, ...]
    start: RuleMode = RuleMode.SHADOW
    threshold: float = 0.95


def flat(rate: float) -> Truth:
    """The same error rate at every score."""
    return Truth(_EVEN, (rate,) * len(_EVEN))


def bent(rates: tuple[float, ...], threshold: float) -> Truth:
    """These rates, with the lowest band at or above `threshold` set so that the rate there is just too bad."""
    index = round((threshold - 0.5) / 0.05)
    above = sum(share * rate for share, rate in zip(_EVEN[index + 1 :], rates[index + 1 :], strict=True))
    band = (JUST_TOO_BAD * sum(_EVEN[index:]) - above) / _EVEN[index]
    return Truth(_EVEN, (*rates[:index], band, *rates[index + 1 :]))


SCENARIOS = (
    Scenario("every_decision", (flat(JUST_TOO_BAD),)),
    Scenario(
        "best_threshold",
        (bent((0.30, 0.25, 0.20, 0.15, 0.12, 0.0, 0.04, 0.03, 0.015, 0.01, 0.005), 0.75),),
    ),
    Scenario(
        "overconfident_top",
        (bent((0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.0, 0.055, 0.055), 0.90),),
    ),
    Scenario("several_categories", (flat(0.008), flat(0.02), flat(JUST_TOO_BAD), flat(0.09))),
    Scenario(
        "switched_on_by_override",
        (bent((0.0,) * 7 + (0.0, 0.09, 0.09, 0.09), 0.80),),
        start=RuleMode.ON,
        threshold=0.90,
    ),
)


@dataclass(frozen=True)
class StillResult:
    """`wrong` of `deployments` ever held a certificate above the target; `certified` counts rules that held one."""

    name: str
    deployments: int
    wrong: int
    certified: int
    rules: int
    over_cap: int

    @property
    def share(self) -> float:
        """The share of deployments in which a certified rule exceeds its target."""
        return self.wrong / self.deployments

    @property
    def told(self) -> str:
        """What a run says of the scenario as soon as it is through."""
        return f"{self.name}: share above target {self.share:.4f}, certified {self.certified} of {self.rules}"

    def __add__(self, other: "StillResult") -> "StillResult":
        """Both runs of one scenario together."""
        sums = (getattr(self, part) + getattr(other, part) for part in _SUMMED)
        return StillResult(self.name, *sums)


_SUMMED = ("deployments", "wrong", "certified", "rules", "over_cap")


def run_scenario(scenario: Scenario, numbers: range, decisions: int, seed: int) -> StillResult:
    """Looks after every decision of the deployments with these numbers, each with a chance of its own."""
    wrong = certified = over_cap = 0
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        lives = [_lived(scenario, truth, decisions, rng) for truth in scenario.truths]
        wrong += any(_too_bad(life, truth) for life, truth in zip(lives, scenario.truths, strict=True))
        certified += sum(bool(life.ever_certified) for life in lives)
        over_cap += sum(life.sent_over_cap for life in lives)
    rules = len(numbers) * len(scenario.truths)
    return StillResult(scenario.name, len(numbers), wrong, certified, rules, over_cap)


def _lived(scenario: Scenario, truth: Truth, decisions: int, rng: np.random.Generator) -> Deployment:
    by_certificate = scenario.start is RuleMode.SHADOW
    rule = new_rule(scenario.start, scenario.threshold, TARGET)
    life = Deployment(rule, EVERY, on_certificate=by_certificate)
    life.live(draw(truth, decisions, SENDERS, rng))
    return life


def _too_bad(life: Deployment, truth: Truth) -> bool:
    return any(truth.rate_at(threshold) > life.rule.target_error_rate for threshold in life.ever_certified)
