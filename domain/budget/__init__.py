"""What may be spent and when: model-call slots, the mailbox's own calendar day, and money."""

from domain.budget.calendar_day import DailyCount, local_day, month_start, next_midnight
from domain.budget.gcra import Charge, Limits, Rate, Reservation, charge, reserve
from domain.budget.spend import Ceilings, SpendLevel, SpendVerdict, Spent, judge_spend

__all__ = [
    "Ceilings",
    "Charge",
    "DailyCount",
    "Limits",
    "Rate",
    "Reservation",
    "SpendLevel",
    "SpendVerdict",
    "Spent",
    "charge",
    "judge_spend",
    "local_day",
    "month_start",
    "next_midnight",
    "reserve",
]
