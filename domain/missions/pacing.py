"""How fast a mission may go on by itself, and when it has to stop and ask: numbers of D13 as functions."""

from datetime import timedelta
from typing import Final

from contracts.missions import TurnEnd

GUARD_AT: Final = 65
CONTINUATION_WAITS_S: Final = (0, 1, 2, 4, 8, 16, 30)
DELIVERY_WAITS_S: Final = (1, 2)
DELIVERY_BUDGET: Final = 3
RECOVERY_BUDGET: Final = 2
FIRST_INPUT_RETRIES: Final = 1
DEBOUNCE_SEEN: Final = timedelta(seconds=3)
DEBOUNCE_UNSEEN: Final = timedelta(seconds=30)
SLOT_FALLBACK: Final = timedelta(seconds=60)


def continuation_wait(finals: int) -> timedelta:
    """The pause after so many finals in a row without progress, the first being 1 (M114)."""
    return timedelta(seconds=CONTINUATION_WAITS_S[min(max(finals, 1), len(CONTINUATION_WAITS_S)) - 1])


def guard_trips(finals: int) -> bool:
    """65 finals in a row without progress stop the mission (M47)."""
    return finals >= GUARD_AT


def delivery_wait(attempts: int) -> timedelta | None:
    """The pause before the transport is tried again after so many faults; None when the budget is spent (M113)."""
    return timedelta(seconds=DELIVERY_WAITS_S[attempts - 1]) if 0 < attempts < DELIVERY_BUDGET else None


def may_recover(used: int) -> bool:
    """Is there a recovery cycle left? One budget for every path of an attempt (M122)."""
    return used < RECOVERY_BUDGET


def debounce(progress_seen: bool) -> timedelta:
    """How long an idle job must stay idle before it counts as final (M115)."""
    return DEBOUNCE_SEEN if progress_seen else DEBOUNCE_UNSEEN


def settle_idle(candidate: bool, observed: TurnEnd) -> tuple[bool, TurnEnd | None]:
    """The next (candidate, end) of an asynchronous job after an observation (M43, M44).

    A second idle in a row is a final; in progress discards the candidate; everything else is what it is.
    """
    if observed is TurnEnd.IDLE:
        return (False, TurnEnd.FINAL) if candidate else (True, None)
    if observed is TurnEnd.IN_PROGRESS:
        return False, None
    return False, observed
