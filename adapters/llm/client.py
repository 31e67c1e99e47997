"""Every question to a model is asked here, so that limits, repair, faults and the ledger hold for all of them alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from pydantic import BaseModel

from adapters.llm.calls import Caller, Order
from adapters.llm.dialect import Dialect
from adapters.llm.ledger import MeteredUsage, UsageSink, total
from adapters.llm.prices import prices_from
from adapters.llm.replies import Reply
from adapters.llm.structured import Misfit, parse_answer, repair_note, schema_name
from adapters.llm.tasks import ModelSettings, model_for
from contracts.errors import SchemaInvalid, TransientFault
from contracts.llm import Completion, ModelTask, Prompt, UsageContext

T = TypeVar("T", bound=BaseModel)

_TRIES = 2


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A parsed answer and what it took in all its calls, a repair included."""

    value: T
    usage: MeteredUsage


class Models:
    """The chat models of an installation. One HTTP call, one row in the sink; nothing is retried but one misfit answer.

    `known` holds what a probe found out per model; without it the first call of each kind finds out by itself.
    """

    def __init__(self, settings: ModelSettings, sink: UsageSink, *, known: Mapping[str, Dialect] | None = None) -> None:
        self._settings = settings
        self._caller = Caller(sink, prices_from(settings.llm_prices), known)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._caller.clients.close()

    def dialect_of(self, task: ModelTask, schema: type[BaseModel]) -> Dialect:
        """What the task's model is known to accept for a schema by now."""
        return self._caller.dialects.of(model_for(task, self._settings).model, schema_name(schema))

    async def ask(self, task: ModelTask, prompt: Prompt, schema: type[T], context: UsageContext) -> Answer[T]:
        """An answer in the form of `schema`; after a misfit its problems go back once, then SchemaInvalid (P34).

        Raises BadApiKey, UnknownModel, ContentRefused, PermanentFault or TransientFault with `retry_after_s`.
        """
        choice = model_for(task, self._settings)
        rows: list[MeteredUsage] = []
        problems: tuple[str, ...] = ()
        for _ in range(_TRIES):
            order = Order(choice, prompt, context, schema, repair_note(problems) if problems else "")
            try:
                value = await self._caller.run(order, lambda reply: parse_answer(reply.text, schema), rows)
            except Misfit as misfit:
                problems = misfit.problems
            else:
                return Answer(value, total(rows))
        form = f"the form {schema_name(schema)} twice ({'; '.join(problems)})"
        raise SchemaInvalid(f"The model {choice.model!r} for task {task.value} missed {form}; try another model.")

    async def write(self, task: ModelTask, prompt: Prompt, context: UsageContext) -> Completion:
        """Free text; `usage.outcome` is `cut` if it ends at the length limit. An empty answer is a TransientFault."""
        choice = model_for(task, self._settings)
        rows: list[MeteredUsage] = []

        def read(reply: Reply) -> str:
            if reply.text.strip():
                return reply.text
            raise TransientFault(f"The model {choice.model!r} for task {task.value} gave an empty answer.")

        text = await self._caller.run(Order(choice, prompt, context), read, rows)
        return Completion(text=text, usage=total(rows))
