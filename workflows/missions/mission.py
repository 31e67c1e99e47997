"""One piece of owner-authorised work, held open until an explicit, recorded outcome (M1-M3, M35-M39).

The run loop is the only consumer of one queue. Nothing a model says moves the status: only effects that passed the
ledger, the owner, and the guards below do.
"""

import asyncio
from typing import Any

from pydantic import ValidationError
from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from uuid import UUID

    from contracts.missions import (
        CLOSED,
        EffectKind,
        GateReason,
        GateState,
        ItemKind,
        MissionStatus,
        Mode,
        Pool,
        TurnKind,
    )
    from contracts.missions_calls import (
        Copy,
        EffectAnswer,
        EffectOrder,
        MissionEnd,
        MissionStart,
        Proposal,
        Recorded,
        SlotAsk,
    )
    from domain.missions.pacing import RECOVERY_BUDGET, SLOT_FALLBACK, guard_trips
    from domain.missions.state import MissionState
    from domain.missions.turns import Item, Turn
    from domain.missions.words import goal_item_id
    from workflows.missions.delegating import Delegating
    from workflows.missions.handlers import OwnerHandlers
    from workflows.missions.loop import TurnLoop
    from workflows.missions.shown import announce

UNREPAIRABLE = frozenset({"MailboxGone"})


