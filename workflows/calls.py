"""How workflow code calls activities by name: one place that knows local from remote."""

from typing import Any, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, FailureError

with workflow.unsafe.imports_passed_through():
    from contracts.base import Contract
    from workflows.policies import Policy

R = TypeVar("R", bound=Contract)


def start(name: str, argument: Contract, result: type[R], policy: Policy, summary: str = "") -> Any:
    """Starts an activity under its policy; the handle can be awaited or cancelled."""
    if policy.local:
        return workflow.start_local_activity(
            name, argument, result_type=result, summary=summary or None, **policy.options()
        )
    return workflow.start_activity(
        name,
        argument,
        result_type=result,
        summary=summary or None,
        cancellation_type=workflow.ActivityCancellationType.TRY_CANCEL,
        **policy.options(),
    )


def cause_of(error: FailureError) -> BaseException:
    """What went wrong in an activity.

    A remote one fails as ActivityError around the cause. A local one fails with the bare cause, except that a time-out
    is wrapped while it happens and bare when it is replayed: so catch FailureError, or the replay takes another path.
    """
    return (error.cause or error) if isinstance(error, ActivityError) else error
