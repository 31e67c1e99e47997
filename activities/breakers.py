"""Breakers in the database: looked at with each rollup, and at once when a model call fails, so that automation stops
within the outage and not five minutes into it (P93-P96)."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from temporalio import activity

from activities.ports import Database, Row, Transaction
from contracts.errors import DatabaseFault
from contracts.status import HoldReason
from domain.breakers import LOW_CONFIDENCE, Breaker, BreakerKind, BreakerState, Sample, evaluate, sample_since
from domain.metrics import FAILED_CALLS, UNFINISHED_CALLS

ACTOR = "deskhand"
MOST_WOKEN = 10_000
EVERY_KIND = tuple(BreakerKind)


class Breakers:
    """The three breakers of every mailbox; each call is a short transaction of its own."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def evaluate(self, mailbox_id: UUID, kinds: Iterable[BreakerKind] = EVERY_KIND) -> tuple[Breaker, ...]:
        """Looks at each breaker's sample and moves it where that says so; the breakers that moved."""
        async with self.database.transaction(mailbox_id) as tx:
            return await evaluate_in(tx, mailbox_id, kinds)

    async def model_call_failed(self, mailbox_id: UUID) -> None:
        """The look after a failed call. While the breaker is open there is nothing to decide but how soon the next
        turn comes. Never raises: the call's own fault is the one to report."""
        try:
            async with self.database.transaction(mailbox_id) as tx:
                state = await tx.value("breaker_state", mailbox_id, BreakerKind.LLM_FAILURE)
                if state == BreakerState.OPEN:
                    await tx.run("turn_failed", mailbox_id)
                elif state is not None:
                    await evaluate_in(tx, mailbox_id, [BreakerKind.LLM_FAILURE])
        except DatabaseFault:
            activity.logger.warning("a breaker could not be looked at", extra={"mailbox_id": str(mailbox_id)})


async def evaluate_in(tx: Transaction, mailbox_id: UUID, kinds: Iterable[BreakerKind]) -> tuple[Breaker, ...]:
    """The same inside a transaction the caller holds; rows are locked in the order of their kinds."""
    rows = await tx.rows("breaker_lock", mailbox_id, [str(kind) for kind in kinds])
    now = await tx.value("clock")
    looked = [await _look(tx, mailbox_id, breaker_of(row), now) for row in rows]
    return tuple(moved for moved in looked if moved is not None)


async def _look(tx: Transaction, mailbox_id: UUID, breaker: Breaker, now: datetime) -> Breaker | None:
    sample = await _sample(tx, mailbox_id, breaker, now)
    await tx.run("breaker_looked", mailbox_id, breaker.kind, now, sample.bad, sample.total)
    after = evaluate(breaker, sample, now)
    if after is breaker:
        return None
    await move(tx, mailbox_id, breaker, after, ACTOR)
    activity.logger.warning("breaker moved", extra=_words(mailbox_id, after))
    return after


def _words(mailbox_id: UUID, breaker: Breaker) -> dict[str, str]:
    state, reason = str(breaker.state), breaker.reason
    return {"mailbox_id": str(mailbox_id), "breaker": str(breaker.kind), "state": state, "reason": reason}


async def _sample(tx: Transaction, mailbox_id: UUID, breaker: Breaker, now: datetime) -> Sample:
    since = sample_since(breaker, now)
    match breaker.kind:
        case BreakerKind.LLM_FAILURE:
            row = await tx.must("breaker_calls", mailbox_id, since, [*FAILED_CALLS], [*UNFINISHED_CALLS])
        case BreakerKind.CONFIDENCE_DEGRADATION:
            row = await tx.must("breaker_confidences", mailbox_id, since, LOW_CONFIDENCE)
        case BreakerKind.REJECTION_SPIKE:
            row = await tx.must("breaker_reviews", mailbox_id, since)
    return Sample(bad=row["bad"], total=row["total"])


async def move(tx: Transaction, mailbox_id: UUID, before: Breaker, after: Breaker, actor: str) -> None:
    """Writes the new state with its audit row; mails that held for the model go on unless it is open (P96)."""
    await tx.run(
        "breaker_move", mailbox_id, after.kind, after.state, after.tripped_at, after.half_open_at, after.recovered_at,
        after.probes_used, after.reason,
    )  # fmt: skip
    old, new = ({"state": str(b.state), "reason": b.reason} for b in (before, after))
    await tx.run("audit", mailbox_id, actor, "breaker", f"breaker/{after.kind}", old, new)
    if after.kind is BreakerKind.LLM_FAILURE and after.state is not BreakerState.OPEN:
        moment = await tx.value("clock")
        await wake_held(tx, mailbox_id, HoldReason.LLM_BREAKER, f"breaker/{after.state}/{moment.isoformat()}")


async def wake_held(
    tx: Transaction,
    mailbox_id: UUID,
    hold: HoldReason,
    cause: str,
    most: int = MOST_WOKEN,
    later: timedelta = timedelta(),
) -> int:
    """Wakes those that hold for `hold`, the longest wait first; how many."""
    return await tx.run("breaker_wake", mailbox_id, str(hold), cause, most, later)


async def probe_objection(tx: Transaction, mailbox_id: UUID) -> str | None:
    """Whether a breaker stands against an automatic approval now; the rows stay locked until the caller's end (P95)."""
    rows = await tx.rows("breaker_lock", mailbox_id, [str(kind) for kind in EVERY_KIND])
    return "breaker_open" if len(rows) < len(EVERY_KIND) or _blocking(rows) else None


def _blocking(rows: Sequence[Row]) -> bool:
    used_up = (r["state"] == BreakerState.HALF_OPEN and r["probes_used"] >= r["probe_limit"] for r in rows)
    return any(r["state"] == BreakerState.OPEN for r in rows) or any(used_up)


async def charge_probes(tx: Transaction, mailbox_id: UUID) -> None:
    """One probe of each half-open breaker, once the approval is certain; `probe_objection` holds the locks."""
    await tx.run("breaker_charge_probes", mailbox_id)


def breaker_of(row: Any) -> Breaker:
    """A row as the value the pure rules work on."""
    return Breaker(
        kind=BreakerKind(row["kind"]),
        threshold=float(row["threshold"]),
        window=timedelta(seconds=row["window_s"]),
        min_sample=row["min_sample"],
        cool_down=timedelta(seconds=row["cool_down_s"]),
        probe_limit=row["probe_limit"],
        state=BreakerState(row["state"]),
        tripped_at=row["tripped_at"],
        half_open_at=row["half_open_at"],
        recovered_at=row["recovered_at"],
        probes_used=row["probes_used"],
        reason=row["reason"],
    )
