"""A daily cap turns at the midnight of the mailbox, not of UTC and not of the server, also in the weeks when clocks
change (P85, A78, P113)."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, Field

from contracts.base import Contract


def local_day(now: datetime, zone: ZoneInfo) -> date:
    """The calendar day at `now` (aware) in `zone`."""
    return _aware(now).astimezone(zone).date()


def next_midnight(now: datetime, zone: ZoneInfo) -> datetime:
    """The first instant of the next local day, in UTC; where clocks skip midnight, the instant they do it."""
    return _day_start(local_day(now, zone) + timedelta(days=1), zone)


def month_start(now: datetime, zone: ZoneInfo) -> datetime:
    """The first instant of the local calendar month, in UTC."""
    return _day_start(local_day(now, zone).replace(day=1), zone)


def day_start(now: datetime, zone: ZoneInfo) -> datetime:
    """The first instant of the local calendar day, in UTC."""
    return _day_start(local_day(now, zone), zone)


def _day_start(day: date, zone: ZoneInfo) -> datetime:
    """`fold=0` reads a midnight that does not exist with the offset before the gap, which is the instant of the gap."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)


def _aware(now: datetime) -> datetime:
    if now.tzinfo is None:
        raise ValueError("a time without a zone belongs to no calendar day")
    return now


class DailyCount(Contract):
    """How many automatic replies a rule has made today; the reference for the one statement that checks and counts."""

    count: int = Field(ge=0)
    reset_at: AwareDatetime
    cap: int = Field(ge=0)

    def left(self, now: datetime) -> int:
        """How many are left at `now`; a cap of 0 leaves none, also on a new day (A77)."""
        return max(self.cap - self._today(now), 0)

    def charged(self, now: datetime, zone: ZoneInfo) -> "DailyCount | None":
        """The count after one more reply, or None if the cap is exhausted and nothing is charged."""
        if not self.left(now):
            return None
        reset_at = next_midnight(now, zone) if now >= self.reset_at else self.reset_at
        return DailyCount(count=self._today(now) + 1, reset_at=reset_at, cap=self.cap)

    def _today(self, now: datetime) -> int:
        return 0 if now >= self.reset_at else self.count
