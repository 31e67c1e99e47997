"""Small plots made on the server: one line over time with honest gaps, its axes labelled, its last value and change in
words beside it, so that nothing is known from the drawing alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from markupsafe import Markup

WIDTH, HEIGHT = 300.0, 80.0
ROOM = 1.08


@dataclass(frozen=True)
class Point:
    """One value of one slice of time."""

    at: datetime
    value: float


@dataclass(frozen=True)
class Plot:
    """One metric over `since` to `until`; `line` is a threshold to draw, `least` the smallest height of the scale."""

    points: Sequence[Point]
    since: datetime
    until: datetime
    every: timedelta
    least: float = 0.0
    line: float | None = None

    @property
    def top(self) -> float:
        """The value at the upper edge, never 0."""
        highest = max([*(p.value for p in self.points), self.line or 0.0, self.least])
        return round_up(highest) or 1.0

    @property
    def last(self) -> float | None:
        """The newest value."""
        return self.points[-1].value if self.points else None

    @property
    def change(self) -> float | None:
        """How far the newest value stands from the oldest one shown."""
        return self.points[-1].value - self.points[0].value if len(self.points) > 1 else None

    def drawing(self) -> Markup:
        """The lines; a slice without data is a gap, a lonely value a dot."""
        path = " ".join(self._stretch(run) for run in runs(self.points, self.every))
        line = Markup("") if self.line is None else self._threshold(self.line)
        return Markup(
            '<svg viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
            '{}<path class="curve" d="{}"/></svg>'
        ).format(f"{WIDTH:g}", f"{HEIGHT:g}", line, path)

    def _threshold(self, value: float) -> Markup:
        return Markup('<path class="limit" d="M0 {0}H{1}"/>').format(f"{self._y(value):.1f}", f"{WIDTH:g}")

    def _stretch(self, run: Sequence[Point]) -> str:
        places = [f"{self._x(p.at):.1f} {self._y(p.value):.1f}" for p in run]
        return f"M{places[0]}h0" if len(run) == 1 else f"M{'L'.join(places)}"

    def _x(self, at: datetime) -> float:
        span = (self.until - self.since - self.every).total_seconds() or 1.0
        return WIDTH * min(max((at - self.since).total_seconds() / span, 0), 1)

    def _y(self, value: float) -> float:
        return HEIGHT * (1 - min(max(value / (self.top * ROOM), 0), 1))


def runs(points: Iterable[Point], every: timedelta) -> list[list[Point]]:
    """Points that follow each other without a gap of more than one slice."""
    found: list[list[Point]] = []
    for point in points:
        if found and point.at - found[-1][-1].at <= every * 1.5:
            found[-1].append(point)
        else:
            found.append([point])
    return found


def round_up(value: float) -> float:
    """The next number with one or two digits that people like: 1, 2, 2.5 or 5 times a power of ten."""
    if value <= 0:
        return 0.0
    power = 10.0 ** (len(str(int(value))) - 1) if value >= 1 else 1.0
    while value < power:
        power /= 10
    return next(step * power for step in (1, 2, 2.5, 5, 10) if value <= step * power * (1 + 1e-9))
