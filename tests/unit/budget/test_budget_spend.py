"""Ceilings of money: a warning, a stop, and an earlier stop for strangers."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.budget.spend import Ceilings, SpendLevel, Spent, judge_spend

OK, WARNING, HOLD = SpendLevel.OK, SpendLevel.WARNING, SpendLevel.HOLD


def spent(day: str, month: str = "0") -> Spent:
    return Spent(day_usd=Decimal(day), month_usd=Decimal(month))


DAILY = Ceilings(daily_usd=Decimal(10))


@pytest.mark.parametrize(
    ("day", "level"), [("7.99", OK), ("8.00", WARNING), ("9.99", WARNING), ("10.00", HOLD), ("10.01", HOLD)]
)
def test_warning_at_eighty_and_hold_at_a_hundred_percent(day: str, level: SpendLevel) -> None:
    """8 of 10 dollars warn, 10 stop."""
    # P111, A95
    verdict = judge_spend(spent(day), DAILY)
    assert (verdict.level, verdict.ceiling, verdict.share) == (level, "daily", Decimal(day) / 10)


@pytest.mark.parametrize(("day", "level"), [("7.99", OK), ("8.00", HOLD)])
def test_strangers_stop_at_eighty_percent(day: str, level: SpendLevel) -> None:
    """Senders we never answered leave the last fifth to people we know."""
    # HW10, HM-26
    assert judge_spend(spent(day), DAILY, answered_before=False).level is level


def test_the_share_of_strangers_is_a_setting() -> None:
    """A share of zero lets strangers spend nothing at all."""
    # HW10
    closed = DAILY.model_copy(update={"stranger_share": Decimal(0)})
    assert judge_spend(spent("0"), closed, answered_before=False).level is HOLD
    assert judge_spend(spent("0"), closed).level is OK


def test_the_worse_of_both_ceilings_counts() -> None:
    """A day within its limit in a month that is over holds, and says which ceiling it was."""
    # P111
    both = Ceilings(daily_usd=Decimal(10), monthly_usd=Decimal(100))
    verdict = judge_spend(spent("9", "100"), both)
    assert (verdict.level, verdict.ceiling) == (HOLD, "monthly")
    assert judge_spend(spent("10", "90"), both).ceiling == "daily"


def test_no_ceiling_never_holds_and_a_ceiling_of_zero_always_does() -> None:
    """Empty means no ceiling; zero means no spending."""
    # P111, §15
    assert judge_spend(spent("1000000"), Ceilings()).level is OK
    assert judge_spend(spent("0"), Ceilings(monthly_usd=Decimal(0))).level is HOLD


def test_an_estimate_is_counted_before_the_call() -> None:
    """A call that would pass the ceiling is not made; one that just reaches it is."""
    # HW10, HM-26
    assert judge_spend(spent("9.95"), DAILY, estimate_usd=Decimal("0.06")).level is HOLD
    assert judge_spend(spent("9.95"), DAILY, estimate_usd=Decimal("0.05")).level is WARNING


MONEY = st.decimals(0, 20, places=2)


@given(MONEY, MONEY, st.lists(st.tuples(MONEY, st.booleans()), max_size=60))
def test_a_flood_never_spends_more_than_the_ceiling(
    daily: Decimal, monthly: Decimal, calls: list[tuple[Decimal, bool]]
) -> None:
    """Charging each call before it is made keeps the sum within both ceilings, and strangers within their share."""
    # HW10, HM-26
    ceilings, total, of_strangers = Ceilings(daily_usd=daily, monthly_usd=monthly), Decimal(0), Decimal(0)
    for cost, known in calls:
        if judge_spend(Spent(day_usd=total, month_usd=total), ceilings, known, cost).level is not HOLD:
            total, of_strangers = total + cost, of_strangers + (0 if known else cost)
    assert total <= min(daily, monthly)
    assert of_strangers <= min(daily, monthly) * Decimal("0.80")
