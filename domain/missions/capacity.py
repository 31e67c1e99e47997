"""The four pools and who is next: oldest wish first, and a lowered limit only stops new grants (M127, M128)."""

from collections.abc import Sequence
from typing import Final

from contracts.missions import Pool

DEFAULTS: Final = {
    Pool.RESIDENT_MISSIONS: 5,
    Pool.MODEL_EXECUTIONS: 3,
    Pool.WORK_CONTEXTS: 2,
    Pool.HEAVY_JOBS: 1,
}
LEAST: Final = {Pool.RESIDENT_MISSIONS: 2, Pool.MODEL_EXECUTIONS: 1, Pool.WORK_CONTEXTS: 1, Pool.HEAVY_JOBS: 1}
MOST: Final = 50


def refusal(limit: int | None, state: str | None, granted: int, ahead: int) -> str | None:
    """Why a lease is not granted now, None if it is. A pool nobody can read refuses."""
    if limit is None or state not in ("normal", "draining"):
        return "pool_unknown"
    if state == "draining":
        return "pool_draining"
    return "pool_full" if granted + ahead >= limit else None


def next_in_line(limit: int, granted: int, waiting: Sequence[str]) -> tuple[str, ...]:
    """Which waiting leases, oldest first, are granted now."""
    return tuple(waiting[: max(limit - granted, 0)])


def in_range(pool: Pool, limit: int) -> bool:
    """Is this a limit the pool may have?"""
    return LEAST[pool] <= limit <= MOST
