"""The forecast counts what a rule would have sent; it never guesses."""

from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from domain.autonomy import PastDecision, forecast
from tests.unit.autonomy.seen import NOW

ZONE = ZoneInfo("Europe/Berlin")


def past(days_ago: float, score: float = 0.9, gates_silent: bool = True, cost: str = "0.02") -> PastDecision:
    """One decision so many days ago."""
    return PastDecision(
        score=score, gates_silent=gates_silent, cost_usd=Decimal(cost), at=NOW - timedelta(days=days_ago)
    )


def test_four_weeks_are_scaled_to_a_month() -> None:
    """28 days, five a day: 150 in 30 days, 3.00 USD."""
    made = forecast([past(day) for day in range(28) for _ in range(5)], 0.80, 100, NOW, ZONE)
    assert made is not None
    assert (made.replies_a_month, made.usd_a_month, made.days) == (150, Decimal("3.00"), 28)


def test_only_what_would_have_left_counts() -> None:
    """Low scores and objections of gates stay with people."""
    line = [past(1), past(1, score=0.79), past(1, gates_silent=False), past(9, score=0.1)]
    made = forecast(line, 0.80, 100, NOW, ZONE)
    assert made is not None and (made.replies_a_month, made.decisions, made.days) == (3, 4, 10)


def test_the_daily_cap_bounds_the_forecast() -> None:
    """Forty on one day under a cap of 10 are ten; cap 0 is none and costs nothing."""
    line = [past(0) for _ in range(40)]
    capped, none = forecast(line, 0.80, 10, NOW, ZONE), forecast(line, 0.80, 0, NOW, ZONE)
    assert capped is not None and none is not None
    assert (capped.replies_a_month, none.replies_a_month, none.usd_a_month) == (300, 0, Decimal("0.00"))


def test_without_recent_decisions_there_is_no_forecast() -> None:
    """Nothing lately is not the same as nothing a month."""
    assert forecast([past(29)], 0.80, 10, NOW, ZONE) is None
