"""Steps that ask a model, run by hand: the step activity around any work, and what the workflow makes of its route."""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from activities.steps.frame import StepTools, _guarded
from contracts.lifecycle import EndStep
from contracts.llm import Tier
from contracts.outputs import ClassifyOutput
from contracts.status import Status, StepKind
from contracts.steps import Route, RunContext, StepInput, transition
from tests.activities.conftest import World, classify_output, context_output, mail_bytes, scan_output

Work = Callable[[], Awaitable[None]]


async def nothing() -> None:
    """Work that is done at once."""


async def at_classify(world: World, n: int = 0) -> UUID:
    """A message whose classify step is running."""
    message = await world.arrive(mail_bytes(sender=f"turn{n}@kunde.example"))
    await world.enter(message)
    scanned = {"to": Status.CLASSIFYING, "next_step": StepKind.CONTEXT_RETRIEVAL}
    await world.end(message, StepKind.SECURITY_SCAN, scan_output(), **scanned)
    await world.end(message, StepKind.CONTEXT_RETRIEVAL, context_output(), next_step=StepKind.CLASSIFY)
    return message


async def run_step(world: World, message: UUID, work: Work = nothing, kind: StepKind = StepKind.CLASSIFY) -> Route:
    """The step activity of a step that asks a model, around `work`."""

    async def execute(context: object, step: StepInput) -> ClassifyOutput:
        await work()
        return classify_output()

    def route(output: ClassifyOutput, step: StepInput, row: Any) -> Route:
        return transition(Status.DRAFTING, next_step=StepKind.DRAFT)

    module: Any = SimpleNamespace(KIND=kind, TIER=Tier.FAST, OUTPUT=ClassifyOutput, execute=execute, route=route)
    async with world.database.transaction() as tx:
        row = await tx.must("step_message", message)
    run = RunContext(
        message_id=message, mailbox_id=world.mailbox_id, thread_id=row["thread_id"], run_no=row["run_no"],
        restart_no=row["restart_no"],
    )  # fmt: skip
    tools = StepTools(database=world.database, models=None)  # type: ignore[arg-type]
    return await _guarded(module, tools, StepInput(run=run, step=kind))


async def end(world: World, message: UUID, route: Route, kind: StepKind = StepKind.CLASSIFY) -> None:
    """What the workflow does with a step's route."""
    row = await world.row(message)
    act = EndStep(step=kind, to=route.to, next_step=route.next_step, reason=route.reason, hold=route.hold)
    await world.do(message, act, f"{row['run_no']}.{row['restart_no']}:{kind}:end")


async def wakes(world: World) -> list[str]:
    """Whose workflows are to be woken, in order."""
    rows = await world.sql.fetch("SELECT workflow_id FROM wake_queue ORDER BY created_at")
    return [r["workflow_id"].removeprefix("message/") for r in rows]
