"""What becomes of an attempt whose execution is over: its stored result first, then its budget, then `incomplete`.

The engine's word that a child ended is the proof; no status column is asked (M64-M69, M90).
"""

from temporalio import activity

from activities.faults import named_faults
from activities.missions import capacity
from activities.missions.submitting import record
from activities.ports import Database, Row, Transaction
from contracts.missions import ResultStatus, Stage
from contracts.missions_calls import EndedAnswer, EndedRequest, GiveUpAnswer, GiveUpRequest
from domain.missions.pacing import may_recover
from domain.missions.results import incomplete_document


class Endings:
    """The activities `mission_ended` and `mission_give_up`; both may be repeated."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @activity.defn(name="mission_ended")
    async def ended(self, request: EndedRequest) -> EndedAnswer:
        """A child's execution is provably over without having told its result."""
        async with named_faults("mission_ended"), self.database.transaction(request.mailbox_id) as tx:
            return await _ended(tx, request)

    @activity.defn(name="mission_look")
    async def look(self, request: EndedRequest) -> EndedAnswer:
        """Only looks whether there is a result: for a child that was started elsewhere under the same id (D5)."""
        async with named_faults("mission_look"), self.database.transaction(request.mailbox_id) as tx:
            row = await tx.one("result_row", request.attempt_id)
        return EndedAnswer(status=ResultStatus(row["status"]) if row else None)

    @activity.defn(name="mission_give_up")
    async def give_up(self, request: GiveUpRequest) -> GiveUpAnswer:
        """A task ends itself without success."""
        async with named_faults("mission_give_up"), self.database.transaction(request.mailbox_id) as tx:
            await tx.run("turn_stage", request.attempt_id, Stage.ADMITTED, [Stage.REQUESTED, Stage.UNCERTAIN])
            attempt = await tx.must("effect_attempt", request.attempt_id)
            return GiveUpAnswer(status=await _without_success(tx, attempt, request.status, request.reason))


async def _ended(tx: Transaction, request: EndedRequest) -> EndedAnswer:
    await tx.run("turn_stage", request.attempt_id, Stage.ADMITTED, [Stage.REQUESTED, Stage.UNCERTAIN])
    attempt = await tx.must("effect_attempt", request.attempt_id)
    row = await tx.one("result_row", request.attempt_id)
    if row is not None:
        return EndedAnswer(status=ResultStatus(row["status"]))
    if attempt["run_suffix"] > request.suffix:
        return await _next_cycle(tx, attempt)
    if request.cancelled or attempt["stage"] == Stage.CANCELLED:
        status = await _without_success(tx, attempt, ResultStatus.CANCELLED, "cancelled")
    elif may_recover(attempt["recovery_used"]):
        await tx.run("result_recovering", request.attempt_id, request.suffix + 1)
        return await _next_cycle(tx, await tx.must("effect_attempt", request.attempt_id))
    else:
        status = await _without_success(tx, attempt, ResultStatus.INCOMPLETE, f"recovery_spent {request.failure}")
    return EndedAnswer(status=status)


async def _next_cycle(tx: Transaction, attempt: Row) -> EndedAnswer:
    """The next execution goes on with the numbers of the last one: same attempt, same ledger scope."""
    last = await tx.must("result_last_turn", attempt["scope"])
    await tx.run("result_close_turns", attempt["scope"], "execution_lost")
    await capacity.release_scope(tx, attempt["mission_id"], attempt["scope"], last["interrupted"])
    return EndedAnswer(
        last_turn_no=last["turn_no"] or 0,
        last_seq=attempt["seq"],
        recovery_used=attempt["recovery_used"],
        interrupted_turn_no=last["interrupted"],
    )


async def _without_success(tx: Transaction, attempt: Row, status: ResultStatus, reason: str) -> ResultStatus:
    """Never `complete`: that only comes from a submission (M69)."""
    await record(tx, attempt, incomplete_document(reason), status)
    await tx.run("result_close_turns", attempt["scope"], reason[:200])
    await capacity.release_scope(tx, attempt["mission_id"], attempt["scope"])
    row = await tx.one("result_row", attempt["attempt_id"])
    return ResultStatus(row["status"]) if row else ResultStatus.CANCELLED
