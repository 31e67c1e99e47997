"""The floor below the floor: the same rows and the same model calls, but nothing is thought.

Run as `python -m bench.bare` like `bench.floor`. The first message is done in full; for every other one each step
repeats the model calls of the first and copies what the first stored. What is left is the price of rows and calls, so
that the other ratios can be read with the cost of scanning, briefing and grounding taken out.
"""

import asyncio
from contextvars import ContextVar
from typing import Any, NamedTuple
from uuid import UUID

from activities.steps.frame import StepTools
from adapters.llm.client import Models
from adapters.llm.ledger import MeteredUsage
from bench import floor
from bench.serving import serve
from bench.step_work import Statement, StepLedger, StepWork, writes_of_step
from contracts.llm import ModelTask, Prompt, UsageContext
from contracts.steps import Route

_calls: ContextVar[list["Call"]] = ContextVar("calls")


class Call(NamedTuple):
    """One question to a model, without whom it is charged to."""

    task: ModelTask
    prompt: Prompt
    schema: type[Any]


class Memory(NamedTuple):
    """What one step of the first message did."""

    message_id: UUID
    route: Route
    writes: list[Statement]
    calls: list[Call]
    embeddings: list[MeteredUsage]


class HeardModels:
    """The models, with every question noted."""

    def __init__(self, models: Models) -> None:
        self.models = models

    async def ask(self, task: ModelTask, prompt: Prompt, schema: type[Any], context: UsageContext) -> Any:
        """Note it and ask."""
        _calls.get().append(Call(task, prompt, schema))
        return await self.models.ask(task, prompt, schema, context)


class BareWork(StepWork):
    """Does each step once in full and afterwards from memory."""

    def __init__(self, pool: Any, tools: StepTools, ledger: StepLedger) -> None:
        self._models = tools.models
        heard: Any = HeardModels(tools.models)  # type: ignore[arg-type]
        super().__init__(pool, StepTools(tools.database, heard, tools.embedder), ledger)
        self._memories: dict[str, Memory] = {}

    async def work(self, message_id: str, kind: str) -> Route:
        """The step itself, or what is remembered of it."""
        if kind not in self._memories:
            self._memories[kind] = await self._first(message_id, kind)
            return self._memories[kind].route
        return await self._again(message_id, self._memories[kind])

    async def _first(self, message_id: str, kind: str) -> Memory:
        _calls.set([])
        route = await super().work(message_id, kind)
        embeddings = [usage for usage in self.ledger.of(message_id) if usage.task is ModelTask.EMBED]
        return Memory(UUID(message_id), route, list(writes_of_step()), _calls.get(), embeddings)

    async def _again(self, message_id: str, memory: Memory) -> Route:
        context = UsageContext(mailbox_id="", message_id=message_id, run_no=1)
        for call in memory.calls:
            await self._models.ask(*call, context)
        for usage in memory.embeddings:
            await self.ledger.record(usage, context)
        own = UUID(message_id)
        for statement, values in memory.writes:
            writes_of_step().append((statement, tuple(own if v == memory.message_id else v for v in values)))
        return memory.route


if __name__ == "__main__":
    asyncio.run(serve(floor.begin, BareWork))
