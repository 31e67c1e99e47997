"""Zones to choose from, and the next holidays of a region, so that its code can be seen to mean what was meant."""

from datetime import UTC, date, datetime
from functools import cache
from zoneinfo import available_timezones

import holidays

MOST_SHOWN = 3


@cache
def zones() -> tuple[str, ...]:
    """IANA names by region; the aliases without a region stay out but for UTC."""
    return ("UTC", *sorted(z for z in available_timezones() if "/" in z and not z.startswith("Etc/")))


@cache
def regions() -> tuple[str, ...]:
    """Countries and subdivisions whose holidays are known, as `DE` and `DE-BY`."""
    known = holidays.list_supported_countries(include_aliases=False)
    return tuple(sorted(code for country, parts in known.items() for code in (country, *_joined(country, parts))))


def _joined(country: str, parts: list[str]) -> list[str]:
    return [f"{country}-{part}" for part in parts]


def next_holidays(region: str, language: str, today: date | None = None) -> list[tuple[date, str]]:
    """The next few holidays of a region, in the reader's language where the names are known in it; none for a code
    that is not known."""
    start = today or datetime.now(UTC).date()
    country, _, part = region.strip().partition("-")
    years = (start.year, start.year + 1)
    try:
        known = holidays.country_holidays(country, subdiv=part or None)
        spoken = (tag for tag in known.supported_languages if tag.split("_")[0] == language)
        named = next(spoken, known.default_language)
        found = holidays.country_holidays(country, subdiv=part or None, years=years, language=named)
    except (NotImplementedError, AttributeError):
        return []
    return sorted((day, name) for day, name in found.items() if day >= start)[:MOST_SHOWN]
