"""From an order to HTTP calls: one, and another only where the endpoint declined a parameter we can go without."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from openai import AsyncOpenAI
from pydantic import BaseModel

from adapters.llm.dialect import Dialect, Dialects
from adapters.llm.faults import refusal
from adapters.llm.ledger import CallOutcome, Meter, MeteredUsage, Tokens, UsageSink, estimated_tokens
from adapters.llm.messages import Messages, messages_for
from adapters.llm.metered import Ended, metered
from adapters.llm.prices import Prices
from adapters.llm.replies import Reply, reply_of
from adapters.llm.structured import Misfit, response_format, schema_name, schema_note
from adapters.llm.tasks import ModelChoice
from adapters.llm.transport import Clients
from contracts.errors import DeskhandError
from contracts.llm import Prompt, UsageContext

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked and whom to charge, before the endpoint's dialect gives it its form."""

    choice: ModelChoice
    prompt: Prompt
    context: UsageContext
    schema: type[BaseModel] | None = None
    note: str = ""

    @property
    def schema_name(self) -> str:
        """The schema's name on the wire, empty for free text."""
        return schema_name(self.schema) if self.schema else ""

    def messages(self, dialect: Dialect) -> Messages:
        """The messages of one call, under a marker of their own."""
        form = schema_note(self.schema, dialect.structured) if self.schema else ""
        return messages_for(self.prompt, form, self.note)

    def parameters(self, dialect: Dialect) -> dict[str, Any]:
        """Model, length and temperature; there are never tools among them (HW2)."""
        limits = self.choice.limits
        warmth = {"temperature": limits.temperature} if dialect.takes_temperature else {}
        return {"model": self.choice.model, dialect.length_parameter: limits.max_output_tokens} | warmth

    def form(self, dialect: Dialect) -> dict[str, Any] | None:
        """The `response_format`, None where the call has none."""
        wanted = response_format(self.schema, dialect.structured) if self.schema else None
        return {"response_format": wanted} if wanted else None


class Caller:
    """Makes the chat calls of an installation; holds its connections and what it has learned about its endpoints."""

    def __init__(self, sink: UsageSink, prices: Prices, known: Mapping[str, Dialect] | None = None) -> None:
        self.dialects = Dialects(known)
        self.clients = Clients()
        self._sink = sink
        self._prices = prices

    async def run(self, order: Order, read: Callable[[Reply], R], rows: list[MeteredUsage]) -> R:
        """What `read` makes of the reply; every call appends its row. Raises named faults, or what `read` raised."""
        while True:
            dialect = self.dialects.of(order.choice.model, order.schema_name)
            ended = await self._once(order, dialect, read, rows)
            if ended.declined and self._give_up(order, dialect, ended.declined):
                continue
            if ended.error is not None:
                raise ended.error
            return cast(R, ended.value)

    def _give_up(self, order: Order, dialect: Dialect, parameter: str) -> bool:
        return self.dialects.learn(order.choice.model, order.schema_name, dialect, parameter)

    async def _once(
        self, order: Order, dialect: Dialect, read: Callable[[Reply], R], rows: list[MeteredUsage]
    ) -> Ended[R]:
        choice, messages = order.choice, order.messages(dialect)
        client = self.clients.of(choice.endpoint)
        sent = Tokens(estimated_tokens(messages.system + messages.user), estimated=True)
        meter = Meter(choice.task, choice.model, self._prices)
        call = _exchange(client, order, dialect, messages, read)
        ended, row = await metered(call, choice, meter, sent, self._sink, order.context)
        rows.append(row)
        return ended


async def _exchange(
    client: AsyncOpenAI, order: Order, dialect: Dialect, messages: Messages, read: Callable[[Reply], R]
) -> Ended[R]:
    """One request and its reading. The library's time-out starts anew with every byte, so the whole has its own.

    The schema goes in as `extra_body`, which the library does not walk through: that is a third of the CPU of a call.
    """
    limit_s = order.choice.limits.timeout_s
    create = cast(Any, client.chat.completions.create)
    extra = order.form(dialect)
    async with asyncio.timeout(limit_s):
        completion = await create(
            messages=messages.as_chat(), timeout=limit_s, extra_body=extra, **order.parameters(dialect)
        )
    return _judged(reply_of(completion, messages.system + messages.user), order.choice, read)


def _judged(reply: Reply, choice: ModelChoice, read: Callable[[Reply], R]) -> Ended[R]:
    if reply.refused:
        return Ended(CallOutcome.REFUSED, reply.tokens, error=refusal(choice), offline=reply.offline)
    try:
        value = read(reply)
    except Misfit as misfit:
        outcome = CallOutcome.CUT if reply.cut else CallOutcome.SCHEMA_INVALID
        return Ended(outcome, reply.tokens, error=misfit, offline=reply.offline)
    except DeskhandError as error:
        return Ended(CallOutcome.MALFORMED, reply.tokens, error=error, offline=reply.offline)
    outcome = CallOutcome.CUT if reply.cut else CallOutcome.OK
    return Ended(outcome, reply.tokens, value=value, offline=reply.offline)
