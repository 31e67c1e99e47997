"""Hours on the wall clock of the mailbox, across midnight, holidays and the weeks in which clocks change."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from domain.routing.working_hours import HoursOverride, WorkingHours, hours_in_force, hours_objection

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str, zone: ZoneInfo = BERLIN, fold: int = 0) -> datetime:
    """A wall-clock time of a zone as UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).astimezone(UTC)


def is_open(hours: WorkingHours, moment: datetime) -> bool:
    return hours_objection(hours, moment) is None


def hours(start: str = "09:00", end: str = "17:00", **fields: object) -> WorkingHours:
    given_fields = {
        "zone": "Europe/Berlin",
        "enabled": True,
        "start": time.fromisoformat(start),
        "end": time.fromisoformat(end),
    }
    return WorkingHours.model_validate({**given_fields, **fields})


@pytest.mark.parametrize(
    ("moment", "opened"),
    [
        ("2026-05-04T08:59:59", False),
        ("2026-05-04T09:00", True),
        ("2026-05-04T16:59:59.999999", True),
        ("2026-05-04T17:00", False),
        ("2026-05-02T12:00", False),
        ("2026-05-03T12:00", False),
    ],
)
def test_start_counts_and_end_does_not(moment: str, opened: bool) -> None:
    """From 9:00 to before 17:00, Monday to Friday."""
    # P86 gate 4
    assert is_open(hours(), at(moment)) is opened


@pytest.mark.parametrize(
    ("moment", "opened"),
    [
        ("2026-05-08T21:59", False),
        ("2026-05-08T22:00", True),
        ("2026-05-09T05:59", True),
        ("2026-05-09T06:00", False),
        ("2026-05-09T23:00", False),
        ("2026-05-10T03:00", False),
        ("2026-05-11T03:00", False),
        ("2026-05-11T23:00", True),
    ],
)
def test_a_night_belongs_to_the_day_on_which_it_began(moment: str, opened: bool) -> None:
    """22:00 to 6:00, Monday to Friday: Friday's night runs into Saturday, Sunday's does not run into Monday."""
    # P86 gate 4
    assert is_open(hours("22:00", "06:00"), at(moment)) is opened


def test_equal_ends_mean_all_day() -> None:
    """Start = end opens the whole of each working day and none of the others."""
    # P86 gate 4
    always = hours("09:00", "09:00")
    assert all(is_open(always, at(f"2026-05-04T{clock}")) for clock in ("00:00", "08:59", "23:59"))
    assert not is_open(always, at("2026-05-03T12:00"))


def test_switched_off_hours_are_never_closed() -> None:
    """Off is the default: any time will do, but a holiday of a region that is set still counts."""
    # P86 gate 4
    off = WorkingHours(zone="Europe/Berlin")
    assert is_open(off, at("2026-05-03T03:00"))
    assert not is_open(off.model_copy(update={"holidays_region": "DE"}), at("2026-12-25T03:00"))


@pytest.mark.parametrize(
    ("region", "day", "opened"),
    [
        ("DE", "2026-05-01", False),
        ("DE", "2026-01-06", True),
        ("DE-BY", "2026-01-06", False),
        ("de", "2026-05-01", False),
        ("FR", "2026-07-14", False),
        ("", "2026-05-01", True),
        ("US", "2026-12-25", False),
    ],
)
def test_public_holidays_of_the_region_close(region: str, day: str, opened: bool) -> None:
    """A country's holidays, and those of a subdivision where one is named."""
    # P86 gate 4, A79a
    assert is_open(hours(holidays_region=region), at(f"{day}T12:00")) is opened


def test_a_night_is_closed_by_a_holiday_on_either_of_its_days() -> None:
    """Neither the night that began on a holiday nor one that runs into it is open."""
    # P86 gate 4
    nights = hours("22:00", "06:00", holidays_region="DE")
    assert not is_open(nights, at("2026-12-26T02:00"))
    assert not is_open(nights, at("2026-05-01T02:00"))
    assert is_open(nights, at("2026-05-05T02:00"))


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../etc/passwd", "Europe", "CEST+2", "a\0b"])
def test_an_unknown_zone_objects(zone: str) -> None:
    """Nothing is known about the hours of a zone that does not exist."""
    # P86 gate 4
    assert "unknown time zone" in (hours_objection(hours(zone=zone), at("2026-05-04T12:00")) or "")


