"""Model calls cost money, and anyone may send us mail. Ceilings stop automatic work before the call that would break
them; strangers stop earlier, so that the last fifth is left for people we know (P111, HW10)."""

from collections.abc import Iterator
from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from contracts.base import Contract

WARNING_SHARE = Decimal("0.80")


class Ceilings(Contract):
    """Money per local day and month in USD; None is no ceiling. Strangers may use `stranger_share` of each."""

    daily_usd: Decimal | None = Field(default=None, ge=0)
    monthly_usd: Decimal | None = Field(default=None, ge=0)
    stranger_share: Decimal = Field(default=Decimal("0.80"), ge=0, le=1)


class Spent(Contract):
    """What the ledger says was spent since the start of the local day and month, in USD."""

    day_usd: Decimal = Field(ge=0)
    month_usd: Decimal = Field(ge=0)


class SpendLevel(StrEnum):
    """`hold` stops automatic model work and automation; human-written replies go on."""

    OK = "ok"
    WARNING = "warning"
    HOLD = "hold"


class SpendVerdict(Contract):
    """The worst of both ceilings: its name (`daily`, `monthly` or empty) and the spent share of it, where it has
    one."""

    level: SpendLevel
    ceiling: str = ""
    share: Decimal | None = None


_ORDER = (SpendLevel.OK, SpendLevel.WARNING, SpendLevel.HOLD)


def judge_spend(
    spent: Spent, ceilings: Ceilings, answered_before: bool = True, estimate_usd: Decimal = Decimal(0)
) -> SpendVerdict:
    """May a call that costs about `estimate_usd` be made? Holds at 100 %, or at 80 % for senders we never answered.

    The estimate is counted before the call, so that a flood cannot pass the ceiling by many calls at once.
    """
    usable = Decimal(1) if answered_before else ceilings.stranger_share
    verdicts = _verdicts(spent, ceilings, usable, estimate_usd)
    return max(verdicts, key=lambda verdict: _ORDER.index(verdict.level), default=SpendVerdict(level=SpendLevel.OK))


def _verdicts(spent: Spent, ceilings: Ceilings, usable: Decimal, estimate: Decimal) -> Iterator[SpendVerdict]:
    rows = (("daily", spent.day_usd, ceilings.daily_usd), ("monthly", spent.month_usd, ceilings.monthly_usd))
    for name, used, ceiling in rows:
        if ceiling is not None:
            share = used / ceiling if ceiling else None
            yield SpendVerdict(level=_level(used, ceiling, usable, estimate), ceiling=name, share=share)


def _level(used: Decimal, ceiling: Decimal, usable: Decimal, estimate: Decimal) -> SpendLevel:
    if used >= ceiling * usable or used + estimate > ceiling * usable:
        return SpendLevel.HOLD
    return SpendLevel.WARNING if used >= ceiling * WARNING_SHARE else SpendLevel.OK
