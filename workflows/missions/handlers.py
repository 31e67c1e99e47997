"""What may be said to a mission from outside. Handlers are synchronous: they check, append and return (6.1)."""

from typing import Any
from uuid import UUID

from temporalio import workflow
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    from contracts.missions import CLOSED, ItemKind, MissionStatus
    from contracts.missions_calls import CancelOrder, InputAnswer, OwnerInput
    from contracts.workflow import Wake
    from domain.missions.gates import input_objection
    from domain.missions.state import Known, MissionState
    from domain.missions.turns import Item


class OwnerHandlers:
    """Mixed into the mission: the owner's updates, and signals that only bring news."""

    state: MissionState
    slot_news: bool
    leave: Any
    cancel_child: Any

    @workflow.update(name="owner_input")
    def owner_input(self, given: OwnerInput) -> InputAnswer:
        """The only key to a gate. The same request id is the same turn, also after continue-as-new (M53, M55, M118)."""
        new = self.state.take_input(given.request_id, given.digest, given.item_id, given.gate_id)
        if new:
            self._raise_limits(given)
        known = self.state.requests[given.request_id]
        return InputAnswer(item_id=known.item_id, status=self.state.status, repeated=not new)

    def _raise_limits(self, given: OwnerInput) -> None:
        if given.turn_limit is not None:
            self.state.turn_limit = given.turn_limit
        if given.cost_limit_usd is not None:
            self.state.cost_limit_usd = given.cost_limit_usd

    @owner_input.validator
    def _may_input(self, given: OwnerInput) -> None:
        known = self.state.requests.get(given.request_id)
        if known is not None:
            if known.digest != given.digest:
                raise ApplicationError("this request id was used for another input", type="conflict")
            return
        objection = input_objection(self.state.status, self.state.gates.waiting, given.gate_id)
        if objection:
            raise ApplicationError(f"the input is not taken: {objection}", type=objection)

    @workflow.update(name="cancel")
    def cancel(self, order: CancelOrder) -> InputAnswer:
        """Ends the mission, or gives up one task of it (M37)."""
        repeated = order.request_id in self.state.requests
        if not repeated:
            self.state.requests[order.request_id] = Known(digest=order.task_key, item_id=UUID(int=0))
            self._cancel(order)
        return InputAnswer(item_id=UUID(int=0), status=self.state.status, repeated=repeated)

    def _cancel(self, order: CancelOrder) -> None:
        if not order.task_key:
            self.leave(MissionStatus.CANCELLED, f"cancelled: {order.reason}"[:200])
            return
        child = self.state.tasks.by_key(order.task_key)
        if child is not None:
            self.cancel_child(child.attempt_id)

    @cancel.validator
    def _may_cancel(self, order: CancelOrder) -> None:
        if order.request_id in self.state.requests:
            return
        if self.state.status in CLOSED:
            raise ApplicationError("the mission is closed", type="closed")
        if order.task_key and self.state.tasks.by_key(order.task_key) is None:
            raise ApplicationError("there is no such task", type="no_such_task")

    @workflow.signal(name="slot_granted")
    def slot_granted(self, wake: Wake) -> None:
        """A lease was granted; whoever waits asks again and finds it."""
        self.slot_news = True

    @workflow.signal(name="mail_followup")
    def mail_followup(self, wake: Wake) -> None:
        """Mail in a thread the mission works on: an inbox item, never owner input (M133, M134a).

        `cause` is `mail/<item id>/<message id>`; at a gate it is recorded as not deliverable (M135a).
        """
        _, item_id, message_id = wake.cause.split("/", 2)
        item = self.state.book.add(Item(item_id=UUID(item_id), kind=ItemKind.MAIL, ref=message_id))
        if self.state.status is not MissionStatus.OPEN:
            self.state.book.undeliverable(item, "not_open")
