"""When a snoozed conversation comes back: the few moments people ask for, in the zone of their mailbox (P121).

Time is passed in. A wall time that a clock change skips means the moment after the gap, one that comes twice the first.
"""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

LATER = timedelta(hours=3)
MORNING = time(9, 0)
LATEST = timedelta(days=366)
STEP_MINUTES = 30
PRESETS = ("later_today", "tomorrow", "next_week")


class UnsoundMoment(ValueError):
    """A moment nobody can be woken at; `kind` is past, too_far, too_late_today or unreadable."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def preset_moment(preset: str, now: datetime, zone: ZoneInfo) -> datetime:
    """The moment a preset means; raises UnsoundMoment where the day has no `later` left."""
    here = now.astimezone(zone)
    if preset == "later_today":
        return _later_today(now, zone)
    days = 1 if preset == "tomorrow" else 7 - here.weekday()
    return _at(datetime.combine(here.date() + timedelta(days=days), MORNING), zone)


def _later_today(now: datetime, zone: ZoneInfo) -> datetime:
    """In three hours, on a full or half hour."""
    wanted = (now + LATER).astimezone(zone)
    over = timedelta(minutes=wanted.minute % STEP_MINUTES, seconds=wanted.second, microseconds=wanted.microsecond)
    up = timedelta(minutes=STEP_MINUTES) if over else timedelta()
    rounded = (wanted.astimezone(UTC) - over + up).astimezone(zone)
    if rounded.date() != now.astimezone(zone).date():
        raise UnsoundMoment("too_late_today")
    return rounded


def offered(now: datetime, zone: ZoneInfo) -> list[tuple[str, datetime]]:
    """The presets that make sense now, each with its moment; two that mean the same are offered once."""
    found: list[tuple[str, datetime]] = []
    for preset in PRESETS:
        try:
            moment = preset_moment(preset, now, zone)
        except UnsoundMoment:
            continue
        if moment not in (at for _, at in found):
            found.append((preset, moment))
    return found


def local_moment(text: str, zone: ZoneInfo) -> datetime:
    """A wall time as a form sends it (`2026-12-02T09:00`), in the zone of the mailbox."""
    try:
        return _at(datetime.fromisoformat(text).replace(tzinfo=None), zone)
    except (ValueError, OverflowError):
        raise UnsoundMoment("unreadable") from None


def checked_moment(until: datetime, now: datetime) -> datetime:
    """The same moment, where it lies ahead and within a year (P121)."""
    if until <= now:
        raise UnsoundMoment("past")
    if until - now > LATEST:
        raise UnsoundMoment("too_far")
    return until


def _at(wall: datetime, zone: ZoneInfo) -> datetime:
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC).astimezone(zone)
