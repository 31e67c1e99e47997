"""The mailbox's own day, also where clocks skip midnight."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.budget.calendar_day import DailyCount, day_start, local_day, month_start, next_midnight

BERLIN = ZoneInfo("Europe/Berlin")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_the_day_turns_at_the_mailboxs_midnight() -> None:
    """23:30 UTC in May is already tomorrow in Berlin and still yesterday in New York."""
    # P85, A78
    moment = utc("2026-05-04T23:30")
    assert local_day(moment, BERLIN) == date(2026, 5, 5)
    assert local_day(utc("2026-05-04T03:30"), ZoneInfo("America/New_York")) == date(2026, 5, 3)
    assert next_midnight(moment, BERLIN) == utc("2026-05-05T22:00")


@pytest.mark.parametrize(
    ("zone", "moment", "midnight"),
    [
        ("Europe/Berlin", "2026-03-28T23:30", "2026-03-29T22:00"),
        ("Europe/Berlin", "2026-10-24T22:30", "2026-10-25T23:00"),
        ("Africa/Cairo", "2026-04-23T12:00", "2026-04-23T22:00"),
        ("America/Havana", "2026-03-07T12:00", "2026-03-08T05:00"),
        ("America/Havana", "2026-10-31T12:00", "2026-11-01T04:00"),
        ("Pacific/Apia", "2011-12-29T12:00", "2011-12-30T10:00"),
        ("UTC", "2026-12-31T23:59", "2027-01-01T00:00"),
    ],
)
def test_midnight_over_clock_changes(zone: str, moment: str, midnight: str) -> None:
    """Days of 23 and 25 hours, a midnight that is skipped, one that comes twice, and a date that never was."""
    # P85, P113
    assert next_midnight(utc(moment), ZoneInfo(zone)) == utc(midnight)


ZONES = st.sampled_from(
    [
        "Europe/Berlin",
        "Africa/Cairo",
        "America/Havana",
        "America/Sao_Paulo",
        "Asia/Beirut",
        "Asia/Kathmandu",
        "Pacific/Chatham",
    ]
).map(ZoneInfo)
MOMENTS = st.datetimes(datetime(2005, 1, 1), datetime(2035, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))


@given(ZONES, MOMENTS)
def test_midnight_is_the_first_instant_of_another_day(zone: ZoneInfo, moment: datetime) -> None:
    """A microsecond before it is still today, and it comes within 26 hours."""
    # P85
    turn = next_midnight(moment, zone)
    assert moment < turn <= moment + timedelta(hours=26)
    assert local_day(turn, zone) > local_day(moment, zone)
    assert local_day(turn - timedelta(microseconds=1), zone) == local_day(moment, zone)


@given(ZONES, MOMENTS)
def test_day_and_month_start_hold_the_moment(zone: ZoneInfo, moment: datetime) -> None:
    """The day starts at or before the moment, the month at or before the day, both on their first instant."""
    # P111
    assert month_start(moment, zone) <= day_start(moment, zone) <= moment < next_midnight(moment, zone)
    assert local_day(day_start(moment, zone), zone) == local_day(moment, zone)
    assert local_day(month_start(moment, zone), zone).day == 1
    before = month_start(moment, zone) - timedelta(microseconds=1)
    assert local_day(before, zone).month != local_day(moment, zone).month


def test_a_naive_time_belongs_to_no_day() -> None:
    """Without a zone nobody knows which day it is."""
    # P113
    with pytest.raises(ValueError, match="without a zone"):
        local_day(datetime(2026, 5, 4), BERLIN)


def test_a_cap_of_three_lets_three_through_and_starts_again_at_midnight() -> None:
    """The fourth of the day is refused and charges nothing; the first of the next local day counts as one."""
    # P85, A77, A78
    now = utc("2026-05-04T21:00")
    count: DailyCount | None = DailyCount(count=0, reset_at=next_midnight(now, BERLIN), cap=3)
    for left in (3, 2, 1):
        assert count and count.left(now) == left
        count = count.charged(now, BERLIN)
    assert count and count.charged(now, BERLIN) is None
    almost = utc("2026-05-04T21:59:59")
    assert count.charged(almost, BERLIN) is None
    tomorrow = count.charged(utc("2026-05-04T22:00"), BERLIN)
    assert tomorrow and (tomorrow.count, tomorrow.reset_at) == (1, utc("2026-05-05T22:00"))


def test_a_cap_of_zero_is_none_on_every_day() -> None:
    """Also after midnight."""
    # P85, A77
    none = DailyCount(count=0, reset_at=utc("2026-05-04T22:00"), cap=0)
    assert none.charged(utc("2026-05-04T21:00"), BERLIN) is None
    assert none.charged(utc("2026-05-09T21:00"), BERLIN) is None
