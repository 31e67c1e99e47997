"""The weekly adjustment: tightened at once, loosened only as far as a certificate reaches."""

from datetime import timedelta

import pytest

from domain.autonomy import Change, Review, weekly_adjustment
from domain.routing.rules import THRESHOLD_GRID
from tests.unit.autonomy.seen import NOW


def reviews(approved: int, rejected: int, days_ago: float = 1) -> list[Review]:
    """So many of each, at one moment."""
    at = NOW - timedelta(days=days_ago)
    return [Review(rejected=mark, at=at) for mark in [False] * approved + [True] * rejected]


@pytest.mark.parametrize(
    ("before", "after"), [(0.50, 0.60), (0.80, 0.90), (0.85, 0.95), (0.90, 0.99), (0.95, 0.99), (0.99, 0.99)]
)
def test_many_rejections_tighten_at_once(before: float, after: float) -> None:
    """A83: 5 reviews, 3 rejected; 0.99 stays."""
    made = weekly_adjustment(before, reviews(2, 3), (), NOW)
    assert made.threshold == after
    assert made.change is (Change.KEEP if before == after else Change.TIGHTEN)


def test_tightening_deletes_a_pending_suggestion() -> None:
    """P90: what was suggested in better times is void; nothing else voids it."""
    assert weekly_adjustment(0.80, reviews(2, 3), (), NOW).deletes_suggestion
    assert not weekly_adjustment(0.80, reviews(20, 0), (), NOW).deletes_suggestion


@pytest.mark.parametrize(("approved", "rejected"), [(1, 3), (3, 2), (18, 2), (19, 0)])
def test_too_few_reviews_or_a_middling_rate_change_nothing(approved: int, rejected: int) -> None:
    """A83, P90: 4 reviews; a rate of exactly 0.40; of exactly 0.10; only 19 rows."""
    made = weekly_adjustment(0.80, reviews(approved, rejected), THRESHOLD_GRID, NOW)
    assert (made.change, made.threshold) == (Change.KEEP, 0.80)


@pytest.mark.parametrize(("before", "after"), [(0.80, 0.75), (0.99, 0.95), (0.55, 0.50)])
def test_a_certified_candidate_is_applied(before: float, after: float) -> None:
    """A84: the next lower grid value, with a certificate."""
    made = weekly_adjustment(before, reviews(59, 0), (after,), NOW)
    assert (made.change, made.threshold) == (Change.LOOSEN, after)


def test_without_a_certificate_it_is_only_suggested() -> None:
    """A84: 20 clean ones make a suggestion."""
    made = weekly_adjustment(0.80, reviews(20, 0), (0.80, 0.85), NOW)
    assert (made.change, made.threshold) == (Change.SUGGEST, 0.75)


def test_nothing_is_looser_than_one_half() -> None:
    """A84: 0.50 stays."""
    assert weekly_adjustment(0.50, reviews(59, 0), THRESHOLD_GRID, NOW).change is Change.KEEP


def test_only_the_last_week_counts() -> None:
    """P90: older rows, and rows from the future, are not of this week."""
    made = weekly_adjustment(0.80, reviews(0, 9, 7.1) + reviews(0, 9, -1) + reviews(4, 0), (), NOW)
    assert (made.change, made.reviews) == (Change.KEEP, 4)


def test_only_the_newest_two_hundred_count() -> None:
    """P90: 200 newer approvals outweigh any number of older rejections."""
    made = weekly_adjustment(0.80, reviews(0, 300, 5) + reviews(200, 0, 1), (0.75,), NOW)
    assert (made.reviews, made.rejected, made.change) == (200, 0, Change.LOOSEN)


def test_a_threshold_off_the_grid_is_refused() -> None:
    """A83: 0.83."""
    with pytest.raises(ValueError, match="threshold"):
        weekly_adjustment(0.83, [], (), NOW)
