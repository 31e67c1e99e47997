"""The simulated deployments in small: that they run the product's own rules, count what they claim, and fail when they
should."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from bench.autonomy import measuring
from bench.autonomy.caps import CAP, cap_overruns
from bench.autonomy.deployment import Deployment, new_rule
from bench.autonomy.drift import DRIFTS, DriftResult, run_drift
from bench.autonomy.ground import prepared
from bench.autonomy.kill_switch import kill_switch_ms
from bench.autonomy.sizes import FULL
from bench.autonomy.still import JUST_TOO_BAD, SCENARIOS, StillResult, bent, flat, run_scenario
from bench.autonomy.truth import draw
from bench.outcome import BenchFailed
from domain.autonomy import lower_bound
from domain.routing.rules import RuleMode

SEED = 7
STILL = StillResult("still", 1_000, 40, 700, 1_000, 0)
DRIFTED = DriftResult("drift", 100, 90, 1, (30.0, 50.0, 70.0))


def scenario(name: str) -> Any:
    """The scenario of that name."""
    return next(one for one in SCENARIOS if one.name == name)


@pytest.mark.parametrize("name", [one.name for one in SCENARIOS])
def test_certificates_hold_where_the_truth_stands_still(name: str) -> None:
    """P91a: the share of deployments with a certified rule above its target is not beyond 5 %, by more than chance."""
    found = run_scenario(scenario(name), range(12), 300, SEED)
    assert lower_bound(found.wrong, found.deployments) <= 0.05 and found.over_cap == 0


def test_good_rules_are_certified_and_switched_on() -> None:
    """A procedure that certifies nothing would pass every other test."""
    life = Deployment(new_rule(RuleMode.SHADOW, 0.95, 0.05), timedelta(minutes=40))
    life.live(draw(flat(0.0), 300, 25, np.random.default_rng(SEED)))
    assert life.certified and life.rule.mode is RuleMode.ON and life.sent > 50 and life.faulty_sent == 0


def test_nothing_is_sent_before_a_certificate() -> None:
    """Shadow decides and sends nothing, however good the score."""
    life = Deployment(new_rule(RuleMode.SHADOW, 0.50, 0.05), timedelta(minutes=40))
    life.live(draw(flat(0.3), 200, 25, np.random.default_rng(SEED)))
    assert (life.sent, life.certified, life.rule.mode) == (0, (), RuleMode.SHADOW)


def test_the_cap_of_a_deployment_is_kept() -> None:
    """P85: a rule with a cap of 2 sends at most two a day; the rest goes to a person."""
    life = Deployment(new_rule(RuleMode.ON, 0.50, 0.05, cap=2), timedelta(minutes=40), on_certificate=False)
    life.live(draw(flat(0.0), 180, 3, np.random.default_rng(SEED)))
    assert life.sent_over_cap == 0 and 8 <= life.sent <= 12


def test_a_deployment_that_got_worse_drops_and_stops_sending() -> None:
    """P91: after the drop the rule is in shadow and sends no more."""
    life = Deployment(new_rule(RuleMode.ON, 0.50, 0.05), timedelta(minutes=10), on_certificate=False)
    draws = draw(flat(0.9), 600, 25, np.random.default_rng(SEED))
    life.live(draws)
    assert life.dropped_at is not None and life.rule.mode is RuleMode.SHADOW
    before = life.sent
    for index in range(100):
        life.step(draws, index)
    assert life.sent == before


def test_drifting_rules_are_dropped_and_the_damage_is_counted() -> None:
    """Under drift: dropped, and each with the faulty replies it cost."""
    found = run_drift(next(one for one in DRIFTS if one.name == "to_30pct"), range(4), 2_500, SEED)
    assert found.switched_on >= 3 and found.demoted_share == 1.0
    assert all(0 <= cost < 400 for cost in found.excess) and max(found.excess) > 0


def test_the_truth_of_a_scenario_is_what_it_says() -> None:
    """Just too bad at the named threshold, and the shares are shares."""
    truth = bent((0.0,) * 7 + (0.0, 0.09, 0.09, 0.09), 0.80)
    assert truth.rate_at(0.80) == pytest.approx(JUST_TOO_BAD) and sum(truth.shares) == pytest.approx(1)
    rates = [rate for one in SCENARIOS for found in one.truths for rate in found.error_rates]
    assert all(0 <= rate <= 1 for rate in rates)


def test_drawn_decisions_follow_the_truth() -> None:
    """Scores stay in their band; what a gate holds is faulty more often than what none does."""
    draws = draw(flat(0.1), 20_000, 25, np.random.default_rng(SEED))
    assert ((draws.scores >= 0.5) & (draws.scores < 1)).all()
    assert draws.faulty[~draws.held].mean() == pytest.approx(0.1, abs=0.01)
    assert draws.faulty[draws.held].mean() > 0.4


@pytest.mark.parametrize(
    ("still", "drift", "reason"),
    [
        (replace(STILL, wrong=51), DRIFTED, "exceed"),
        (replace(STILL, certified=0), DRIFTED, "no rule"),
        (STILL, replace(DRIFTED, switched_on=0, early=0), "no rule"),
        (replace(STILL, over_cap=1), DRIFTED, "cap"),
    ],
)
def test_a_broken_promise_fails_the_run(still: StillResult, drift: DriftResult, reason: str) -> None:
    """Too many wrong certificates, none at all, or a cap overrun; what was measured is kept."""
    with pytest.raises(BenchFailed, match=reason) as failed:
        measuring.judged([still], [drift])
    assert "share_of_certified_rules_above_target" in failed.value.measured


def test_the_worst_scenario_is_the_one_reported() -> None:
    """A mean over scenarios would hide the one that goes wrong."""
    measured = measuring.judged([STILL, replace(STILL, wrong=12)], [DRIFTED, replace(DRIFTED, excess=(90.0,))])
    assert measured["share_of_certified_rules_above_target"] == 0.04
    assert measured["rules_certified"] == 1_400
    assert measured["excess_errors_before_demotion_median"] == 90.0
    assert measured["drift_demoted_share"] == pytest.approx(1 / 89)


def test_parts_of_a_run_add_up() -> None:
    """Work is split over processors; the sum is the whole."""
    one = scenario("every_decision")
    parts = run_scenario(one, range(0, 2), 120, SEED) + run_scenario(one, range(2, 5), 120, SEED)
    assert parts == run_scenario(one, range(5), 120, SEED)


async def test_caps_and_kill_switch_on_the_real_statements(database_url: str) -> None:
    """A77, P92: exactly the cap is granted to many at once; no claim commits after the switch."""
    async with prepared(database_url) as ground:
        assert await cap_overruns(ground, 4 * CAP) == {"cap_overruns": 0.0}
        measured = await kill_switch_ms(ground, 1, limit_ms=float("inf"))
    assert measured["kill_switch_ms"] > 0


@pytest.mark.long
@pytest.mark.timeout(7_200)
def test_the_full_simulation_keeps_its_promises() -> None:
    """1,000 deployments a scenario: at most 5 % ever held a certificate above the target; drifting rules drop."""
    measured = measuring.simulate(FULL, print)
    assert measured["share_of_certified_rules_above_target"] <= 0.05
    assert measured["drift_demoted_share"] >= 0.95
