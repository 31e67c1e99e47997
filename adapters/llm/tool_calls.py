"""A model in the seat of a supervisor or task: one metered chat call with tools per answer (P109, P110).

What tools answered is third-party text and goes in wrapped, under a marker that is fresh for each call (HW1).
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from adapters.llm.blocks import encodable, new_marker, wrap_all
from adapters.llm.dialect import Dialect, Dialects
from adapters.llm.ledger import CallOutcome, Meter, Tokens, UsageSink, estimated_tokens
from adapters.llm.metered import Ended, metered
from adapters.llm.prices import prices_from
from adapters.llm.replies import reply_of
from adapters.llm.tasks import ModelChoice, ModelSettings, model_for
from adapters.llm.transport import Clients
from contracts.errors import ContentRefused, TransientFault
from contracts.llm import ModelTask, UsageContext
from contracts.missions_agent import AgentStep, Entry, Seat, StepEnd, ToolCall
from domain.prompts.rules import DATA_RULE, paragraphs

PAUSES_S = (1.0, 4.0, 15.0)
LONGEST_PAUSE_S = 60.0
MOST_CALLS = 24
NAME = "mission"

Sleep = Callable[[float], Awaitable[None]]


class ModelAgent:
    """Thinks by asking the capable model. A transient fault is waited out a few times before the turn is given up."""

    def __init__(
        self, settings: ModelSettings, sink: UsageSink, known: Mapping[str, Dialect] | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._sink = sink
        self._prices = prices_from(settings.llm_prices)
        self._dialects = Dialects(known)
        self._sleep = sleep
        self.clients = Clients()

    async def close(self) -> None:
        """Close all connections."""
        await self.clients.close()

    async def __call__(self, seat: Seat) -> AgentStep:
        """One answer. Raises the named faults of the endpoint."""
        try:
            return await self._patiently(seat)
        except ContentRefused:
            return AgentStep(end=StepEnd.REFUSED)

    async def _patiently(self, seat: Seat) -> AgentStep:
        for pause in PAUSES_S:
            try:
                return await self._ask(seat)
            except TransientFault as fault:
                await self._sleep(min(fault.retry_after_s or pause, LONGEST_PAUSE_S))
        return await self._ask(seat)

    async def _ask(self, seat: Seat) -> AgentStep:
        choice = model_for(ModelTask.SUPERVISE, self._settings)
        messages = messages_of(seat)
        while True:
            dialect = self._dialects.of(choice.model, NAME)
            sent = Tokens(estimated_tokens(json.dumps(messages)), estimated=True)
            meter = Meter(choice.task, choice.model, self._prices)
            call = self._exchange(choice, dialect, messages, seat)
            ended, _ = await metered(call, choice, meter, sent, self._sink, _charged(seat))
            if ended.declined and self._dialects.learn(choice.model, NAME, dialect, ended.declined):
                continue
            if ended.error is not None:
                raise ended.error
            return cast(AgentStep, ended.value)

    async def _exchange(
        self, choice: ModelChoice, dialect: Dialect, messages: list[dict[str, Any]], seat: Seat
    ) -> Ended[AgentStep]:
        limits = choice.limits
        create = cast(Any, self.clients.of(choice.endpoint).chat.completions.create)
        warmth = {"temperature": limits.temperature} if dialect.takes_temperature else {}
        async with asyncio.timeout(limits.timeout_s):
            completion = await create(
                model=choice.model, messages=messages, tools=_tools(seat), timeout=limits.timeout_s,
                **{dialect.length_parameter: limits.max_output_tokens}, **warmth,
            )  # fmt: skip
        reply = reply_of(completion, json.dumps(messages))
        step = _step(completion, reply.text, refused=reply.refused, cut=reply.cut)
        outcome = {StepEnd.REFUSED: CallOutcome.REFUSED, StepEnd.CUT: CallOutcome.CUT}.get(step.end, CallOutcome.OK)
        return Ended(outcome, reply.tokens, value=step, offline=reply.offline)


def _charged(seat: Seat) -> UsageContext:
    return UsageContext(mailbox_id=str(seat.mailbox_id), step=f"mission/{seat.mission_id}/{seat.scope}#{seat.turn_no}")


def _tools(seat: Seat) -> list[dict[str, Any]]:
    return [
        {"type": "function",
         "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters}}
        for tool in seat.tools
    ]  # fmt: skip


def messages_of(seat: Seat) -> list[dict[str, Any]]:
    """The whole conversation of the turn, in two voices: ours and the owner's are instructions, the rest is data."""
    marker = new_marker()
    system = encodable(paragraphs(seat.trusted, DATA_RULE.format(marker=marker)))
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": system},
        {"role": "user", "content": encodable(_opening(seat))},
    ]
    for entry in _paired(seat.entries):
        messages.extend(entry if isinstance(entry, list) else [entry])
    return [_wrapped(message, marker) for message in messages]


def _opening(seat: Seat) -> str:
    lines = [f"Goal: {seat.goal}"]
    lines += [f"About message {seat.message_id}."] if seat.message_id else []
    lines += [f"Contact {seat.contact_id}."] if seat.contact_id else []
    lines += ["What you said earlier:", *seat.earlier] if seat.earlier else []
    for given in seat.inputs:
        if given.from_owner and given.text != seat.goal:
            lines.append(f"The owner says ({given.kind}): {given.text}")
        elif not given.from_owner:
            lines.append(f"New: {given.kind} {given.ref}")
    return "\n".join(lines)


def _paired(entries: tuple[Entry, ...]) -> list[dict[str, Any]]:
    """Calls that stand together become one assistant message, each followed by its answer; one without an answer was
    cut off with its turn."""
    answers = {e.call_id: e.body for e in entries if e.kind == "answer"}
    messages: list[dict[str, Any]] = []
    for entry in entries:
        if entry.kind == "text" and entry.body:
            messages.append({"role": "assistant", "content": entry.body})
        elif entry.kind == "call":
            call = {"id": entry.call_id, "type": "function",
                    "function": {"name": entry.tool, "arguments": entry.body}}  # fmt: skip
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            body = answers.get(entry.call_id, "cut off: nobody knows; look before you repeat it")
            messages.append({"role": "tool", "tool_call_id": entry.call_id, "content": body})
    return messages


def _wrapped(message: dict[str, Any], marker: str) -> dict[str, Any]:
    if message["role"] != "tool":
        return message
    return message | {"content": wrap_all((("tool_answer", message["content"]),), marker)}


def _step(completion: Any, text: str, *, refused: bool, cut: bool) -> AgentStep:
    """No finish reason at all means nobody knows how it ended, which is never a final (M43)."""
    choice = completion.choices[0]
    if refused:
        return AgentStep(end=StepEnd.REFUSED, text=text)
    if cut or getattr(choice, "finish_reason", None) is None:
        return AgentStep(end=StepEnd.CUT, text=text)
    calls = tuple(_call(call) for call in (getattr(choice.message, "tool_calls", None) or [])[:MOST_CALLS])
    return AgentStep(end=StepEnd.CALLS if calls else StepEnd.STOP, text=text, calls=calls)


def _call(call: Any) -> ToolCall:
    """Names and arguments as the model gave them; the table of tools judges them."""
    function = getattr(call, "function", None)
    return ToolCall(
        call_id=encodable(str(getattr(call, "id", "") or "call"))[:100],
        tool=encodable(str(getattr(function, "name", "") or "")),
        arguments=encodable(str(getattr(function, "arguments", "") or "{}")),
    )
