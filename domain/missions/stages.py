"""The way of one attempt and its result, from request to release, as one table; the database holds the same pairs
(M18)."""

from typing import Final

from contracts.missions import Stage

S = Stage
WAY: Final = (S.ADMITTED, S.WORKING, S.RECORDED, S.QUEUED, S.DELIVERED, S.READ, S.ACKNOWLEDGED, S.RETIRED)
BEFORE_RESULT: Final = frozenset({S.REQUESTED, S.NOT_ADMITTED, S.UNCERTAIN, S.ADMITTED, S.WORKING, S.RECOVERING})
WITH_RESULT: Final = frozenset({S.RECORDED, S.QUEUED, S.DELIVERED, S.READ})
SETTLED: Final = frozenset({S.ACKNOWLEDGED, S.RETIRED, S.FENCED, S.CANCELLED})

EDGES: Final = frozenset(
    {
        *zip(WAY, WAY[1:], strict=False),
        (S.REQUESTED, S.ADMITTED),
        (S.REQUESTED, S.NOT_ADMITTED),
        (S.NOT_ADMITTED, S.REQUESTED),
        (S.REQUESTED, S.UNCERTAIN),
        (S.UNCERTAIN, S.ADMITTED),
        (S.WORKING, S.RECOVERING),
        (S.RECOVERING, S.WORKING),
        (S.RECOVERING, S.RECORDED),
        (S.ADMITTED, S.RECOVERING),
        (S.ADMITTED, S.RECORDED),
        (S.ADMITTED, S.FENCED),
        (S.DELIVERED, S.QUEUED),
        (S.READ, S.QUEUED),
        *((stage, S.CANCELLED) for stage in (*BEFORE_RESULT, *WITH_RESULT)),
    }
)


def allowed(before: Stage, after: Stage) -> bool:
    """May an attempt go from one stage to the other?"""
    return (before, after) in EDGES


def accepts_result(stage: Stage) -> bool:
    """May a result still be submitted? After recording, fencing or cancelling every other one is refused (M68)."""
    return stage in BEFORE_RESULT


def counts_in_barrier(stage: Stage) -> bool:
    """Is the attempt neither acknowledged nor given up explicitly? (M101)"""
    return stage not in SETTLED


def acknowledge_objection(
    stage: Stage, *, of_parent: str, parent: str, digest: str, given: str, parent_open: bool
) -> str | None:
    """Why a result cannot be acknowledged now; each reason has its own word and changes nothing (M102, M96)."""
    if of_parent != parent:
        return "not_your_task"
    if not parent_open:
        return "mission_not_open"
    if stage in (S.ACKNOWLEDGED, S.RETIRED):
        return "already_acknowledged"
    if stage in (S.FENCED, S.CANCELLED):
        return "given_up"
    if stage in BEFORE_RESULT:
        return "not_final"
    if stage in (S.RECORDED, S.QUEUED):
        return "not_delivered"
    return None if given == digest and stage is S.READ else "not_read" if stage is not S.READ else "wrong_digest"


def replacement_objection(stage: Stage, incomplete: bool) -> str | None:
    """Why no further attempt of the task may start: an earlier one must be incomplete, fenced or cancelled (M97)."""
    if stage in (S.FENCED, S.CANCELLED):
        return None
    if stage in BEFORE_RESULT:
        return "already_delegated"
    return None if incomplete else "earlier_result"
