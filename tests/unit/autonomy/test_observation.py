"""What counts, where, and with which weight."""

from datetime import timedelta

import pytest
from pydantic import ValidationError

from domain.autonomy import Record, settled
from domain.autonomy.record import POINTS, highest_point
from domain.routing.rules import THRESHOLD_GRID
from tests.unit.autonomy.seen import NOW, many, seen


@pytest.mark.parametrize(
    ("score", "point"), [(0.0, -1), (0.4999, -1), (0.5, 0), (0.549, 0), (0.95, 9), (0.9899, 9), (0.99, 10), (1.0, 10)]
)
def test_a_score_reaches_the_points_at_or_below_it(score: float, point: int) -> None:
    """P91a: the highest grid point a score reaches."""
    assert highest_point(score) == point


def test_a_decision_counts_at_every_point_it_reaches_whatever_the_threshold_then_was() -> None:
    """A84a: decisions stored under a threshold of 0.90 speak about 0.85 without new ones."""
    totals = Record([seen(score=0.92), seen(False, score=0.86)]).totals()
    assert totals[0].tolist() == [1] * 9 + [0, 0]
    assert totals[1].tolist() == [1] * 8 + [0, 0, 0]


def test_a_decision_that_a_gate_held_counts_at_no_point() -> None:
    """A84a: gate 9 objected, so the mail would never have left."""
    assert Record([seen(gates_silent=False), seen(score=0.2)]).totals().sum() == 0


def test_an_open_review_is_no_evidence() -> None:
    """A record takes decided reviews only; an open one must not slip in as clean."""
    with pytest.raises(ValueError, match="open review"):
        Record([seen(None)])


def test_counting_stops_at_the_first_open_review() -> None:
    """Hard mails take longer; counting those that were quick first would look better than the truth."""
    line = [seen(minute=0), seen(None, minute=1), seen(minute=2)]
    assert settled(line, NOW + timedelta(hours=1)) == [line[0]]


def test_a_review_left_open_too_long_counts_as_an_error() -> None:
    """One forgotten mail neither stops the count nor helps it."""
    line = [seen(minute=2), seen(None, minute=1)]
    assert [one.clean for one in settled(line, NOW + timedelta(days=15))] == [False, True]


def test_the_floor_is_the_lowest_propensity() -> None:
    """A floor above the propensity of the decision itself would bet more than the capital."""
    with pytest.raises(ValidationError, match="floor"):
        seen(propensity=0.05, floor=1.0)


def test_the_weight_is_one_where_every_mail_had_the_same_chance() -> None:
    """Shadow reviews, and audited ones in mode on, carry the full stake; a review that was certain in mode on does
    not."""
    shadow, drawn, certain = seen(), seen(propensity=0.05, floor=0.05), seen(propensity=1.0, floor=0.05)
    assert (shadow.weight, drawn.weight, certain.weight) == (1.0, 1.0, 0.05)


def test_a_record_grown_one_by_one_equals_one_read_at_once() -> None:
    """The table is all there is; order and portions make no difference."""
    line = many(30, 3, score=0.8) + many(5, 1, score=0.995, propensity=1.0, floor=0.05)
    grown = Record()
    for one in reversed(line):
        grown.add(one)
    both = [[(weight, table.tolist()) for weight, table in record.by_weight()] for record in (grown, Record(line))]
    assert both[0] == both[1]


def test_asking_what_if_leaves_the_record_alone() -> None:
    """`with_clean` is a copy."""
    record = Record(many(3, 1))
    assert record.with_clean(0, 50).totals()[0, 0] == 53
    assert record.totals()[0].tolist() == [3] * 10 + [0] and len(THRESHOLD_GRID) == POINTS
