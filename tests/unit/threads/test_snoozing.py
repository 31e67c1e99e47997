"""The moments a snooze means, around midnight, weekends and clock changes (P121)."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from domain.threads.snoozing import UnsoundMoment, checked_moment, local_moment, offered, preset_moment

BERLIN = ZoneInfo("Europe/Berlin")
AUCKLAND = ZoneInfo("Pacific/Auckland")


def berlin(text: str) -> datetime:
    """A wall time in Berlin."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("preset", "now", "expected"),
    [
        ("later_today", "2026-12-01T10:07", "2026-12-01T13:30"),
        ("later_today", "2026-12-01T10:00", "2026-12-01T13:00"),
        ("tomorrow", "2026-12-01T23:59", "2026-12-02T09:00"),
        ("tomorrow", "2026-12-31T08:00", "2027-01-01T09:00"),
        ("next_week", "2026-12-01T10:00", "2026-12-07T09:00"),
        ("next_week", "2026-12-07T08:00", "2026-12-14T09:00"),
        ("next_week", "2026-12-06T22:00", "2026-12-07T09:00"),
        ("tomorrow", "2026-03-28T12:00", "2026-03-29T09:00"),
        ("tomorrow", "2026-10-24T12:00", "2026-10-25T09:00"),
    ],
)
def test_presets(preset: str, now: str, expected: str) -> None:  # P121
    """Wall times of the mailbox's zone, over the turn of a day, a year and both clock changes."""
    assert preset_moment(preset, berlin(now), BERLIN) == berlin(expected)


def test_a_preset_counts_days_where_the_mailbox_is() -> None:  # P121
    """Tuesday evening in UTC is Wednesday morning in Auckland."""
    now = datetime(2026, 12, 1, 20, 0, tzinfo=UTC)
    assert preset_moment("tomorrow", now, AUCKLAND) == datetime(2026, 12, 3, 9, 0, tzinfo=AUCKLAND)


def test_late_in_the_evening_there_is_no_later_today() -> None:  # P121
    """It is not offered, and asking for it says why; on Sunday tomorrow and next week are the same and offered once."""
    with pytest.raises(UnsoundMoment) as refused:
        preset_moment("later_today", berlin("2026-12-01T21:00"), BERLIN)
    assert refused.value.kind == "too_late_today"
    assert [p for p, _ in offered(berlin("2026-12-01T21:00"), BERLIN)] == ["tomorrow", "next_week"]
    assert [p for p, _ in offered(berlin("2026-12-06T10:00"), BERLIN)] == ["later_today", "tomorrow"]


def test_wall_times_around_a_clock_change() -> None:  # P121
    """A time that is skipped means the moment after the gap, one that comes twice the first."""
    assert local_moment("2026-03-29T02:30", BERLIN).astimezone(UTC) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert local_moment("2026-10-25T02:30", BERLIN).astimezone(UTC) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-13-01T09:00", "9999-99-99", "0001-01-01T00:00"])
def test_what_is_no_wall_time_is_refused(text: str) -> None:
    """Without an error of the library reaching the page."""
    with pytest.raises(UnsoundMoment):
        checked_moment(local_moment(text, AUCKLAND), datetime(2026, 12, 1, tzinfo=UTC))


def test_only_moments_ahead_and_within_a_year() -> None:  # P121
    """The present moment is past already; a year and a day is as far as it goes."""
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert checked_moment(now + timedelta(seconds=1), now)
    for moment, kind in ((now, "past"), (now - timedelta(days=1), "past"), (now + timedelta(days=367), "too_far")):
        with pytest.raises(UnsoundMoment) as refused:
            checked_moment(moment, now)
        assert refused.value.kind == kind
