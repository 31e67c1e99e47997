"""Observations in a line, for tests that are about something else."""

from datetime import UTC, datetime, timedelta
from typing import Any

from domain.autonomy import Observation

NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)


def seen(clean: bool | None = True, score: float = 0.97, minute: int = 0, **more: Any) -> Observation:
    """One reviewed decision, clean and at full weight unless told otherwise."""
    return Observation(score=score, clean=clean, at=NOW + timedelta(minutes=minute), **more)


def many(clean: int, errors: int, score: float = 0.97, **more: Any) -> list[Observation]:
    """So many clean ones and then so many faulty ones."""
    marks = [True] * clean + [False] * errors
    return [seen(mark, score, minute, **more) for minute, mark in enumerate(marks)]
