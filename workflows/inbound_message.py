"""The story of one message, from its stored bytes to `sent`, `rejected` or `archived` (P10)."""

from datetime import timedelta

from pydantic import ValidationError
from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from contracts.lifecycle import Due, EndStep, Enter, FailStep, Receive, View
    from contracts.status import TERMINAL, HoldReason, Result, Status, StepKind
    from contracts.steps import Route, RunContext, StepInput
    from contracts.workflow import MessageEnd, MessageStart
    from workflows import policies
    from workflows.calls import cause_of, start
    from workflows.hand_over import HandOver
    from workflows.poison_handlers import PoisonHandlers
    from workflows.review_handlers import ReviewHandlers
    from workflows.stage import announce
    from workflows.story_frame import run_of

PAUSE = timedelta(seconds=2)
MOST_DOUBLINGS = 7
WORKING = frozenset({Status.SECURITY_CHECK, Status.CLASSIFYING, Status.DRAFTING})


@workflow.defn(name="InboundMessageWorkflow", failure_exception_types=[ValidationError])
class InboundMessageWorkflow(PoisonHandlers, HandOver, ReviewHandlers):
    """Holds the newest view of its message and does what the view says is next; it holds no rule of its own."""

    @workflow.init
    def __init__(self, begin: MessageStart) -> None:
        super().__init__(begin)
        self.signals = 0
        self.announced: Status | None = None
        self.idle_rounds = 0

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

    async def _leave_received(self) -> None:
        view = self._now()
        hold = view.hold_reason
        if hold is not None and await self._rest(view.hold_until, f"hold: {hold}") is False:
            if self._now().hold_reason is not HoldReason.SPEND_CEILING:
                return
        if hold is HoldReason.AUTOMATIC:
            await self.lifecycle(Due(what="automatic"), f"automatic/{view.run_no}", "timer", None)
            return
        await self._enter(self._now())

    async def _enter(self, view: View) -> None:
        """Named by what was seen, for a hold may begin and end more than once; Enter itself asks the row (P16)."""
        step = view.step or view.failed_step or StepKind.SECURITY_SCAN
        outcome = await self.lifecycle(Enter(), f"{run_of(view)}:{step}:begin/{view.seq}", "workflow", None)
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
            outcome = await self.lifecycle(end, f"{run_of(view)}:{step}:end", "workflow", None)
        except FailureError as error:
            await self._step_failed(view, step, error)
            return
        now = self._now()
        if not outcome.ok and (now.status, now.step, run_of(now)) == (view.status, view.step, run_of(view)):
            await self._give_up(view, step, f"Refused.{outcome.result}", "refused")

    async def _give_up(self, view: View, step: StepKind, error_type: str, cause: str) -> None:
        """What can neither go on nor was overtaken by anybody fails where a person sees it (P30, P39)."""
        act = FailStep(step=step, error_type=error_type, permanent=True)
        await self.lifecycle(act, f"{run_of(view)}:{step}:{cause}", "workflow", None)

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
        await self.lifecycle(act, f"{run_of(view)}:{step}:end", "workflow", None)

    async def _await_review(self) -> None:
        view = self._now()
        until = None if view.review_overdue else view.review_due_at
        if await self._rest(until, "review due") and until is not None:
            await self.lifecycle(Due(what="review"), f"review/{run_of(view)}:{until.isoformat()}", "timer", None)

    async def _await_retry(self) -> None:
        view = self._now()
        if await self._rest(view.hold_until, "retry") and view.hold_until is not None:
            await self.lifecycle(Due(what="retry"), f"retry/{run_of(view)}", "timer", None)
