"""A reply written on a thread that held nothing open: undo window, one hand-over, and a person for every doubt
(P97a)."""

from datetime import timedelta

from pydantic import ValidationError
from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from contracts.follow_up import FollowUpAct, FollowUpCommand, FollowUpRequest, FollowUpSettle, FollowUpView
    from contracts.status import OutboxState
    from contracts.workflow import DeliverRequest, DeliverResult, DeliverState, ReplyStart, Wake
    from workflows import policies
    from workflows.calls import start

SEND_PAUSE = timedelta(seconds=5)
MOST_DOUBLINGS = 7
OVER = frozenset({OutboxState.SENT, OutboxState.CANCELLED, OutboxState.FAILED_SAFE, OutboxState.BOUNCED})


@workflow.defn(name="ReplyWorkflow", failure_exception_types=[ValidationError])
class ReplyWorkflow:
    """Follows one outbox row to its end."""

    @workflow.init
    def __init__(self, begin: ReplyStart) -> None:
        self.begin = begin
        self.view: FollowUpView | None = None
        self.changes = 0
        self.seen = 0
        self.lost_sends = 0
        self.closed = False

    @workflow.run
    async def run(self, begin: ReplyStart) -> FollowUpView:
        """Until the row is over, or a person closed a doubt."""
        view = await self._apply(FollowUpAct.PLACE, begin.actor)
        while view.state not in OVER and not self.closed:
            workflow.set_current_details(f"**{view.state}** reply/{begin.outbox_id}")
            view = await (self._doubt() if view.state is OutboxState.AMBIGUOUS else self._send(view))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return self.view or view

    async def _send(self, view: FollowUpView) -> FollowUpView:
        pause = view.send_at - workflow.now() if view.send_at else timedelta()
        if pause > timedelta() and not await self._rest(pause, "undo window"):
            return await self._apply(FollowUpAct.LOOK)
        request = self._request()
        try:
            result = await start("deliver", request, DeliverResult, policies.DELIVER, "hand over")
        except ActivityError:
            return await self._lost()
        self.lost_sends = 0
        if result.retry_in_s is not None:
            await self._rest(timedelta(seconds=result.retry_in_s), "delivery back-off")
            return await self._apply(FollowUpAct.LOOK)
        return await self._apply(FollowUpAct.SETTLE)

    async def _lost(self) -> FollowUpView:
        """The row says what became of it; one that was never claimed is tried again, with pauses that double."""
        view = await self._apply(FollowUpAct.SETTLE)
        if view.state is OutboxState.READY:
            self.lost_sends += 1
            await self._rest(SEND_PAUSE * 2 ** min(self.lost_sends, MOST_DOUBLINGS), "send again not before")
        return await self._apply(FollowUpAct.LOOK)

    async def _doubt(self) -> FollowUpView:
        for pause in policies.RECONCILE_AFTER:
            if not await self._rest(pause, "look for proof of delivery"):
                return await self._apply(FollowUpAct.LOOK)
            try:
                result = await start("reconcile", self._request(), DeliverResult, policies.RECONCILE, "reconcile")
            except ActivityError:
                continue
            if result.state is not DeliverState.AMBIGUOUS:
                return await self._apply(FollowUpAct.SETTLE)
        await self._rest(None, "delivery in doubt; waits for a person")
        return self.view or await self._apply(FollowUpAct.LOOK)

    async def _rest(self, pause: timedelta | None, summary: str) -> bool:
        """True if the time came before any change; one that came while nobody waited counts too."""
        try:
            await workflow.wait_condition(lambda: self.changes != self.seen, timeout=pause, timeout_summary=summary)
        except TimeoutError:
            return True
        self.seen = self.changes
        return False

    def _request(self) -> DeliverRequest:
        b = self.begin
        return DeliverRequest(outbox_id=b.outbox_id, message_id=b.message_id, mailbox_id=b.mailbox_id)

    async def _apply(self, act: FollowUpAct, actor: str = "workflow") -> FollowUpView:
        order = self.begin.order if act is FollowUpAct.PLACE else None
        command = FollowUpCommand(outbox_id=self.begin.outbox_id, act=act, actor=actor, order=order)
        self.view = await start("follow_up", command, FollowUpView, policies.LIFECYCLE, act)
        self.closed = self.closed or self.view.closed
        return self.view

    @workflow.update(name="undo_send")
    async def undo_send(self, request: FollowUpRequest) -> FollowUpView:
        """Take the reply back before hand-over."""
        view = await self._apply(FollowUpAct.UNDO, request.actor)
        self.changes += 1
        return view

    @workflow.update(name="resolve_delivery")
    async def resolve_delivery(self, settle: FollowUpSettle) -> FollowUpView:
        """Settle a doubtful delivery."""
        view = await self._apply(settle.how, settle.actor)
        self.closed = self.closed or view.closed
        self.changes += 1
        return view

    @workflow.signal(name="wake")
    async def wake(self, wake: Wake) -> None:
        """Something outside changed the row."""
        self.changes += 1
