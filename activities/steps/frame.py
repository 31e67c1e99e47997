"""What surrounds every step: stored output, typed faults, heartbeats; so that a step module holds only its own work
(P12, P24, P34)."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from types import ModuleType
from typing import Any, cast

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.model_turns import ModelHeld, model_turn
from activities.ports import Completion, Database, Embedder, Models, Row
from contracts.barriers import barrier
from contracts.base import Contract
from contracts.errors import PermanentFault, TransientFault
from contracts.llm import ModelTask, Prompt, Usage, UsageContext
from contracts.status import HoldReason
from contracts.steps import Route, RunContext, StepInput, done

HEARTBEAT_S = 3.0
MOST_RETRY_AFTER_S = 300.0


class AgentOff(Exception):
    """The agent flag of the mailbox is off; the step holds instead of calling a model (P60)."""


@dataclass(frozen=True)
class StepTools:
    """What all steps share."""

    database: Database
    models: Models
    embedder: Embedder | None = None


@dataclass
class StepContext:
    """One execution of one step: its message, its settings, and a tally of the models it called."""

    tools: StepTools
    run: RunContext
    message: Row
    step: str = ""
    earlier: Mapping[str, Row] = field(default_factory=dict)
    usages: list[Usage] = field(default_factory=list)

    @property
    def usage_context(self) -> UsageContext:
        """Whom model calls are charged to."""
        run = self.run
        return UsageContext(
            mailbox_id=str(run.mailbox_id), message_id=str(run.message_id), run_no=run.run_no, step=self.step or None
        )

    async def ask(self, task: ModelTask, prompt: Prompt, schema: type[Any]) -> Any:
        """A structured answer; the call is in the ledger and in this step's tally."""
        answer = await self.tools.models.ask(task, prompt, schema, self.usage_context)
        self.usages.append(answer.usage)
        return answer.value

    async def write(self, task: ModelTask, prompt: Prompt) -> Completion:
        """A free text answer."""
        completion = await self.tools.models.write(task, prompt, self.usage_context)
        self.usages.append(completion.usage)
        return completion

    @property
    def offline(self) -> bool:
        """Did the offline endpoint answer any of this step's calls?"""
        return any(usage.offline for usage in self.usages)


def step_activity(module: ModuleType, tools: StepTools) -> Callable[[StepInput], Awaitable[Route]]:
    """The activity made of one step module (P12)."""

    @activity.defn(name=str(module.KIND))
    async def run_step(step: StepInput) -> Route:
        async with heartbeats():
            return await _guarded(module, tools, step)

    return run_step


async def _guarded(module: ModuleType, tools: StepTools, step: StepInput) -> Route:
    try:
        return await _run(module, tools, step)
    except AgentOff:
        return done(reason="agent_off", hold=HoldReason.AGENT_OFF)
    except ModelHeld as held:
        return done(reason=str(held.reason), hold=held.reason)
    except TransientFault as fault:
        detail = await _store_error(tools, step, fault)
        wait = fault.retry_after_s
        delay = timedelta(seconds=min(wait, MOST_RETRY_AFTER_S)) if wait is not None else None
        raise ApplicationError(detail, type=type(fault).__name__, next_retry_delay=delay) from None
    except PermanentFault as fault:
        detail = await _store_error(tools, step, fault)
        raise ApplicationError(detail, type=type(fault).__name__, non_retryable=True) from None
    except (asyncio.CancelledError, ApplicationError):
        raise
    except Exception as fault:
        detail = await _store_error(tools, step, fault)
        raise ApplicationError(detail, type=f"Unexpected.{type(fault).__name__}") from None


