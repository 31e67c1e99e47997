"""What missions and tasks have in common: one turn after the other, each dispatched once and carried on when cut off.

State changes happen in plain methods; every wait is followed by the question whether the turn is still the current one.
"""

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from uuid import UUID

    from contracts.missions import Pool, TurnEnd, TurnKind, TurnState
    from contracts.missions_calls import (
        Answer,
        Copy,
        EffectAnswer,
        EffectOrder,
        Proposal,
        ReclaimRequest,
        ReclaimResult,
        Recorded,
        RecordRequest,
        SlotAsk,
        TurnRequest,
        TurnResult,
    )
    from domain.missions.pacing import SLOT_FALLBACK, continuation_wait, debounce, delivery_wait, settle_idle
    from domain.missions.turns import Turn, TurnBook
    from workflows import policies
    from workflows.calls import cause_of, start

BUILD_PAUSES_S = (1, 2, 5, 10, 30)
RECORD_ENDS = {TurnEnd.NOT_ADMITTED, TurnEnd.INTERRUPTED}


class TurnLoop:
    """Mixed into both workflows, which say what a final, a loss and a proposal mean to them."""

    book: TurnBook
    mission_id: UUID
    mailbox_id: UUID
    scope: str
    attempt_id: UUID | None = None

    def __init__(self) -> None:
        self.slot_news = False
        self.releases: list[str] = []
        self.extra: dict[str, list[UUID]] = {"launched": [], "cancelled": [], "fenced": [], "retired": []}
        self.closing = False
        self.turn_call: Any = None
        self.copied_before: str = ""
        self.copying = asyncio.Lock()

    # ------------------------------------------------------------ to be said by the workflow

    def copied(self) -> Copy:
        """The current state."""
        raise NotImplementedError

    def next_seq(self) -> int:
        """Raises the sequence number."""
        raise NotImplementedError

    def goes_on(self) -> bool:
        """Is the workflow open?"""
        raise NotImplementedError

    async def took(self, turn: Turn, proposal: Proposal, order: EffectOrder, answer: EffectAnswer) -> None:
        """Follows up an effect in the workflow's own state."""
        raise NotImplementedError

    def observe_final(self, turn: Turn, fault: str) -> None:
        """An ordinary final: counted, never believed."""
        raise NotImplementedError

    async def lost(self, turn: Turn, received: bool, fault: str) -> None:
        """The dispatch did not come back."""
        raise NotImplementedError

    def refused_by_provider(self, turn: Turn) -> None:
        """The provider's policy ended the turn (M124)."""
        raise NotImplementedError

    def note(self, recorded: Recorded) -> None:
        """News from the tables."""

    def turn_admitted(self, turn: Turn) -> None:
        """The turn's receipt was taken."""
        self.book.admitted(turn)

    # ------------------------------------------------------------ copies

    async def record(self, ask: SlotAsk | None = None, *, force: bool = False) -> Recorded | None:
        """Copies the state if it changed or something goes with it; one at a time, so that numbers rise in order."""
        async with self.copying:
            fresh = self.copied().model_dump_json(exclude={"seq"})
            if not (force or ask or self.releases or self.closing or any(self.extra.values())):
                if fresh == self.copied_before:
                    return None
            self.next_seq()
            request = RecordRequest(
                copy_of=self.copied(),
                released=tuple(self.releases),
                closing=self.closing,
                successor_items=self.successors(),
                ask=ask,
                **{name: tuple(ids) for name, ids in self.extra.items()},
            )
            self.releases, self.extra = [], {name: [] for name in self.extra}
            self.closing, self.copied_before = False, fresh
            recorded: Recorded = await start("mission_record", request, Recorded, policies.MISSION_LOCAL, "copy")
            self.note(recorded)
            return recorded

    def successors(self) -> tuple[UUID, ...]:
        """Inputs that go to a successor mission (M119)."""
        return ()

    # ------------------------------------------------------------ one turn

    def lease(self, turn: Turn) -> str:
        """The holder of the model slot of a turn."""
        return f"{self.scope}#{turn.no}"

    async def acquire(self, turn: Turn) -> bool:
        """A model slot for the turn; a refusal waits visibly and spends nothing (M57, M58, M113)."""
        old = f"{self.scope}#{turn.continues}" if turn.kind in (TurnKind.RESUME, TurnKind.RECOVERY) else ""
        if old in self.releases:
            self.releases.remove(old)
        ask = SlotAsk(pool=Pool.MODEL_EXECUTIONS, holder=self.lease(turn), transfer_from=old)
        while self.book.is_current(turn.no):
            self.slot_news = False
            recorded = await self.record(ask)
            if recorded is None or recorded.granted:
                turn.wait_reason = ""
                return self.book.is_current(turn.no)
            self.book.put_back(turn, recorded.wait_reason)
            self.waits(turn, recorded.wait_reason)
            await self.record()
            await self.pause(lambda: self.slot_news or self._overtaken(turn), SLOT_FALLBACK, "waits for a model slot")
            if self._overtaken(turn):
                self._give_way(turn)
        self.releases.append(self.lease(turn))
        return False

    def waits(self, turn: Turn, reason: str) -> None:
        """The wait is shown where the owner looks."""

    def _overtaken(self, turn: Turn) -> bool:
        real = turn.kind is TurnKind.CONTINUATION and bool(self.book.pending)
        return real or not self.book.is_current(turn.no)

    def _give_way(self, turn: Turn) -> None:
        """A continuation that waits for room is replaced by real input like any other waiting one (M62)."""
        if self.book.is_current(turn.no):
            turn.state, turn.superseded_by = TurnState.SUPERSEDED, self.book.last_no + 1

    async def run_turn(self, turn: Turn) -> None:
        """Dispatch, answers, next step, until control is handed back; stale proposals are dropped (D7, M63)."""
        if not await self.acquire(turn):
            return
        turn.token = turn.token or str(workflow.uuid4())
        step, idle = 0, False
        answers: tuple[Answer, ...] = ()
        while True:
            out = await self.dispatch(turn, step, answers)
            if not self.book.is_current(turn.no):
                break
            if out.end in RECORD_ENDS or out.end is TurnEnd.CUT:
                await self._lost(turn, out, step)
                break
            self.turn_admitted(turn)
            if out.end is TurnEnd.NEEDS_ANSWERS:
                answers = await self.apply(turn, out.proposals)
                if not self.book.is_current(turn.no) or self._ended_by(turn):
                    break
                step += 1
                continue
            idle, end = settle_idle(idle, out.end)
            if end is None:
                await self.pause(lambda: not self.book.is_current(turn.no), debounce(out.progress), "idle?")
                step, answers = step + 1, ()
                continue
            self._end(turn, end, out.fault)
            break
        if not self.book.is_current(turn.no):
            self.releases.append(self.lease(turn))

    def _end(self, turn: Turn, end: TurnEnd, fault: str) -> None:
        if end is TurnEnd.REFUSED:
            self.refused_by_provider(turn)
        else:
            self.observe_final(turn, fault)

    def _ended_by(self, turn: Turn) -> bool:
        """Did an effect hand control back: a handoff, a gate, an end?"""
        return turn.state not in (TurnState.CLAIMED, TurnState.SENT, TurnState.ADMITTED)

    async def dispatch(self, turn: Turn, step: int, answers: tuple[Answer, ...]) -> TurnResult:
        """One step in a worker; whatever goes wrong there is an interruption here."""
        request = TurnRequest(
            mission_id=self.mission_id,
            mailbox_id=self.mailbox_id,
            scope=self.scope,
            turn_no=turn.no,
            generation=turn.generation,
            step=step,
            kind=turn.kind,
            token=turn.token,
            attempt_id=self.attempt_id,
            item_ids=tuple(turn.item_ids),
            continues_turn_no=turn.continues,
            resume_token=turn.resume_token,
            resumed_from=turn.resumed_from,
            answers=answers,
        )
        summary = f"turn {turn.no} {turn.kind}" + (f", step {step + 1}" if step else "")
        self.turn_call = start("mission_turn", request, TurnResult, policies.MISSION_TURN, summary)
        try:
            result: TurnResult = await self.turn_call
            return result
        except FailureError as error:
            if is_cancelled_exception(error) and self.goes_on():
                raise
            return TurnResult(end=TurnEnd.INTERRUPTED, fault=_kind(error))
        finally:
            self.turn_call = None

    async def _lost(self, turn: Turn, out: TurnResult, step: int) -> None:
        """Reads the receipt: none means the same turn again, one means a new turn carries it on (D6, M73, M89)."""
        ask = ReclaimRequest(scope=self.scope, turn_no=turn.no, generation=turn.generation)
        found = await start("mission_reclaim", ask, ReclaimResult, policies.MISSION_LOCAL, "was it received?")
        if not self.book.is_current(turn.no):
            return
        if found.received:
            self.turn_admitted(turn)
        else:
            self.book.again(turn, found.generation)
        await self.lost(turn, found.received, out.fault)

    async def try_again(self, turn: Turn) -> bool:
        """Waits before the same turn is handed over again; False when its delivery budget is spent (M113)."""
        pause = delivery_wait(turn.attempts)
        if pause is None:
            return False
        await self.pause(lambda: not self.book.is_current(turn.no), pause, "hands the turn over again")
        return True

    # ------------------------------------------------------------ effects

    async def apply(self, turn: Turn, proposals: tuple[Proposal, ...]) -> tuple[Answer, ...]:
        """One after the other; from the moment the turn is no longer current, the rest is dropped."""
        answers: list[Answer] = []
        for proposal in proposals:
            if not self.book.is_current(turn.no):
                break
            order = self.order(turn, proposal)
            answer = await self.effect(order)
            await self.took(turn, proposal, order, answer)
            answers.append(Answer(ref=proposal.ref, ok=answer.done and answer.code != "duplicate", code=answer.code))
        return tuple(answers)

    def order(self, turn: Turn, proposal: Proposal) -> EffectOrder:
        """The claim; its token is the same after every crash."""
        return EffectOrder(
            mission_id=self.mission_id,
            mailbox_id=self.mailbox_id,
            scope=self.scope,
            turn_no=turn.no,
            gate_epoch=self.book.gate_epoch,
            kind=proposal.kind,
            key=proposal.key,
            ref=proposal.ref,
            digest=proposal.digest,
            token=f"{self.scope}#{turn.no}/{proposal.ref}",
            attempt_id=self.attempt_id,
        )

    async def effect(self, order: EffectOrder) -> EffectAnswer:
        """Claimed by the current build only: another one is refused and asked again elsewhere, later (M80, M81)."""
        answer: EffectAnswer = await start(
            "mission_effect", order, EffectAnswer, policies.MISSION_LOCAL, f"{order.kind} {order.key}"[:200]
        )
        tries = 0
        while answer.code == "build_not_current" and self.goes_on():
            pause = BUILD_PAUSES_S[min(tries, len(BUILD_PAUSES_S) - 1)]
            await self.pause(lambda: not self.goes_on(), timedelta(seconds=pause), "waits for the current build")
            answer = await start("mission_effect", order, EffectAnswer, policies.MISSION_REMOTE, str(order.kind))
            tries += 1
        return answer

    # ------------------------------------------------------------ waiting

    async def pause(self, until: Any, longest: timedelta | None, why: str) -> bool:
        """Waits for a condition, at most so long; True if it holds."""
        try:
            await workflow.wait_condition(until, timeout=longest, timeout_summary=why)
            return True
        except TimeoutError:
            return False

    async def rest_before(self, turn: Turn, news: Any) -> bool:
        """The back-off of a planned continuation; news ends it early. True if the turn is due (M41, M114)."""
        wait = continuation_wait(self.book.no_progress)
        if not wait:
            return True
        return not await self.pause(news, wait, f"continues after {self.book.no_progress} finals")


def _kind(error: FailureError) -> str:
    cause = cause_of(error)
    return (cause.type if isinstance(cause, ApplicationError) else type(cause).__name__) or "Unknown"
