"""The story of one message, from its stored bytes to `sent`, `rejected` or `archived` (P10)."""

import asyncio
from datetime import datetime, timedelta

from pydantic import ValidationError
from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from contracts.lifecycle import (
        Act,
        Command,
        Due,
        EndStep,
        Enter,
        FailStep,
        Look,
        Outcome,
        Receive,
        SendResult,
        View,
    )
    from contracts.status import TERMINAL, HoldReason, Result, Status, StepKind
    from contracts.steps import Route, RunContext, StepInput
    from contracts.workflow import (
        DeliverRequest,
        DeliverResult,
        DeliverState,
        HumanRequest,
        MessageEnd,
        MessageStart,
        ParseRequest,
        ParseResult,
        PoisonRequest,
        WriteReply,
    )
    from workflows import policies
    from workflows.calls import cause_of, start
    from workflows.review_handlers import ReviewHandlers
    from workflows.stage import announce

PAUSE = timedelta(seconds=2)
SEND_PAUSE = timedelta(seconds=5)
MOST_DOUBLINGS = 7
WORKING = frozenset({Status.SECURITY_CHECK, Status.CLASSIFYING, Status.DRAFTING})


@workflow.defn(name="InboundMessageWorkflow", failure_exception_types=[ValidationError])
class InboundMessageWorkflow(ReviewHandlers):
    """Holds the newest view of its message and does what the view says is next; it holds no rule of its own."""

    @workflow.init
    def __init__(self, begin: MessageStart) -> None:
        self.message_id = begin.message_id
        self.view: View | None = None
        self.skew = timedelta()
        self.woken = False
        self.signals = 0
        self.parsed: ParseResult | None = None
        self.step_call: workflow.ActivityHandle | None = None  # type: ignore[type-arg]
        self.announced: Status | None = None
        self.parsing = asyncio.Lock()
        self.idle_rounds = 0
        self.lost_sends = 0
        self.rested = False

    @workflow.run
    async def run(self, begin: MessageStart) -> MessageEnd:
        """Parse, receive, then one thing after the other until the message is terminal and nobody is talking to it."""
        await self._arrive(begin)
        while True:
            while self._status() not in TERMINAL:
                await self._next_or_pause()
            announce(self)
            await workflow.wait_condition(workflow.all_handlers_finished)
            if self._status() in TERMINAL:
                return MessageEnd(message_id=self.message_id, status=self._status())

    async def _next_or_pause(self) -> None:
        """A round that neither waited nor changed anything is followed by a pause that doubles: no fault can spin."""
        seq, self.rested = self._now().seq, False
        await self._next()
        self.idle_rounds = 0 if self.rested or self._now().seq != seq else self.idle_rounds + 1
        if self.idle_rounds:
            await self._rest_for(PAUSE * 2 ** min(self.idle_rounds - 1, MOST_DOUBLINGS), "nothing changed yet")

    async def _next(self) -> None:
        announce(self)
        if workflow.info().is_continue_as_new_suggested():
            await workflow.wait_condition(workflow.all_handlers_finished)
            workflow.continue_as_new(MessageStart(message_id=self.message_id, resumed=True))
        match self._status():
            case Status.RECEIVED:
                await self._leave_received()
            case Status.SECURITY_CHECK | Status.CLASSIFYING | Status.DRAFTING:
                await self._walk()
            case Status.DRAFT_READY:
                await self._await_review()
            case Status.APPROVED:
                await self._send()
            case Status.FAILED:
                await self._await_retry()
            case _:
                await self._rest(None, "waits for a person")

    async def _arrive(self, begin: MessageStart) -> None:
        if begin.restore is not None:
            await self._apply(begin.restore)
        elif begin.resumed:
            await self._look()
        if self.view is None:
            await self._read()
        if self.view is None:
            await self.lifecycle(Receive(), "receive", "workflow", None)

    async def _read(self) -> None:
        """Parses the stored bytes; unreadable mail waits here for a person (RC11, RC14)."""
        self.parsed = await self._parse(ParseRequest(message_id=self.message_id))
        if self.parsed.poison_reason:
            workflow.set_current_details(f"**poison**: {self.parsed.poison_reason}; waits for a person")
            await workflow.wait_condition(lambda: not self.poisoned() or self.view is not None)

    def poisoned(self) -> bool:
        """Is this mail in the poison lane?"""
        return self.view is None and self.parsed is not None and bool(self.parsed.poison_reason)

    async def _parse(self, request: ParseRequest) -> ParseResult:
        try:
            return await start("parse", request, ParseResult, policies.PARSE_LOCAL, "parse")
        except FailureError:
            return await start("parse", request, ParseResult, policies.PARSE_REMOTE, "parse (slow)")

    async def _leave_received(self) -> None:
        view = self._now()
        hold = view.hold_reason
        if hold is not None and await self._rest(view.hold_until, f"hold: {hold}") is False:
            return
        if hold is HoldReason.AUTOMATIC:
            await self.lifecycle(Due(what="automatic"), f"automatic/{view.run_no}", "timer", None)
            return
        await self._enter(view)

    async def _enter(self, view: View) -> None:
        """Named by what was seen, for a hold may begin and end more than once; Enter itself asks the row (P16)."""
        step = view.step or view.failed_step or StepKind.SECURITY_SCAN
        outcome = await self.lifecycle(Enter(), f"{_run(view)}:{step}:begin/{view.seq}", "workflow", None)
        if outcome.result is Result.ILLEGAL_EDGE and view.failed_step:
            await self._give_up(view, StepKind(view.failed_step), "CannotResume", "resume")

    async def _walk(self) -> None:
        view = self._now()
        if view.hold_reason is not None:
            await self._rest(view.hold_until, f"hold: {view.hold_reason}")
            if self._now().hold_reason is not None and self._status() in WORKING:
                await self._enter(self._now())
            return
        step = view.step or StepKind.SECURITY_SCAN
        try:
            route = await self._run_step(view, step)
            end = EndStep(step=step, to=route.to, next_step=route.next_step, reason=route.reason, hold=route.hold)
            outcome = await self.lifecycle(end, f"{_run(view)}:{step}:end", "workflow", None)
        except FailureError as error:
            await self._step_failed(view, step, error)
            return
        now = self._now()
        if not outcome.ok and (now.status, now.step, _run(now)) == (view.status, view.step, _run(view)):
            await self._give_up(view, step, f"Refused.{outcome.result}", "refused")

    async def _give_up(self, view: View, step: StepKind, error_type: str, cause: str) -> None:
        """What can neither go on nor was overtaken by anybody fails where a person sees it (P30, P39)."""
        act = FailStep(step=step, error_type=error_type, permanent=True)
        await self.lifecycle(act, f"{_run(view)}:{step}:{cause}", "workflow", None)

    async def _run_step(self, view: View, step: StepKind) -> Route:
        run = RunContext(
            message_id=view.message_id,
            mailbox_id=view.mailbox_id,
            thread_id=view.thread_id,
            run_no=view.run_no,
            restart_no=view.restart_no,
            agent_on=view.agent_on,
        )
        self.step_call = start(step, StepInput(run=run, step=step), Route, policies.STEPS[step], f"run {view.run_no}")
        try:
            return await self.step_call
        finally:
            self.step_call = None

    async def _step_failed(self, view: View, step: StepKind, error: FailureError) -> None:
        if is_cancelled_exception(error):
            return
        cause = cause_of(error)
        kind = (cause.type if isinstance(cause, ApplicationError) else type(cause).__name__) or "Unknown"
        permanent = isinstance(cause, ApplicationError) and cause.non_retryable and not kind.startswith("Unexpected")
        act = FailStep(step=step, error_type=kind, permanent=permanent)
        await self.lifecycle(act, f"{_run(view)}:{step}:end", "workflow", None)

    async def _await_review(self) -> None:
        view = self._now()
        until = None if view.review_overdue else view.review_due_at
        if await self._rest(until, "review due") and until is not None:
            await self.lifecycle(Due(what="review"), f"review/{_run(view)}:{until.isoformat()}", "timer", None)

    async def _await_retry(self) -> None:
        view = self._now()
        if await self._rest(view.hold_until, "retry") and view.hold_until is not None:
            await self.lifecycle(Due(what="retry"), f"retry/{_run(view)}", "timer", None)

    async def _send(self) -> None:
        """Undo window, then one hand-over; a doubt is looked into and then shown, never sent again (P102, P103)."""
        view = self._now()
        if view.hold_reason is HoldReason.DELIVERY_AMBIGUOUS:
            await self._settle_doubt(view)
            return
        if await self._rest(view.send_at, "undo window") is False:
            return
        if view.outbox_id is None:
            await self._rest(None, "approved without an outbox row")
            return
        await self._deliver(view)

    async def _deliver(self, view: View) -> None:
        request = DeliverRequest(outbox_id=view.outbox_id, message_id=view.message_id, mailbox_id=view.mailbox_id)
        retry_in = None
        try:
            result = await start("deliver", request, DeliverResult, policies.DELIVER, "hand over")
            retry_in = (
                result.retry_in_s if result.state in (DeliverState.NOT_CLAIMED, DeliverState.FAILED_SAFE) else None
            )
        except ActivityError:
            self.lost_sends += 1
            workflow.logger.warning("the send activity was lost; its outbox row decides")
        else:
            self.lost_sends = 0
        if retry_in is not None:
            await self._look()
            if self._status() is Status.APPROVED and self._now().outbox_id == view.outbox_id:
                await self._rest_for(timedelta(seconds=retry_in), "delivery back-off")
            return
        cause = f"send/{view.outbox_id}"
        await self.lifecycle(SendResult(outbox_id=view.outbox_id), cause, "workflow", None)
        if self._status() is Status.APPROVED and self._now().hold_reason is None:
            await self._rest_for(SEND_PAUSE * 2 ** min(self.lost_sends, MOST_DOUBLINGS), "send again not before")

    async def _settle_doubt(self, view: View) -> None:
        request = DeliverRequest(outbox_id=view.outbox_id, message_id=view.message_id, mailbox_id=view.mailbox_id)
        for pause in policies.RECONCILE_AFTER:
            if not await self._rest_for(pause, "look for proof of delivery"):
                return
            try:
                result = await start("reconcile", request, DeliverResult, policies.RECONCILE, "reconcile")
            except ActivityError:
                result = DeliverResult(state=DeliverState.AMBIGUOUS)
            if self._now().seq != view.seq:
                return
            if result.state is not DeliverState.AMBIGUOUS:
                cause = f"proof/{view.outbox_id}/{result.state}"
                await self.lifecycle(SendResult(outbox_id=view.outbox_id), cause, "workflow", None)
                return
        await self._rest(None, "delivery in doubt; waits for a person")

    async def human(self, request: HumanRequest) -> Outcome:
        """One reviewer's action: the lifecycle decides, the main loop follows."""
        cause = f"req:{request.request_id}"
        async with self.parsing:
            await workflow.wait_condition(lambda: self.view is not None or self.poisoned())
            if self.view is None:
                act = await self._by_hand(request.act)
                return await self.lifecycle(act, cause, request.actor, request.request_id)
        return await self.lifecycle(request.act, cause, request.actor, request.request_id)

    async def _by_hand(self, act: Act) -> Receive:
        """Poisoned mail is answered from a stub of its headers (RC11)."""
        if not isinstance(act, WriteReply):
            raise ApplicationError("this mail was not received", type="WrongStatus")
        await self._parse(ParseRequest(message_id=self.message_id, stub=True))
        return Receive(reply_note_id=act.note_id)

    @workflow.update(name="parse_again")
    async def parse_again(self, request: PoisonRequest) -> ParseResult:
        """Parse poisoned mail anew, by a newer parser."""
        return await self._reparse(request)

    @workflow.update(name="deliver_to")
    async def deliver_to(self, request: PoisonRequest) -> ParseResult:
        """Give mail for nobody of ours to a mailbox."""
        return await self._reparse(request)

    @parse_again.validator
    def _may_parse_again(self, request: PoisonRequest) -> None:
        self._refuse_unless_poison()

    @deliver_to.validator
    def _may_deliver_to(self, request: PoisonRequest) -> None:
        self._refuse_unless_poison()

    def _refuse_unless_poison(self) -> None:
        if not self.poisoned():
            raise ApplicationError("this mail is not in the poison lane", type="WrongStatus")

    async def _reparse(self, request: PoisonRequest) -> ParseResult:
        again = ParseRequest(
            message_id=self.message_id,
            deliver_to=request.mailbox_id,
            actor=request.actor,
            request_id=request.request_id,
        )
        async with self.parsing:
            if self.poisoned() or self.parsed is None:
                self.parsed = await self._parse(again)
        return self.parsed

    async def lifecycle(self, act: Act, cause: str, actor: str, request_id: str | None) -> Outcome:
        """One call of the only writer of status."""
        command = Command(
            message_id=self.message_id,
            cause_key=cause,
            actor=actor,
            workflow_run_id=workflow.info().run_id,
            request_id=request_id,
            act=act,
        )
        return await self._apply(command)

    async def _apply(self, command: Command) -> Outcome:
        outcome: Outcome = await start("lifecycle", command, Outcome, policies.LIFECYCLE, command.act.kind)
        if outcome.result is Result.MESSAGE_NOT_FOUND:
            raise ApplicationError("the message does not exist", type="MessageNotFound", non_retryable=True)
        self._adopt(outcome.view)
        return outcome

    async def _look(self) -> None:
        await self.lifecycle(Look(), "look", "workflow", None)

    def _adopt(self, view: View | None) -> None:
        """Keeps the newest view; a step overtaken by a person is cancelled."""
        if view is None or (self.view is not None and view.seq < self.view.seq):
            return
        self.view, self.skew = view, workflow.now() - view.now
        if self.step_call is not None and view.status is Status.DRAFT_READY:
            self.step_call.cancel()

    async def _rest(self, until: datetime | None, summary: str) -> bool:
        """Waits for a change, a wake or the time; True if the time came first, or there was none to wait for."""
        if until is None and summary == "undo window":
            return True
        return await self._rest_for(None if until is None else until - (workflow.now() - self.skew), summary)

    async def _rest_for(self, pause: timedelta | None, summary: str) -> bool:
        seq = self._now().seq
        if pause is not None and pause <= timedelta():
            return True
        self.rested = True
        try:
            await workflow.wait_condition(
                lambda: self.woken or self._now().seq != seq, timeout=pause, timeout_summary=summary
            )
        except TimeoutError:
            return True
        if self.woken:
            self.woken = False
            await self._look()
        return False

    def _now(self) -> View:
        assert self.view is not None
        return self.view

    def _status(self) -> Status:
        return self._now().status


def _run(view: View) -> str:
    return f"{view.run_no}.{view.restart_no}"
