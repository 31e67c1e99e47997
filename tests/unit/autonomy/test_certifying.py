"""Certificates: what they need, what they refuse, and the exact probability that one is wrong."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.autonomy import Record, certificate, certified_thresholds, clean_samples_needed
from domain.autonomy.evidence import _WEIGHTS, CAPITAL, KEPT, certified, evidence
from domain.autonomy.exact_bounds import upper_bound
from domain.autonomy.record import POINTS
from domain.routing.rules import THRESHOLD_GRID
from tests.unit.autonomy.seen import many, seen

JUST_TOO_BAD = 0.05001
TOP = POINTS - 1


def record_of(point: int, clean: int, errors: int = 0, weight: float = 1.0) -> Record:
    """Decisions that all reach the same highest point."""
    record = Record()
    record.add_counts(point, clean, errors, weight)
    return record


def chance_of_a_certificate(truth: float, target: float, looks: range) -> float:
    """The exact probability that the point is ever certified, over all paths; no simulation."""
    alive, certain = np.ones(1), 0.0
    for n in range(1, looks[-1] + 1):
        alive = np.append(alive, 0.0) * (1 - truth) + np.insert(alive, 0, 0.0) * truth
        if n in looks:
            certain += _absorb(alive, n, target)
    return certain


def _absorb(alive: np.ndarray, n: int, target: float) -> float:
    """Take out the paths whose record certifies now; more errors never certify what fewer do not."""
    taken = 0.0
    for errors in range(n + 1):
        if TOP_POINT not in certified_thresholds(record_of(TOP, n - errors, errors), target):
            break
        taken, alive[errors] = taken + alive[errors], 0.0
    return taken


TOP_POINT = THRESHOLD_GRID[TOP]


# P91a, A85a
@pytest.mark.parametrize(
    ("target", "looks"),
    [(0.05, range(20, 401, 20)), (0.05, range(1, 401)), (0.02, range(1, 401)), (0.2, range(1, 201))],
)
def test_a_just_too_bad_rule_is_certified_in_at_most_five_of_a_hundred_cases(target: float, looks: range) -> None:
    """A85a: exactly, over all paths, looking every 20 decisions or after each one."""
    assert 0 < chance_of_a_certificate(target * 1.0002, target, looks) <= 0.05


def test_the_displayed_bound_would_be_wrong_far_more_often() -> None:
    """P91a: the same walk, certified by Clopper-Pearson, goes wrong in about 14 % of the cases."""
    alive, wrong = np.ones(1), 0.0
    for n in range(1, 401):
        alive = np.append(alive, 0.0) * (1 - JUST_TOO_BAD) + np.insert(alive, 0, 0.0) * JUST_TOO_BAD
        for errors in range(n + 1) if n % 20 == 0 else ():
            if upper_bound(errors, n) > 0.05:
                break
            wrong, alive[errors] = wrong + alive[errors], 0.0
    assert wrong == pytest.approx(0.14, abs=0.01)


@given(st.integers(0, 10), st.floats(0.001, 0.5), st.floats(0, 1), st.sampled_from([1.0, 0.5, 0.05]))
def test_every_bet_loses_on_average_where_the_rule_is_too_bad(
    point: int, target: float, more: float, weight: float
) -> None:
    """Ville's inequality needs a wealth that no too-bad rule can grow: one more decision never helps on average."""
    truth = target + more * (1 - target)
    before = evidence(record_of(point, 12, 1), target)[0]
    clean, faulty = Record(), Record()
    for record, pair in ((clean, (1, 0)), (faulty, (0, 1))):
        record.add_counts(point, 12, 1)
        record.add_counts(point, *pair, weight=weight)
    after = (1 - truth) * evidence(clean, target)[0] + truth * evidence(faulty, target)[0]
    assert after <= before * (1 + 1e-9)


def test_capital_and_say_are_fixed_shares_of_one() -> None:
    """Averages of processes are processes only if the shares are fixed beforehand and sum to 1."""
    assert CAPITAL.sum() == pytest.approx(1) and ((KEPT >= 0) & (KEPT < 1)).all()
    assert _WEIGHTS.shape == (2**POINTS - 1, POINTS)
    assert _WEIGHTS.sum(axis=1) == pytest.approx(np.ones(len(_WEIGHTS))) and (_WEIGHTS >= 0).all()


@given(st.lists(st.floats(0, 1e6), min_size=POINTS, max_size=POINTS))
def test_no_point_is_certified_on_less_evidence_than_a_single_test_would_need(values: list[float]) -> None:
    """The correction for eleven points only ever asks for more: each certified one has an e-value of 20."""
    held = certified(np.array(values))
    assert all(value >= 20 for value, yes in zip(values, held, strict=True) if yes)


@given(st.lists(st.floats(0, 500), min_size=POINTS, max_size=POINTS), st.integers(0, TOP), st.floats(1, 10))
def test_more_evidence_never_takes_a_certificate_away(values: list[float], point: int, factor: float) -> None:
    """The closed test is monotone, so "n more" has an answer."""
    before, more = np.array(values), np.array(values)
    more[point] *= factor
    assert (certified(more) >= certified(before)).all()