@workflow.defn(name="MissionWorkflow", failure_exception_types=[ValidationError])
class MissionWorkflow(OwnerHandlers, Delegating, TurnLoop):
    """Holds the mission's state; rules are the domain's, changes of the world are activities'."""

    @workflow.init
    def __init__(self, begin: MissionStart) -> None:
        TurnLoop.__init__(self)
        Delegating.__init__(self)
        self.mission_id, self.mailbox_id = begin.mission_id, begin.mailbox_id
        self.scope = workflow.info().workflow_id
        self.state = (
            MissionState.model_validate_json(begin.carried)
            if begin.carried
            else MissionState(mission_id=begin.mission_id, mailbox_id=begin.mailbox_id, scope=self.scope)
        )
        self.book = self.state.book
        self.fault = ""
        self.resident = bool(begin.carried)
        if not begin.carried:
            self.book.add(Item(item_id=goal_item_id(begin.mission_id), kind=ItemKind.OWNER_INPUT,
                               request_id=f"goal/{begin.mission_id}"))  # fmt: skip

    @workflow.run
    async def run(self, begin: MissionStart) -> MissionEnd:
        """Turn after turn while open; at a gate until the owner speaks; then the end."""
        try:
            await self._live()
        except asyncio.CancelledError:
            self.leave(MissionStatus.CANCELLED, "workflow_cancelled")
        await asyncio.shield(self._close())
        return MissionEnd(mission_id=self.mission_id, status=self.state.status)

    async def _close(self) -> None:
        """The copy of the end, whoever asks meanwhile; then everybody who is still talking to us (V8)."""
        await self.record(force=True)
        announce(self.state)
        await workflow.wait_condition(workflow.all_handlers_finished)

    async def _live(self) -> None:
        while self.state.status not in CLOSED:
            try:
                await self._once()
            except (asyncio.CancelledError, workflow.ContinueAsNewError):
                raise
            except Exception as fault:
                # A plain exception would retry this workflow task for ever, with nobody told (V15).
                workflow.logger.error("unexpected fault in a mission", extra={"fault": type(fault).__name__})
                self.leave(MissionStatus.OWNER_GATE, "fault", GateReason.FAULT, type(fault).__name__)

    async def _once(self) -> None:
        announce(self.state)
        if self.state.status is MissionStatus.OWNER_GATE:
            await self._await_owner()
            return
        if self.fault:
            fault, self.fault = self.fault, ""
            self.leave(MissionStatus.OWNER_GATE, "fault", GateReason.FAULT, fault)
            return
        if not await self._resident():
            return
        await self.retry_waiting()
        if self._open_gate():
            return
        self._roll_over()
        turn = self.book.current or await self._next_turn()
        if turn is not None and self.book.is_current(turn.no):
            await self._take(turn)

    async def _take(self, turn: Turn) -> None:
        """One turn, unless the mission has used up what it was given (M47a)."""
        self._mark(turn)
        if self.state.limit_reached and not turn.attempts:
            self.leave(MissionStatus.OWNER_GATE, "limit_reached", GateReason.LIMIT_REACHED)
            return
        await self.run_turn(turn)

    def _mark(self, turn: Turn) -> None:
        """Every turn says from which gate this stretch of work comes (M54)."""
        turn.resumed_from = self.state.resumed_from

    async def _await_owner(self) -> None:
        await self.record()
        self.resident = False
        await workflow.wait_condition(lambda: self.state.status is not MissionStatus.OWNER_GATE)
        if self.state.status is MissionStatus.OPEN:
            self.state.offer_again()

    async def _resident(self) -> bool:
        """An open mission has a slot, and waits for it where the owner can see it (D16)."""
        if self.resident:
            return True
        self.slot_news = False
        ask = SlotAsk(pool=Pool.RESIDENT_MISSIONS, holder=f"{self.mission_id}@{self.book.gate_epoch}")
        recorded = await self.record(ask)
        self.resident = recorded is None or recorded.granted
        self._wait_reason("" if self.resident or recorded is None else recorded.wait_reason)
        if not self.resident:
            await self.record()
            await self.pause(lambda: self.slot_news or not self.goes_on(), SLOT_FALLBACK, "waits for a mission slot")
        return self.resident

    def _wait_reason(self, reason: str) -> None:
        self.state.wait_reason = reason
        gate = self.state.gates.answered
        if gate is not None:
            gate.wait_reason = reason

    def waits(self, turn: Turn, reason: str) -> None:
        """A refusal of capacity is shown on mission and answered gate, and charged to nothing (M57, M58)."""
        self._wait_reason(reason)

    # ------------------------------------------------------------ what is next

    async def _next_turn(self) -> Turn | None:
        """Real input first, else the continuation after its back-off, none while children work (M109, M110)."""
        turn = self._ready()
        if turn is not None:
            return turn
        planned = self.book.planned
        if planned is None and self._idle():
            planned = self.book.plan(TurnKind.CONTINUATION, self.book.current_no)
        await self.record()
        if planned is not None and not self.state.tasks.live:
            if await self.rest_before(planned, self._news) and not self._news():
                return self.book.take()
            return None
        await self.pause(self._news, SLOT_FALLBACK if self.state.waiting_launches else None, "waits for its tasks")
        return None

    def _ready(self) -> Turn | None:
        planned = self.book.planned
        if planned is not None and planned.kind is not TurnKind.CONTINUATION:
            return self.book.take()
        handoffs = self.state.tasks.in_handoff
        ready = [i for i in self.book.pending if not handoffs or i.kind is ItemKind.HANDOFF_RESULT]
        return self.book.take(only_handoffs=handoffs) if ready else None

    def _idle(self) -> bool:
        """Open, with nothing to wait for: an open mission always has a next turn (M42), but for M124."""
        return not self.state.tasks.live and not self.state.resting and not self.state.gates.waiting

    def _news(self) -> bool:
        handoffs = self.state.tasks.in_handoff
        ready = any(not handoffs or i.kind is ItemKind.HANDOFF_RESULT for i in self.book.pending)
        planned = self.book.planned is not None and self.book.planned.kind is not TurnKind.CONTINUATION
        waking = self.slot_news and bool(self.state.waiting_launches)
        return ready or planned or waking or bool(self.fault) or not self.goes_on() or self.state.gate_is_due \
            or bool(any(self.extra.values())) or (self.book.planned is None and self._idle())  # fmt: skip

    def _roll_over(self) -> None:
        """Continue-as-new only with nothing unresolved (D10)."""
        quiet = not (self.state.tasks.live or self.book.current or self.following_live())
        if workflow.info().is_continue_as_new_suggested() and quiet and workflow.all_handlers_finished():
            self.book.forget_settled()
            self.state.tasks.forget_settled()
            begin = MissionStart(mission_id=self.mission_id, mailbox_id=self.mailbox_id,
                                 carried=self.state.model_dump_json())  # fmt: skip
            workflow.continue_as_new(begin)

    def following_live(self) -> bool:
        """Does anybody still listen to a child?"""
        return any(not task.done() for task in self.following.values())

    # ------------------------------------------------------------ leaving open

    def leave(
        self, status: MissionStatus, reason: str, gate: GateReason | None = None, detail: str = ""
    ) -> None:
        """Out of `open` in one step: turns, transports and children, then the copy by whoever runs next (M77)."""
        if self.state.status in CLOSED:
            return
        if gate is not None:
            self.state.gate(gate, None, detail)
        if status is MissionStatus.OWNER_GATE:
            self._show_gate()
        for attempt_id in self.state.leave_open(status, reason):
            self.end_execution(attempt_id)
        self.closing = True
        if self.turn_call is not None:
            self.turn_call.cancel()

    def _show_gate(self) -> None:
        gate = self.state.gates.waiting
        if gate is not None:
            gate.state = GateState.OPEN_VISIBLE

    def _open_gate(self) -> bool:
        if not self.state.gate_is_due:
            return False
        gate = self.state.gates.waiting
        self.leave(MissionStatus.OWNER_GATE, str(gate.reason) if gate else "gate")
        return True

    # ------------------------------------------------------------ what the loop asks of a mission

    def copied(self) -> Copy:
        """The mission as it stands."""
        return self.state.copied()

    def next_seq(self) -> int:
        """One higher for each copy."""
        self.state.seq += 1
        return self.state.seq

    def successors(self) -> tuple[UUID, ...]:
        """Untouched owner inputs of a completed mission (M119)."""
        return tuple(self.state.successor_items) if self.state.status is MissionStatus.COMPLETED else ()

    def goes_on(self) -> bool:
        """Is it open?"""
        return self.state.status is MissionStatus.OPEN

    def note(self, recorded: Recorded) -> None:
        """Limits and cost as the tables have them."""
        s = self.state
        s.cost_usd = max(s.cost_usd, recorded.cost_usd)
        s.turn_limit = s.turn_limit if s.turn_limit is not None else recorded.turn_limit
        s.cost_limit_usd = s.cost_limit_usd if s.cost_limit_usd is not None else recorded.cost_limit_usd

    def turn_admitted(self, turn: Turn) -> None:
        """The gate whose answer this turn carries is used up now (M55)."""
        if turn.state.value in ("claimed", "sent"):
            self.state.turns_used += 1
            self.state.wait_reason = ""
            self.state.gates.consume(turn.item_ids)
        self.book.admitted(turn)

    def observe_final(self, turn: Turn, fault: str) -> None:
        """A final ends the turn and nothing else; the 65th without progress asks the owner (M2, M33, M47)."""
        self.state.resumes = 0
        waits = bool(self.state.tasks.live) or bool(self.state.gates.waiting)
        self.book.final(turn, waits_for_children=waits)
        if guard_trips(self.book.no_progress):
            self.leave(MissionStatus.OWNER_GATE, "idle_guard", GateReason.IDLE_GUARD, fault)

    def refused_by_provider(self, turn: Turn) -> None:
        """Stored, not continued: only the owner's next input goes on (M124)."""
        self.book.finish(turn, "refused_by_provider")
        self.state.resting = "refused_by_provider"

    async def lost(self, turn: Turn, received: bool, fault: str) -> None:
        """A resume turn, the same turn again, or the owner (D6, M56, M38)."""
        if received:
            self.state.resumes += 1
            if self.state.resumes > RECOVERY_BUDGET:
                self._give_up(fault)
            else:
                self.book.interrupt(turn)
            return
        if await self.try_again(turn) or not self.book.is_current(turn.no):
            return
        self.book.undelivered(turn)
        if not any(item.kind is ItemKind.OWNER_INPUT for item in self.book.pending):
            self.leave(MissionStatus.OWNER_GATE, "delivery_failed", GateReason.DELIVERY_FAILED, fault)

    def _give_up(self, fault: str) -> None:
        """The recovery path is spent: what nobody can repair fails, everything else is put before the owner."""
        if fault in UNREPAIRABLE:
            self.leave(MissionStatus.FAILED, fault)
        else:
            self.leave(MissionStatus.OWNER_GATE, "fault", GateReason.FAULT, fault)

    async def took(self, turn: Turn, proposal: Proposal, order: EffectOrder, answer: EffectAnswer) -> None:
        """What an effect means for the mission."""
        match proposal.kind:
            case EffectKind.LAUNCH:
                child = self.launched(order, answer) if answer.code != "duplicate" else None
                if child is not None and proposal.mode is Mode.HANDOFF:
                    self.book.finish(turn, "handoff")
            case EffectKind.ACKNOWLEDGE if answer.acknowledged is not None:
                if self.state.tasks.acknowledge(answer.acknowledged):
                    self.extra["retired"].append(answer.acknowledged)
            case EffectKind.GATE if answer.done and answer.code != "duplicate":
                self._ask_owner(turn, proposal)
            case EffectKind.COMPLETE if answer.done:
                self.book.finish(turn, "completed")
                self.leave(MissionStatus.COMPLETED, "completed")

    def _ask_owner(self, turn: Turn, proposal: Proposal) -> None:
        self.book.finish(turn, "gate_requested")
        if self.state.gates.waiting is None and proposal.gate_reason is not None:
            self.state.gate(proposal.gate_reason, proposal.ref)

    @workflow.query(name="tree")
    def tree(self) -> dict[str, Any]:
        """The mission as its workflow sees it: for people and tools; ids, enums and numbers only."""
        s = self.state
        return {
            "status": s.status,
            "gate_epoch": s.book.gate_epoch,
            "turn": s.book.current_no,
            "no_progress": s.book.no_progress,
            "barrier": s.tasks.barrier,
            "wait_reason": s.wait_reason,
            "children": [child.model_dump(mode="json") for child in s.tasks.children],
            "gates": [gate.model_dump(mode="json") for gate in s.gates.gates],
            "pending": [item.model_dump(mode="json") for item in s.book.pending],
        }

