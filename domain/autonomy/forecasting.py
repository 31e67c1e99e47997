"""What switching a rule on would mean in mails and money, before anybody does it: counted from what it would have sent
lately, never guessed."""

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, Field

from contracts.base import Contract
from domain.budget.calendar_day import local_day

MONTH_DAYS = 30
LOOK_BACK = timedelta(days=28)


class PastDecision(Contract):
    """One stored routing decision with what its model calls cost."""

    score: float = Field(ge=0, le=1)
    gates_silent: bool
    cost_usd: Decimal = Decimal(0)
    at: AwareDatetime


class Forecast(Contract):
    """Automatic replies and their model cost in 30 days; `days` is how much of the past it rests on."""

    replies_a_month: int = Field(ge=0)
    usd_a_month: Decimal
    days: int = Field(ge=1)
    decisions: int = Field(ge=0)


def forecast(
    decisions: Iterable[PastDecision], threshold: float, daily_cap: int, now: datetime, zone: ZoneInfo
) -> Forecast | None:
    """The last 28 days, or as many as there are, under the daily cap; None if nothing was decided in them."""
    recent = [one for one in decisions if now - LOOK_BACK <= one.at <= now]
    if not recent:
        return None
    days = (local_day(now, zone) - min(local_day(one.at, zone) for one in recent)).days + 1
    sent = [one for one in recent if one.gates_silent and one.score >= threshold]
    capped = _under_cap((local_day(one.at, zone) for one in sent), daily_cap)
    each = sum((one.cost_usd for one in sent), Decimal(0)) / max(len(sent), 1)
    return Forecast(
        replies_a_month=round(capped * MONTH_DAYS / days),
        usd_a_month=(each * capped * MONTH_DAYS / days).quantize(Decimal("0.01")),
        days=days,
        decisions=len(recent),
    )


def _under_cap(days: Iterable[date], daily_cap: int) -> int:
    return sum(min(count, daily_cap) for count in Counter(days).values())
