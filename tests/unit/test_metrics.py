"""Windows, plots and shares of the health numbers, without a database (15.1)."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.dashboard.health import Ceiling
from api.dashboard.plots import HEIGHT, Plot, Point, round_up, runs
from domain.metrics import FILL_IN, LATE, WINDOW, latest_window, window_of, windows_due

NOW = datetime(2026, 12, 1, 10, 7, 30, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


def test_windows_begin_at_whole_multiples_of_five_minutes() -> None:
    """15.1: whatever the zone of the moment; a moment without one is refused."""
    assert window_of(NOW) == datetime(2026, 12, 1, 10, 5, tzinfo=UTC)
    assert window_of(NOW.astimezone()) == window_of(NOW)
    assert latest_window(NOW) == datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
    with pytest.raises(ValueError, match="zone"):
        window_of(NOW.replace(tzinfo=None))


def test_the_window_that_runs_is_not_due() -> None:
    """15.1: a full day at first; then the last two once more, for late rows."""
    end = window_of(NOW)
    assert windows_due(NOW, None) == (end - FILL_IN, end)
    assert windows_due(NOW, end - WINDOW) == (end - LATE, end)
    assert windows_due(NOW, end - timedelta(hours=2)) == (end - timedelta(hours=2) - WINDOW, end)
    assert windows_due(NOW, end - timedelta(days=3)) == (end - FILL_IN, end)


@given(now=MOMENTS, newest=st.none() | MOMENTS)
def test_any_gap_gives_whole_windows_that_are_over(now: datetime, newest: datetime | None) -> None:
    """15.1: never more than a day, never less than the last two, also when the clock went back."""
    since, until = windows_due(now, newest)
    assert since == window_of(since) and until == window_of(until) <= now
    assert LATE <= until - since <= FILL_IN


def at(minutes: int, value: float) -> Point:
    """A point so many minutes into the plot."""
    return Point(NOW + timedelta(minutes=minutes), value)


def test_a_gap_breaks_the_line() -> None:
    """15.1: no data is no value, so nothing is drawn across it."""
    points = [at(0, 1), at(5, 1), at(20, 2), at(40, 1), at(45, 1)]
    assert [len(run) for run in runs(points, WINDOW)] == [2, 1, 2]
    drawn = str(Plot(points, NOW, NOW + timedelta(minutes=50), WINDOW).drawing())
    assert drawn.count("M") == 3 and drawn.count("h0") == 1


def test_words_beside_the_plot_come_from_its_ends() -> None:
    """dashboard.md: last value and change in text."""
    plot = Plot([at(0, 4), at(5, 9), at(10, 3)], NOW, NOW + timedelta(minutes=15), WINDOW)
    assert (plot.last, plot.change, plot.top) == (3, -1, 10)
    empty = Plot([], NOW, NOW + timedelta(minutes=15), WINDOW)
    assert (empty.last, empty.change, empty.top) == (None, None, 1)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50))
def test_nothing_is_drawn_outside(values: list[float]) -> None:
    """A plot keeps to its box, whatever the numbers."""
    points = [at(5 * n, value) for n, value in enumerate(values)]
    plot = Plot(points, NOW, NOW + timedelta(minutes=5 * len(values)), WINDOW)
    assert plot.top >= max(values) or max(values) == 0
    path = str(plot.drawing()).split('class="curve" d="')[1].split('"')[0]
    heights = [float(pair.split()[1].split("h")[0]) for pair in path.replace("M", "L").split("L")[1:]]
    assert all(0 <= height <= HEIGHT for height in heights)


@given(st.floats(1e-6, 1e9))
def test_the_scale_ends_at_a_number_people_like(value: float) -> None:
    """1, 2, 2.5 or 5 times a power of ten, and not far above the value."""
    top = round_up(value)
    assert value <= top * (1 + 1e-9) and top <= 10.1 * value
    assert f"{top:.1e}"[:3] in {"1.0", "2.0", "2.5", "5.0"}


@pytest.mark.parametrize(
    ("spent", "limit", "share", "level"),
    [
        ("0", None, None, "ok"), ("7.99", "10", 79, "ok"), ("8", "10", 80, "warning"), ("9.99", "10", 99, "warning"),
        ("10", "10", 100, "hold"), ("30", "10", 300, "hold"), ("0", "0", 100, "hold"),
    ],
)  # fmt: skip
def test_a_ceiling_warns_at_four_fifths(spent: str, limit: str | None, share: int | None, level: str) -> None:
    """P111: a ceiling of zero is reached from the start; none is never."""
    ceiling = Ceiling("daily", Decimal(spent), Decimal(limit) if limit else None)
    assert (ceiling.share, ceiling.level) == (share, level)