@pytest.mark.parametrize("region", ["XX", "DE-ZZ", "Germany!", "-", "D"])
def test_an_unknown_region_objects(region: str) -> None:
    """Nor about the holidays of a region nobody knows."""
    # P86 gate 4
    assert "unknown holiday region" in (hours_objection(hours(holidays_region=region), at("2026-05-04T12:00")) or "")


def test_a_time_without_zone_objects() -> None:
    """A naive time could be anywhere."""
    # P86 gate 4
    assert hours_objection(hours(), datetime(2026, 5, 4, 12, 0)) == "the time has no zone"


def test_days_are_iso_weekdays() -> None:
    """0 and 8 name no weekday, in the mailbox and in a rule."""
    # P113
    for model in (lambda days: hours(days=days), lambda days: HoursOverride(days=days)):
        with pytest.raises(ValidationError, match="ISO weekdays"):
            model(frozenset({0}))


def test_a_rule_overrides_field_by_field() -> None:
    """What a rule leaves open comes from the mailbox; an empty region lifts the mailbox's holidays."""
    # P80, A114
    mailbox = hours(holidays_region="DE")
    assert hours_in_force(mailbox, None) == mailbox
    merged = hours_in_force(mailbox, HoursOverride(end=time(20), holidays_region=""))
    assert (merged.start, merged.end, merged.holidays_region, merged.zone) == (time(9), time(20), "", "Europe/Berlin")
    assert hours_in_force(WorkingHours(zone="UTC"), HoursOverride(start=time(8))).enabled


@pytest.mark.parametrize(
    ("moment", "fold", "opened"),
    [
        ("2026-03-29T01:59", 0, False),
        ("2026-03-29T03:00", 0, True),
        ("2026-03-29T03:29", 0, True),
        ("2026-03-29T03:30", 0, False),
        ("2026-10-25T02:29", 0, False),
        ("2026-10-25T02:30", 0, True),
        ("2026-10-25T02:30", 1, True),
        ("2026-10-25T03:29", 0, True),
    ],
)
def test_hours_over_a_clock_change(moment: str, fold: int, opened: bool) -> None:
    """2:30 to 3:30 on a Sunday: half an hour where 2:30 is skipped, open in both of its halves where it comes twice."""
    # P86 gate 4
    sunday = hours("02:30", "03:30", days=[7])
    assert is_open(sunday, at(moment, fold=fold)) is opened


ZONES = st.sampled_from(
    ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo", "UTC"]
)
CLOCKS = st.times().map(lambda clock: clock.replace(microsecond=0))
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))


@given(ZONES, CLOCKS, CLOCKS, MOMENTS)
def test_opposite_windows_share_the_day(zone: str, start: time, end: time, moment: datetime) -> None:
    """On seven days a week every moment, over any clock change, lies in a window or in the rest of the day, never
    both."""
    # P86 gate 4
    week = frozenset(range(1, 8))
    one = WorkingHours(zone=zone, enabled=True, days=week, start=start, end=end)
    other = WorkingHours(zone=zone, enabled=True, days=week, start=end, end=start)
    assert is_open(one, moment) is (start == end or not is_open(other, moment))


@given(ZONES, CLOCKS, CLOCKS, MOMENTS, st.integers(1, 7))
def test_a_window_is_open_by_its_wall_clock_alone(
    zone: str, start: time, end: time, moment: datetime, day: int
) -> None:
    """Open means: the wall clock lies in the window of a working day; a week without clock change later it does
    again."""
    # P86 gate 4
    chosen = WorkingHours(zone=zone, enabled=True, days=frozenset({day}), start=start, end=end)
    local, later = (step.astimezone(ZoneInfo(zone)) for step in (moment, moment + timedelta(days=7)))
    if local.utcoffset() == later.utcoffset():
        assert is_open(chosen, moment) is is_open(chosen, moment + timedelta(days=7))
    if is_open(chosen, moment):
        began = local.date() if start <= local.time() or start == end else local.date() - timedelta(days=1)
        assert began.isoweekday() == day
