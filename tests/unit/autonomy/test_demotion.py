"""The audit sample: it drops a rule that got worse, soon, and leaves a good one alone, long."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.autonomy import AuditWatch, DropReason, watch
from domain.autonomy.demotion import _stakes
from tests.unit.autonomy.seen import many, seen

DRAWN = {"propensity": 0.05, "floor": 0.05}


def audits_until_drop(clean_before: int, pattern: str) -> int:
    """Audits after `clean_before` clean ones until the rule drops, following a repeated pattern of `.` and `x`."""
    watching = watch(many(clean_before, 0, **DRAWN), 0.05, 0.90)
    for number in range(1, 1000):
        watching.add(seen(pattern[(number - 1) % len(pattern)] == ".", minute=9_000 + number, **DRAWN))
        if watching.drops:
            return number
    return 1000


def test_a_clean_record_drops_nothing_and_alarms_nobody() -> None:
    """P91: no error, no lower limit."""
    verdict = watch(many(2000, 0, **DRAWN), 0.05, 0.90).verdict()
    assert (verdict.drops, verdict.alert, verdict.lower_limit, verdict.n) == (None, False, 0.0, 2000)


def test_a_rule_bad_from_the_start_drops_by_its_lower_limit() -> None:
    """The lower confidence limit over the whole time passes the target."""
    watching = AuditWatch(0.05, 0.90)
    for minute in range(4):
        watching.add(seen(False, minute=minute, **DRAWN))
    assert watching.drops is DropReason.LOWER_LIMIT and watching.verdict().lower_limit > 0.05


@pytest.mark.parametrize("before", [50, 500, 5000])
def test_a_long_good_time_does_not_delay_the_drop(before: int) -> None:
    """Drift: three faulty in ten are noticed within 20 audits, however long all was well."""
    assert audits_until_drop(before, "..x..x..x.") <= 20


def test_worse_quality_drops_sooner() -> None:
    """The more errors, the fewer audits it takes."""
    assert audits_until_drop(200, "x") < audits_until_drop(200, "..x") < audits_until_drop(200, ".......x")


def test_an_alert_doubles_the_audit_before_the_drop() -> None:
    """Suspicion raises the rate to 10 %, the highest allowed (P86); calm brings the configured one back."""
    watching = watch(many(100, 0, **DRAWN), 0.05, 0.90)
    assert watching.audit_rate(0.05) == 0.05
    watching.add(seen(False, minute=101, **DRAWN))
    watching.add(seen(False, minute=102, **DRAWN))
    assert watching.alert and watching.drops is None and watching.audit_rate(0.05) == 0.10
    for minute in range(103, 180):
        watching.add(seen(minute=minute, **DRAWN))
    assert watching.audit_rate(0.05) == 0.05


def test_the_alarm_comes_rarely_where_the_rule_is_just_good_enough() -> None:
    """The detector's promise: at an error rate of exactly the target, 400 audits or more between false drops."""
    rng = np.random.default_rng(3)
    lengths = [_length(rng, 0.05) for _ in range(60)]
    assert np.mean(lengths) >= 400


def _length(rng: np.random.Generator, rate: float) -> int:
    watching, number = AuditWatch(0.05, 0.0), 0
    while watching.drops is not DropReason.DRIFT and number < 1500:
        watching._count(bool(rng.random() >= rate), 1.0)
        number += 1
    return number


@given(st.floats(0.001, 0.9), st.floats(0, 1), st.sampled_from([1.0, 0.5, 0.05]))
def test_no_bet_gains_on_average_while_the_rule_is_good(target: float, share: float, weight: float) -> None:
    """The proof's one need: at or below the target, wealth does not grow on average."""
    truth, stakes = target * share, weight * _stakes(target)
    gain = truth * (1 + stakes * (1 - target) / target) + (1 - truth) * (1 - stakes)
    assert (gain <= 1 + 1e-9).all() and (stakes > 0).all() and (stakes < 1).all()


@given(st.lists(st.booleans(), max_size=60))
def test_the_drop_and_the_shown_limit_agree(marks: list[bool]) -> None:
    """Dropped by the lower limit exactly if that limit is above the target."""
    watching = AuditWatch(0.05, 0.90)
    for minute, clean in enumerate(marks):
        watching.add(seen(clean, minute=minute, **DRAWN))
    assert (watching.drops is DropReason.LOWER_LIMIT) == (watching.verdict().lower_limit >= 0.05 - 1e-9)


def test_only_what_the_rule_would_have_sent_is_watched() -> None:
    """A lower score or a gate that objected says nothing about the automatic replies."""
    others = [seen(False, score=0.89, minute=1), seen(False, gates_silent=False, minute=2)]
    assert watch(others, 0.05, 0.90).verdict().n == 0


def test_an_open_review_is_refused_and_so_is_an_impossible_target() -> None:
    """Faults of the caller are named."""
    with pytest.raises(ValueError, match="open review"):
        AuditWatch(0.05, 0.90).add(seen(None))
    with pytest.raises(ValueError, match="target error rate"):
        AuditWatch(0.0, 0.90)