async def _run(module: ModuleType, tools: StepTools, step: StepInput) -> Route:
    async with tools.database.transaction(step.run.mailbox_id) as tx:
        message = await tx.one("step_message", step.run.message_id)
        rows = await tx.rows("step_outputs_of_run", step.run.message_id, step.run.run_no)
        turn = await tx.one("turn_facts", step.run.mailbox_id) if module.TIER is not None else None
    earlier = {row["kind"]: row for row in rows}
    stored = earlier.get(str(module.KIND))
    if message is None:
        raise ApplicationError("the message is gone", type="MessageNotFound", non_retryable=True)
    key = _key(step.run, message)
    if stored is not None and (stored["decision"] or {}).get("key") == key:
        return module.route(module.OUTPUT.model_validate(stored["output"]), step, message)
    context = StepContext(tools=tools, run=step.run, message=message, step=str(module.KIND), earlier=earlier)
    started = time.monotonic()
    output = await _execute(module, context, step, turn)
    route: Route = module.route(output, step, message)
    await _store_output(context, module, output, route, key, int((time.monotonic() - started) * 1000))
    await barrier(f"after_store/{module.KIND}", step.run.message_id)
    return route


async def _execute(module: ModuleType, context: StepContext, step: StepInput, turn: Row | None) -> Contract:
    """The step's own work; one that asks a model needs its turn and its money first (P96, P111)."""
    message = context.message
    if turn is None or not (message["agent_on"] or message["requested_by_person"]):
        return cast(Contract, await module.execute(context, step))
    async with model_turn(context.tools.database, turn, message, context.step):
        return cast(Contract, await module.execute(context, step))


def _key(run: RunContext, message: Row) -> str:
    """Names one execution: a lost worker's stored output is used again, a restart or a flag change is not (A7)."""
    return f"{run.run_no}.{run.restart_no}/{'on' if message['agent_on'] else 'off'}/{message['step_begun_at']}"


async def _store_output(
    context: StepContext, module: ModuleType, output: Contract, route: Route, key: str, duration_ms: int
) -> None:
    decision = {"key": key, **route.model_dump(mode="json", exclude_none=True), **_numbers(output)}
    usage = _tokens(context.usages)
    models = sorted({u.model for u in context.usages})
    attempt = activity.info().attempt if activity.in_activity() else 1
    async with context.tools.database.transaction(context.run.mailbox_id) as tx:
        await tx.run(
            "step_store_output",
            context.run.message_id,
            context.run.mailbox_id,
            context.run.run_no,
            module.KIND,
            output.model_dump_json(),
            decision,
            attempt,
            duration_ms,
            ", ".join(models) or None,
            usage,
        )


def _numbers(output: Contract) -> dict[str, Any]:
    """Decision and numbers for the timeline; texts stay in step_outputs."""
    kept = {}
    for name, value in output:
        if isinstance(value, (bool, int, float)) or name in ("tier", "outcome", "stage", "gate", "reason"):
            kept[name] = value
    return kept


def _tokens(usages: list[Usage]) -> dict[str, Any] | None:
    if not usages:
        return None
    costs = [u.cost_usd for u in usages if u.cost_usd is not None]
    return {
        "calls": len(usages),
        "in": sum(u.tokens_in for u in usages),
        "out": sum(u.tokens_out for u in usages),
        "cost_usd": str(sum(costs)) if costs else None,
        "offline": any(u.offline for u in usages),
    }


async def _store_error(tools: StepTools, step: StepInput, fault: BaseException) -> str:
    """The words go to Postgres; the history gets the type alone (P23)."""
    known = isinstance(fault, (TransientFault, PermanentFault))
    words = str(fault) if known else f"{type(fault).__name__} in {step.step}"
    attempt = activity.info().attempt if activity.in_activity() else 1
    run = step.run
    with suppress(TransientFault):
        async with tools.database.transaction(run.mailbox_id) as tx:
            await tx.run(
                "step_store_error",
                run.mailbox_id,
                run.message_id,
                step.step,
                type(fault).__name__,
                words[:2000],
                attempt,
            )
    if not known:
        activity.logger.exception("unexpected fault", extra={"message_id": str(run.message_id), "step": step.step})
    return f"{step.step} failed"


@asynccontextmanager
async def heartbeats() -> AsyncIterator[None]:
    """Beats in the background, so that a killed worker is noticed within seconds."""
    beating = asyncio.create_task(_beat()) if activity.in_activity() and not activity.info().is_local else None
    try:
        yield
    finally:
        if beating is not None:
            beating.cancel()


async def _beat() -> None:
    while True:
        await asyncio.sleep(HEARTBEAT_S)
        activity.heartbeat()
