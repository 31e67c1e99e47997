"""From approved to sent: the undo window, one hand-over, and doubt that is shown instead of sent again (P102, P103)."""

from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from contracts.lifecycle import SendResult, View
    from contracts.status import HoldReason, Status
    from contracts.workflow import DeliverRequest, DeliverResult, DeliverState, MessageStart
    from workflows import policies
    from workflows.calls import start
    from workflows.story_frame import StoryFrame

SEND_PAUSE = timedelta(seconds=5)
MOST_DOUBLINGS = 7


class HandOver(StoryFrame):
    """The last part of the story."""

    def __init__(self, begin: MessageStart) -> None:
        super().__init__(begin)
        self.lost_sends = 0

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
