"""The bound people see, against an independent implementation and the numbers of the specification."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from domain.autonomy.exact_bounds import at_most, lower_bound, upper_bound


@pytest.mark.parametrize(
    ("errors", "n", "bound"), [(0, 20, 0.1391), (0, 59, 0.0495), (1, 92, 0.0505), (1, 93, 0.04999)]
)
def test_the_numbers_of_the_specification(errors: int, n: int, bound: float) -> None:
    """A84, A85: the displayed bounds named there."""
    assert upper_bound(errors, n) == pytest.approx(bound, abs=5e-5)


@given(st.integers(1, 100_000), st.floats(0, 1))
def test_both_bounds_agree_with_scipy(n: int, share: float) -> None:
    """P91: one-sided 95 % Clopper-Pearson from its own root search, up to 100,000 decisions."""
    errors = min(int(share * n), n - 1)
    assert upper_bound(errors, n) == pytest.approx(beta.ppf(0.95, errors + 1, n - errors), rel=1e-7)
    if errors:
        assert lower_bound(errors, n) == pytest.approx(beta.ppf(0.05, errors, n - errors + 1), rel=1e-7, abs=1e-12)


@given(st.integers(1, 500), st.integers(0, 500), st.floats(0.001, 0.999))
def test_the_binomial_tail_agrees_with_scipy(n: int, k: int, rate: float) -> None:
    """The tail that the bounds are roots of."""
    assert at_most(k, n, rate) == pytest.approx(binom.cdf(k, n, rate), rel=1e-7, abs=1e-12)


def test_without_data_nothing_is_excluded() -> None:
    """No decision, or not one clean one: the error rate may be anything up to 1."""
    assert (upper_bound(0, 0), lower_bound(0, 0), upper_bound(7, 7), lower_bound(0, 9)) == (1.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize(("errors", "n"), [(-1, 3), (4, 3)])
def test_an_impossible_sample_is_refused(errors: int, n: int) -> None:
    """More errors than decisions is a fault of the caller, not a bound."""
    with pytest.raises(ValueError, match="is no sample"):
        upper_bound(errors, n)
