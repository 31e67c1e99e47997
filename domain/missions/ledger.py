"""What may become of an effect: once claimed it happens once, whatever crashed in between (M116, M129, part 5)."""

from collections.abc import Iterable
from typing import Final

from contracts.missions import EffectState

E = EffectState
_STRENGTH: Final = {E.NOT_ADMITTED: 0, E.REJECTED: 1, E.CLAIMED: 2, E.INDETERMINATE: 2, E.COMPLETED: 3}
EDGES: Final = frozenset(
    {
        (None, E.CLAIMED),
        (None, E.REJECTED),
        (None, E.NOT_ADMITTED),
        (E.CLAIMED, E.COMPLETED),
        (E.CLAIMED, E.REJECTED),
        (E.CLAIMED, E.INDETERMINATE),
        (E.CLAIMED, E.NOT_ADMITTED),
        (E.NOT_ADMITTED, E.CLAIMED),
    }
)


def allowed(before: EffectState | None, after: EffectState) -> bool:
    """Is the step in the ledger's graph? Completed, rejected and indeterminate are absorbing."""
    return (before, after) in EDGES


def strongest(states: Iterable[EffectState]) -> EffectState | None:
    """Which of several fences holds on a resumed turn (M116)."""
    return max(states, key=_STRENGTH.__getitem__, default=None)


def may_claim(state: EffectState | None, evidence: str | None = None) -> bool:
    """May the effect be claimed (again)? Proof that it was not done allows one new claim row (M129)."""
    if state is E.INDETERMINATE:
        return evidence == "proved_not_done"
    return state in (None, E.NOT_ADMITTED)


def standing(state: EffectState, evidence: str | None) -> EffectState:
    """The state as later evidence reads it; the row itself is never rewritten."""
    return E.COMPLETED if state is E.INDETERMINATE and evidence == "proved_done" else state
