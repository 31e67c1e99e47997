"""The line from the API to running missions: one update under the request id, and a word for what came of it.

An update is lost where no worker takes it; inputs are stored before they are told, so silence costs nothing but time.
"""

import asyncio
from datetime import timedelta

from temporalio.client import WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from adapters.engine import Line
from adapters.missions import Teller
from contracts.missions_calls import CancelOrder, InputAnswer, OwnerInput

AWAY = "away"
CLOSED = "closed"
TOLD = "told"


class MissionDesk:
    """Speaks to missions; connects when first needed, and again whenever the engine comes back."""

    def __init__(self, address: str, namespace: str, answer_within: timedelta) -> None:
        self.answer_within = answer_within
        self._line = Line(address, namespace)

    async def tell(self, workflow_id: str, given: OwnerInput) -> str:
        """`told`, `away`, `closed` (ended, or not started yet), or the validator's word of refusal."""
        try:
            async with asyncio.timeout(self.answer_within.total_seconds()):
                return await Teller(await self._line.client())(workflow_id, given)
        except (TimeoutError, RuntimeError, OSError):
            return AWAY

    async def cancel(self, workflow_id: str, order: CancelOrder) -> str:
        """The same words for an order to cancel the mission or one of its tasks."""
        try:
            async with asyncio.timeout(self.answer_within.total_seconds()):
                return await self._cancel(workflow_id, order)
        except (TimeoutError, RuntimeError, OSError, WorkflowUpdateRPCTimeoutOrCancelledError):
            return AWAY

    async def _cancel(self, workflow_id: str, order: CancelOrder) -> str:
        handle = (await self._line.client()).get_workflow_handle(workflow_id)
        try:
            await handle.execute_update(
                "cancel", order, id=order.request_id, result_type=InputAnswer, rpc_timeout=self.answer_within
            )
        except WorkflowUpdateFailedError as fault:
            return _word(fault)
        except RPCError as fault:
            return CLOSED if fault.status is RPCStatusCode.NOT_FOUND else AWAY
        return TOLD


def _word(fault: WorkflowUpdateFailedError) -> str:
    """A workflow that ended under the update is as if it had been closed before."""
    kind = fault.cause.type if isinstance(fault.cause, ApplicationError) else None
    return CLOSED if kind == "AcceptedUpdateCompletedWorkflow" else kind or "refused"
