"""Moments as people say them: near ones relative, far ones as a date, the exact time beside it, in the mailbox's
zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from markupsafe import Markup

from api.dashboard.words import Words

STEPS = ((60, "seconds"), (3600, "minutes"), (86_400, "hours"))
NEAR = timedelta(days=2)


class Clock:
    """Writes moments for one reader."""

    def __init__(self, words: Words, now: datetime, zone: str) -> None:
        self.words = words
        self.now = now
        self.zone = _zone(zone)

    def __call__(self, moment: datetime | None) -> Markup:
        """A <time> element: short text, exact time as title."""
        if moment is None:
            return Markup("")
        there = moment.astimezone(self.zone)
        exact = there.strftime("%Y-%m-%d %H:%M:%S %Z")
        return Markup('<time datetime="{}" title="{}">{}</time>').format(there.isoformat(), exact, self.short(moment))

    def at(self, moment: datetime, zone: str) -> str:
        """Day and time of a moment ahead, in a zone."""
        return moment.astimezone(_zone(zone)).strftime(self.words("time.weekday"))

    def short(self, moment: datetime) -> str:
        """The short text alone."""
        apart = abs(self.now - moment)
        if apart > NEAR:
            there = moment.astimezone(self.zone)
            return there.strftime(self.words("time.day" if apart < timedelta(days=300) else "time.date"))
        return self._relative(int(apart.total_seconds()), moment > self.now)

    def _relative(self, seconds: int, ahead: bool) -> str:
        if seconds < 5 and not ahead:
            return self.words("time.now")
        divisor = 1
        unit = "days"
        for limit, name in STEPS:
            if seconds < limit:
                unit = name
                break
            divisor = limit
        return self.words(f"time.{'in' if ahead else 'ago'}.{unit}", n=max(seconds // divisor, 1))


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def seconds_left(moment: datetime | None) -> int:
    """Whole seconds until then, never below zero."""
    return max(int((moment - datetime.now(UTC)).total_seconds() + 0.999), 0) if moment else 0


def duration(milliseconds: int | None) -> str:
    """A duration with its unit."""
    if milliseconds is None:
        return ""
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
