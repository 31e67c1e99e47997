"""One bounded job in one execution: it works until it has handed in a result, and ends with nothing else (M4, D13).

A task that cannot go on ends `incomplete`; only a validated submission makes a `complete` one (M69).
"""

import asyncio

from pydantic import ValidationError
from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from contracts.missions import EffectKind, ItemKind, ItemState, MissionStatus, ResultStatus, TurnKind
    from contracts.missions_calls import (
        Copy,
        EffectAnswer,
        EffectOrder,
        GiveUpAnswer,
        GiveUpRequest,
        Proposal,
        TaskEnd,
        TaskStart,
    )
    from contracts.workflow import Wake
    from domain.missions.pacing import guard_trips, may_recover
    from domain.missions.state import item_copy, turn_copy
    from domain.missions.turns import Item, Turn, TurnBook
    from domain.missions.words import task_item_id
    from workflows import policies
    from workflows.calls import start
    from workflows.missions.loop import TurnLoop

ENDED = {
    ResultStatus.COMPLETE: MissionStatus.COMPLETED,
    ResultStatus.INCOMPLETE: MissionStatus.FAILED,
    ResultStatus.CANCELLED: MissionStatus.CANCELLED,
}


@workflow.defn(name="TaskWorkflow", failure_exception_types=[ValidationError])
class TaskWorkflow(TurnLoop):
    """The same loop as a mission, without gates and without children."""

    @workflow.init
    def __init__(self, begin: TaskStart) -> None:
        super().__init__()
        self.mission_id, self.mailbox_id = begin.mission_id, begin.mailbox_id
        self.scope, self.attempt_id = begin.scope, begin.attempt_id
        self.book = TurnBook(last_no=begin.last_turn_no, current_no=begin.last_turn_no)
        self.seq = begin.last_seq
        self.recovery_used = begin.recovery_used
        self.result: ResultStatus | None = None
        self.wait_reason = ""
        self.spent = ""
        self._first(begin)

    def _first(self, begin: TaskStart) -> None:
        """A first execution has its job as input; a recovery carries on the turn that was cut off (M73)."""
        job = Item(item_id=task_item_id(begin.attempt_id), kind=ItemKind.TASK, ref=str(begin.attempt_id))
        item = self.book.add(job)
        if begin.suffix and begin.interrupted_turn_no is not None:
            self.book.plan(TurnKind.RECOVERY, begin.interrupted_turn_no).item_ids = [item.item_id]
            item.state = ItemState.DELIVERED

    @workflow.run
    async def run(self, begin: TaskStart) -> TaskEnd:
        """Turn after turn until there is a result."""
        try:
            while self.result is None:
                await self._guarded()
        except asyncio.CancelledError:
            self.book.fence("cancelled")
            await asyncio.shield(self._give_up("cancelled", ResultStatus.CANCELLED))
        await asyncio.shield(self._close())
        assert self.result is not None
        return TaskEnd(attempt_id=begin.attempt_id, status=self.result)

    async def _guarded(self) -> None:
        try:
            await self._once()
        except asyncio.CancelledError:
            raise
        except Exception as fault:
            # A plain exception would retry this workflow task for ever (V15).
            workflow.logger.error("unexpected fault in a task", extra={"fault": type(fault).__name__})
            await self._give_up(f"fault {type(fault).__name__}")

    async def _close(self) -> None:
        """The last copy, with everything given back."""
        self.book.fence("closed")
        self.closing = True
        await self.record(force=True)
        await workflow.wait_condition(workflow.all_handlers_finished)

    async def _once(self) -> None:
        if self.spent:
            await self._give_up(self.spent)
            return
        turn = self.book.current or await self._next()
        if turn is not None:
            await self.run_turn(turn)

    async def _next(self) -> Turn | None:
        planned = self.book.planned
        if planned is not None and planned.kind is TurnKind.CONTINUATION and not self.book.pending:
            await self.record()
            if not await self.rest_before(planned, lambda: bool(self.book.pending)):
                return None
        return self.book.take()

    def copied(self) -> Copy:
        """The task as it stands."""
        return Copy(
            mission_id=self.mission_id,
            mailbox_id=self.mailbox_id,
            scope=self.scope,
            workflow_id=workflow.info().workflow_id,
            attempt_id=self.attempt_id,
            seq=self.seq,
            status=ENDED[self.result] if self.result else MissionStatus.OPEN,
            current_turn_no=self.book.current_no,
            no_progress=self.book.no_progress,
            recovery_used=self.recovery_used,
            wait_reason=self.wait_reason,
            turns=tuple(turn_copy(turn) for turn in self.book.turns),
            items=tuple(item_copy(item) for item in self.book.items),
        )

    def next_seq(self) -> int:
        """One higher for each copy, through all executions of the attempt."""
        self.seq += 1
        return self.seq

    def goes_on(self) -> bool:
        """Is there no result yet?"""
        return self.result is None

    def waits(self, turn: Turn, reason: str) -> None:
        """Shown on the attempt."""
        self.wait_reason = reason

    def turn_admitted(self, turn: Turn) -> None:
        """Nothing is waited for any more."""
        self.wait_reason = ""
        self.book.admitted(turn)

    async def took(self, turn: Turn, proposal: Proposal, order: EffectOrder, answer: EffectAnswer) -> None:
        """A recorded result is the end; a refused one is told to the agent (M104, M105)."""
        if proposal.kind is EffectKind.RESULT and answer.result_status is not None:
            self.book.finish(turn, "result")
            self.result = answer.result_status
        elif answer.code.startswith("attempt_") or answer.code in ("mission_not_open", "other_content"):
            self.book.finish(turn, answer.code)
            self.result = ResultStatus.CANCELLED

    def observe_final(self, turn: Turn, fault: str) -> None:
        """A final without a result is no result; the 65th in a row ends the task (M106, D13)."""
        self.book.final(turn, waits_for_children=False)
        if guard_trips(self.book.no_progress):
            self.spent = "idle_guard"

    def refused_by_provider(self, turn: Turn) -> None:
        """Nobody else gives a task input: it reports that it could not go on (M124)."""
        self.book.finish(turn, "refused_by_provider")
        self.spent = "refused_by_provider"

    async def lost(self, turn: Turn, received: bool, fault: str) -> None:
        """The attempt's one recovery budget, or the delivery budget (M122, M113)."""
        if received:
            if may_recover(self.recovery_used):
                self.recovery_used += 1
                self.book.interrupt(turn)
            else:
                await self._give_up(f"recovery_spent {fault}")
            return
        if not await self.try_again(turn):
            await self._give_up("input_never_admitted")

    async def _give_up(self, reason: str, status: ResultStatus = ResultStatus.INCOMPLETE) -> None:
        assert self.attempt_id is not None
        self.book.fence(reason[:100])
        request = GiveUpRequest(mission_id=self.mission_id, mailbox_id=self.mailbox_id, attempt_id=self.attempt_id,
                                reason=reason[:200], status=status)  # fmt: skip
        answer = await start("mission_give_up", request, GiveUpAnswer, policies.MISSION_LOCAL, "without a result")
        self.result = answer.status

    @workflow.signal(name="slot_granted")
    def slot_granted(self, wake: Wake) -> None:
        """A model slot was granted."""
        self.slot_news = True
