"""The Temporal side of a person's action: one Update under the request id, and what its answer or silence means.

An Update is not durable until a worker accepts it. So nothing here retries on its own: whoever gets no answer repeats
the same request under the same id, and the database knows what became of it.
"""

import asyncio
from datetime import timedelta
from typing import TypeVar

from temporalio.client import (
    RPCTimeoutOrCancelledError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from adapters.engine import Line
from contracts.base import Contract
from contracts.errors import DeskhandError, PermanentFault, TransientFault

R = TypeVar("R", bound=Contract)

ANSWER_WITHIN = timedelta(seconds=8)
HEALTH_WITHIN = timedelta(seconds=2)


class NoAnswer(TransientFault):
    """No worker or no Temporal answered in time. What was asked may still happen; the same id finds out."""


class NoOpenWorkflow(DeskhandError):
    """The workflow has ended, or was not started yet."""


class RefusedByState(PermanentFault):
    """The workflow's validator said no; nothing was recorded there. `kind` is the validator's word for it."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class ReviewDesk:
    """Asks workflows. Connects when first needed, and again whenever Temporal comes back."""

    def __init__(self, address: str, namespace: str, answer_within: timedelta = ANSWER_WITHIN) -> None:
        self.answer_within = answer_within
        self._line = Line(address, namespace)

    async def ask(self, workflow_id: str, update: str, argument: Contract, result: type[R], request_id: str) -> R:
        """Sends one Update and waits for its result.

        Raises NoAnswer, NoOpenWorkflow, or RefusedByState.
        """
        try:
            async with asyncio.timeout(self.answer_within.total_seconds()):
                return await self._ask(workflow_id, update, argument, result, request_id)
        except (TimeoutError, RPCTimeoutOrCancelledError, WorkflowUpdateRPCTimeoutOrCancelledError) as fault:
            raise NoAnswer("no worker answered in time") from fault

    async def _ask(self, workflow_id: str, update: str, argument: Contract, result: type[R], request_id: str) -> R:
        try:
            handle = (await self._line.client()).get_workflow_handle(workflow_id)
            answer: R = await handle.execute_update(
                update, argument, id=request_id, result_type=result, rpc_timeout=self.answer_within
            )
            return answer
        except WorkflowUpdateFailedError as error:
            raise _refusal(error) from error
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise NoOpenWorkflow(workflow_id) from error
            raise NoAnswer(f"Temporal answered {error.status.name}") from error
        except (RuntimeError, OSError) as error:
            raise NoAnswer("Temporal cannot be reached") from error

    async def healthy(self) -> bool:
        """Does the Temporal frontend answer?"""
        try:
            async with asyncio.timeout(HEALTH_WITHIN.total_seconds()):
                return bool(await (await self._line.client()).service_client.check_health(timeout=HEALTH_WITHIN))
        except (TimeoutError, RPCError, RuntimeError, OSError):
            return False


def _refusal(error: WorkflowUpdateFailedError) -> DeskhandError:
    """A validator's refusal is final; a workflow that ended under the Update is as if it had been closed before."""
    cause = error.cause
    if isinstance(cause, ApplicationError) and cause.type == "WrongStatus":
        return RefusedByState(cause.message, "wrong_status")
    if isinstance(cause, ApplicationError) and cause.type == "AcceptedUpdateCompletedWorkflow":
        return NoOpenWorkflow("the workflow ended meanwhile")
    return NoAnswer(f"the workflow could not carry it out ({type(cause).__name__})")
