"""A thinking seat for tests: rules written by the test, in the place of a model."""

import itertools
import json
from collections.abc import Callable
from typing import Any

from contracts.missions_agent import AgentStep, Entry, Seat, StepEnd, ToolCall

Rule = Callable[[Seat], AgentStep]
_numbers = itertools.count(1)


def use(*calls: tuple[str, dict[str, Any]]) -> AgentStep:
    """An answer that calls tools."""
    made = tuple(
        ToolCall(call_id=f"c{next(_numbers)}", tool=tool, arguments=json.dumps(arguments, default=str))
        for tool, arguments in calls
    )
    return AgentStep(end=StepEnd.CALLS, calls=made)


def say(text: str = "ok") -> AgentStep:
    """An answer in words: an ordinary final."""
    return AgentStep(end=StepEnd.STOP, text=text)


def answers(seat: Seat, tool: str = "") -> list[str]:
    """What the tools of this turn answered so far; of one tool if it is named."""
    named = {entry.call_id: entry.tool for entry in seat.entries if entry.kind == "call"}
    return [e.body for e in seat.entries if e.kind == "answer" and (not tool or named.get(e.call_id) == tool)]


def called(seat: Seat, tool: str) -> list[Entry]:
    """The calls of a tool in this turn."""
    return [entry for entry in seat.entries if entry.kind == "call" and entry.tool == tool]


def delegation(key: str, **more: Any) -> dict[str, Any]:
    """The arguments of assign and handoff."""
    return {"task_key": key, "goal": f"do {key}", **more}


def use_results(seat: Seat, then: AgentStep | None = None, *, discard: bool = False) -> AgentStep:
    """Reads and acknowledges every result the turn brought, then does the rest."""
    wanted = [i.ref for i in seat.inputs if i.kind.endswith("_result")]
    read = answers(seat, "read_result")
    if wanted and not read:
        return use(*[("read_result", {"result_id": ref}) for ref in wanted])
    if wanted and not called(seat, "acknowledge"):
        digests = [json.loads(body) for body in read]
        kind = "discarded" if discard else "used"
        return use(*[("acknowledge", acknowledgement(d) | {"use": kind}) for d in digests])
    return then or say("result used")


def acknowledgement(read: dict[str, Any]) -> dict[str, Any]:
    """What reading a result gives for acknowledging it."""
    return {"result_id": read["result_id"], "digest": read["digest"]}


def result(summary: str = "Found the order.", **more: Any) -> AgentStep:
    """A task's honest result."""
    return use(("submit_result", {"summary": summary, "checks": ["looked"], **more}))


DONE = ("complete", {"outcome": "done", "summary": "All replies are prepared."})
GATE = {
    "reason": "ambiguous_meaning",
    "decision_wanted": "Which week?",
    "why_not_derived": "Both fit.",
    "finished_meanwhile": "The search.",
    "cost_of_waiting": "Replies are late.",
    "safe_next_step": "Name the week.",
}
