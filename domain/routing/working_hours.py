"""Automatic replies go out only while somebody is there to notice a mistake. Wall-clock time in the mailbox's
zone decides, so the hours stay where people expect them when clocks change (gate 4)."""

from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo

import holidays
from pydantic import AfterValidator

from contracts.base import Contract

_ONE_DAY = timedelta(days=1)
_MONDAY_TO_FRIDAY = frozenset(range(1, 6))
_WEEK = frozenset(range(1, 8))


def _iso_weekdays(days: frozenset[int]) -> frozenset[int]:
    if not days <= _WEEK:
        raise ValueError("working days are ISO weekdays, 1 (Monday) to 7 (Sunday)")
    return days


Weekdays = Annotated[frozenset[int], AfterValidator(_iso_weekdays)]


class WorkingHours(Contract):
    """Hours of a mailbox: `days` are ISO weekdays, 1 (Monday) to 7, `end` exclusive, `start` after `end` runs over
    midnight, equal is all day.

    `zone` is an IANA name; `holidays_region` an ISO 3166 country (`DE`) or subdivision (`DE-BY`), empty for none.
    With `enabled` off the clock does not matter, a holiday still does.
    """

    zone: str
    enabled: bool = False
    days: Weekdays = _MONDAY_TO_FRIDAY
    start: time = time(9)
    end: time = time(17)
    holidays_region: str = ""


class HoursOverride(Contract):
    """A rule's own hours; None inherits the mailbox's value field by field (P80, A114)."""

    zone: str | None = None
    enabled: bool | None = None
    days: Weekdays | None = None
    start: time | None = None
    end: time | None = None
    holidays_region: str | None = None


def hours_in_force(mailbox: WorkingHours, rule: HoursOverride | None) -> WorkingHours:
    """The mailbox's hours with everything the rule sets instead; a rule that sets days or times switches them on."""
    if rule is None:
        return mailbox
    update = rule.model_dump(exclude_none=True)
    if not update.keys().isdisjoint(("days", "start", "end")):
        update.setdefault("enabled", True)
    return mailbox.model_copy(update=update)


def hours_objection(hours: WorkingHours, now: datetime) -> str | None:
    """Why no automatic reply may go out at `now` (aware), or None. An unknown zone or region objects."""
    if now.tzinfo is None:
        return "the time has no zone"
    zone = zone_of(hours.zone)
    if zone is None:
        return f"unknown time zone {hours.zone!r}"
    local = now.astimezone(zone)
    start_day = window_day(hours, local)
    if start_day is None:
        return f"outside working hours at {local:%a %H:%M} {hours.zone}"
    return _holiday_objection(hours.holidays_region, {start_day, local.date()})


def zone_of(name: str) -> ZoneInfo | None:
    """The zone of an IANA name, or None if there is none of that name."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def window_day(hours: WorkingHours, local: datetime) -> date | None:
    """The working day whose window holds the local time; after midnight that is the day on which the window began."""
    if not hours.enabled:
        return local.date()
    return next((day for day in _candidate_days(hours, local) if day.isoweekday() in hours.days), None)


def _candidate_days(hours: WorkingHours, local: datetime) -> list[date]:
    clock, today = local.time(), local.date()
    if hours.start == hours.end:
        return [today]
    if hours.start < hours.end:
        return [today] if hours.start <= clock < hours.end else []
    began_today, began_yesterday = clock >= hours.start, clock < hours.end
    return [today] if began_today else [today - _ONE_DAY] if began_yesterday else []


def _holiday_objection(region: str, days: set[date]) -> str | None:
    if not region:
        return None
    for day in sorted(days):
        try:
            name = holiday_name(region, day)
        except (NotImplementedError, ValueError, KeyError, AttributeError):
            return f"unknown holiday region {region!r}"
        if name:
            return f"public holiday in {region}: {name}"
    return None


def holiday_name(region: str, day: date) -> str | None:
    """The name of the public holiday, None on an ordinary day; an unknown region raises NotImplementedError."""
    return _calendar(region, day.year).get(day)


@lru_cache(maxsize=256)
def _calendar(region: str, year: int) -> dict[date, str]:
    country, _, subdivision = region.partition("-")
    return dict(holidays.country_holidays(country.upper(), subdiv=subdivision or None, years=year))
