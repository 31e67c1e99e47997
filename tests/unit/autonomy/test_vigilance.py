"""Planted faulty drafts measure the people every certificate rests on."""

import pytest
from pydantic import ValidationError

from domain.autonomy import Vigilance


def test_a_reviewer_who_waves_everything_through_leaves_nothing_certain() -> None:
    """None of 20 planted faults caught: whatever the record says, the true error rate may be anything."""
    assert Vigilance(planted=20, caught=0).honest_upper(0.01) == 1.0


def test_without_planted_faults_nobody_can_tell() -> None:
    """No measurement is not a good one."""
    assert Vigilance(planted=0, caught=0).honest_upper(0.01) == 1.0


def test_careful_reviewers_keep_the_limit_almost_as_it_is() -> None:
    """59 of 59 caught: at least 95 % are, so 4 % seen are at most 4.21 % made."""
    assert Vigilance(planted=59, caught=59).honest_upper(0.04) == pytest.approx(0.04 / 0.9505, rel=1e-3)


def test_more_caught_than_planted_is_refused() -> None:
    """A count that cannot be is a fault of the caller."""
    with pytest.raises(ValidationError, match="planted"):
        Vigilance(planted=3, caught=4)
