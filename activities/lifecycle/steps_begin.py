"""Which status a step works in, what it needs from earlier ones, and how its row begins."""

from activities.lifecycle.work import Work
from contracts.status import Status, StepKind

STATUS_OF: dict[StepKind, Status] = {
    StepKind.SECURITY_SCAN: Status.SECURITY_CHECK,
    StepKind.CONTEXT_RETRIEVAL: Status.CLASSIFYING,
    StepKind.CLASSIFY: Status.CLASSIFYING,
    StepKind.DRAFT: Status.DRAFTING,
    StepKind.ROUTE: Status.DRAFTING,
}
ORDER: tuple[StepKind, ...] = tuple(StepKind)


async def begin_step(work: Work, step: StepKind) -> None:
    """The step's row is running; its input names earlier outputs by kind (P14)."""
    earlier = [str(kind) for kind in ORDER[: ORDER.index(step)]]
    await work.tx.run("step_begin", work.id, step, {"outputs": earlier})


async def run_again(work: Work, step: StepKind) -> None:
    """The same step once more in the same status: a hold is over."""
    await work.tx.run("lifecycle_set_step", work.id, step)
    await begin_step(work, step)


async def outputs_missing(work: Work, step: StepKind) -> tuple[str, ...]:
    """Earlier steps of this run without a stored output."""
    present = {row["kind"] for row in await work.tx.rows("step_outputs_present", work.id, work.run_no)}
    return tuple(str(kind) for kind in ORDER[: ORDER.index(step)] if kind not in present)