@pytest.mark.parametrize(("target", "single"), [(0.05, 59), (0.02, 149), (0.01, 299)])
def test_clean_decisions_needed_stay_close_to_what_one_look_at_one_threshold_needs(target: float, single: int) -> None:
    """Looking always and choosing among eleven thresholds costs about a fifth more; a union bound costs four fifths."""
    worst = clean_samples_needed(target)
    assert worst == max(clean_samples_needed(target, threshold) for threshold in THRESHOLD_GRID)
    assert single < worst <= 1.2 * single + 1


def test_a_certificate_comes_exactly_when_it_was_promised() -> None:
    """A85b: "n more to a certificate" is the number that certifies, and one less does not."""
    before = certificate(many(40, 1, score=0.86), 0.05)
    more = before.at(0.85).more_clean_needed
    record = Record(many(40, 1, score=0.86))
    assert before.at(0.85).more_clean_shown == more > 0
    assert 0.85 not in certified_thresholds(record.with_clean(7, more - 1), 0.05)
    assert 0.85 in certified_thresholds(record.with_clean(7, more), 0.05)


def test_n_more_is_said_from_ten_clean_ones_on() -> None:
    """P83, A85b: nine clean ones are too few to promise anything."""
    shown = [certificate(many(clean, 0), 0.05).at(0.95).more_clean_shown is None for clean in (9, 10)]
    assert shown == [True, False]


def test_fifty_nine_clean_ones_show_a_good_bound_and_certify_nothing() -> None:
    """A84, A85: the displayed bound is below 5 %, the certificate waits for more."""
    point = certificate(many(59, 0), 0.05).at(0.95)
    assert point.displayed_upper < 0.05 < point.certified_upper and not point.is_certified


def test_one_error_in_ninety_three_is_no_certificate() -> None:
    """A85: displayed 0.04999, no certificate from that."""
    made = certificate(many(92, 1), 0.05)
    assert made.at(0.95).displayed_upper < 0.05 and made.certified_threshold is None


def test_the_lowest_certified_threshold_is_the_one_offered() -> None:
    """A clean record at 0.80 certifies 0.80 and below, and says nothing about 0.95."""
    made = certificate(many(120, 0, score=0.81), 0.05)
    assert made.certified_threshold == 0.5
    assert [made.covers(threshold) for threshold in (0.80, 0.85, 0.95)] == [True, False, False]


def test_bad_low_scores_leave_high_ones_their_certificate() -> None:
    """Errors at 0.50 to 0.55 keep the low thresholds out, not 0.90."""
    made = certificate(many(300, 0, score=0.91) + many(20, 60, score=0.52), 0.05)
    assert made.covers(0.90) and not made.covers(0.50)


@given(st.integers(0, 200), st.integers(0, 8), st.floats(0.01, 0.2))
@settings(max_examples=15, deadline=None)
def test_limit_and_verdict_agree(clean: int, errors: int, target: float) -> None:
    """A point is certified exactly if its limit is at or below the target."""
    for point in certificate(record_of(4, clean, errors), target).points:
        assert point.is_certified == (point.certified_upper <= target)


def test_an_empty_record_proves_nothing() -> None:
    """No decision: every limit is 1."""
    made = certificate([], 0.05)
    assert {point.certified_upper for point in made.points} == {1.0} and made.certified_threshold is None


def test_reviews_that_were_certain_in_mode_on_count_for_less_than_drawn_ones() -> None:
    """P91a: where the others were seen with 5 %, a decision seen for sure must not speak for twenty."""
    certain, drawn = ({"propensity": share, "floor": 0.05} for share in (1.0, 0.05))
    assert certificate(many(200, 0, **certain), 0.05).certified_threshold is None
    assert certificate(many(200, 0, **drawn), 0.05).certified_threshold == 0.5


def test_weights_keep_an_overconfident_top_from_hiding_behind_a_good_middle() -> None:
    """All of 0.80 to 0.90 is seen and good, the bad top is drawn at 5 %: without weights 0.80 would be certified."""
    middle = many(400, 4, score=0.85, propensity=1.0, floor=0.05)
    top = many(18, 2, score=0.97, propensity=0.05, floor=0.05)
    plain = [one.model_copy(update={"propensity": 1.0, "floor": 1.0}) for one in middle + top]
    assert certificate(plain, 0.05).covers(0.80) and not certificate(middle + top, 0.05).covers(0.80)


def test_a_hundred_thousand_decisions_are_one_small_table() -> None:
    """The record's size does not grow with its length, and no number overflows."""
    record = record_of(8, 99_500, 500)
    made = certificate(record, 0.05)
    assert made.covers(0.90) and 0.005 < made.at(0.90).certified_upper < 0.02
    assert len(record.by_weight()) == 1 and np.isfinite(evidence(record, 0.001)).all()


@pytest.mark.parametrize("target", [0.0, 1.0, -0.1])
def test_an_impossible_target_is_refused(target: float) -> None:
    """A target lies strictly between 0 and 1."""
    with pytest.raises(ValueError, match="target error rate"):
        certificate([seen()], target)


def test_only_grid_values_have_a_point() -> None:
    """A83: 0.83 is no threshold."""
    made = certificate([], 0.05)
    assert not made.covers(0.83)
    with pytest.raises(LookupError):
        made.at(0.83)
