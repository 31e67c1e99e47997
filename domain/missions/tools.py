"""The tools of supervisors and tasks in one table: arguments, authority, and whether a call is an effect (1 (b))."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, Field, ValidationError

from contracts.base import Contract
from contracts.missions import Capability, EffectKind, Mode
from contracts.missions_agent import Role, ToolSpec
from contracts.missions_results import (
    Acknowledgement,
    Completion,
    Delegation,
    DraftProposal,
    GateRequest,
    ResultDocument,
)


class SearchThreads(Contract):
    """Which conversations to look for; everything left out does not matter."""

    words: str = Field(default="", max_length=500)
    category: str = Field(default="", max_length=40)
    last_days: int = Field(default=30, ge=1, le=3650)
    unanswered_only: bool = False


class OneThread(Contract):
    """A conversation."""

    thread_id: UUID


class OneMessage(Contract):
    """A message."""

    message_id: UUID


class OneResult(Contract):
    """A result of one of your tasks."""

    result_id: UUID


class Nothing(Contract):
    """No arguments."""


class SearchKnowledge(Contract):
    """What the team has written down."""

    words: str = Field(min_length=1, max_length=500)


@dataclass(frozen=True)
class Tool:
    """One tool. `effect` is None for a tool that only reads; `ends_turn` hands control back with it."""

    name: str
    says: str
    arguments: type[BaseModel]
    roles: frozenset[Role]
    needs: Capability | None = None
    effect: EffectKind | None = None
    mode: Mode | None = None
    ends_turn: bool = False


BOTH: Final = frozenset({Role.SUPERVISOR, Role.TASK})
CHIEF: Final = frozenset({Role.SUPERVISOR})
WORKER: Final = frozenset({Role.TASK})
E, C = EffectKind, Capability
TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool("assign", "Delegate one bounded job and go on; its result comes to you later.", Delegation, CHIEF, None,
             E.LAUNCH, Mode.ASSIGN),
        Tool("handoff", "Delegate one job you cannot go on without; your turn ends until its result is there.",
             Delegation, CHIEF, None, E.LAUNCH, Mode.HANDOFF, True),
        Tool("request_owner_gate", "Stop and ask the owner for a decision that is beyond your authority.", GateRequest,
             CHIEF, None, E.GATE, None, True),
        Tool("acknowledge", "Say that you inspected a result and used or discarded it. Needs the digest read_result "
             "gave you.", Acknowledgement, CHIEF, None, E.ACKNOWLEDGE),
        Tool("complete", "End the mission. Refused while a task is unacknowledged.", Completion, CHIEF, None,
             E.COMPLETE, None, True),
        Tool("propose_draft", "Put the text of a task's result before the reviewers of a message. Never sends.",
             DraftProposal, CHIEF, C.SAVE_DRAFT, E.PROPOSE_DRAFT),
        Tool("search_threads", "List conversations of the mailbox.", SearchThreads, BOTH, C.READ),
        Tool("read_thread", "List the messages of a conversation.", OneThread, BOTH, C.READ),
        Tool("read_message", "Read one message.", OneMessage, BOTH, C.READ),
        Tool("read_draft", "Read the current draft for a message.", OneMessage, BOTH, C.READ),
        Tool("read_result", "Read a result and its digest.", OneResult, CHIEF),
        Tool("list_tasks", "List your tasks and their stages.", Nothing, CHIEF),
        Tool("search_knowledge", "Search what the team has written down.", SearchKnowledge, BOTH, C.RETRIEVE),
        Tool("submit_result", "Hand in your result. This ends your task.", ResultDocument, WORKER, None, E.RESULT,
             None, True),
    )
}  # fmt: skip


class ToolFault(Exception):  # noqa: N818 - told to the agent, not a crash
    """A call that cannot be carried out; `code` is what the agent is told."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def offered(role: Role, capabilities: frozenset[str]) -> tuple[ToolSpec, ...]:
    """The tools this agent has."""
    mine = [t for t in TOOLS.values() if role in t.roles and (t.needs is None or t.needs in capabilities)]
    return tuple(_spec(tool.name) for tool in mine)


@cache
def _spec(name: str) -> ToolSpec:
    tool = TOOLS[name]
    return ToolSpec(name=name, description=tool.says, parameters=tool.arguments.model_json_schema())


def read_call(role: Role, capabilities: frozenset[str], name: str, arguments: str) -> tuple[Tool, BaseModel]:
    """The tool and its checked arguments. Raises ToolFault: unknown, not allowed, or arguments that do not fit."""
    tool = TOOLS.get(name)
    if tool is None or role not in tool.roles:
        raise ToolFault("unknown_tool")
    if tool.needs is not None and tool.needs not in capabilities:
        raise ToolFault("no_capability")
    return tool, _arguments(tool, arguments)


def _arguments(tool: Tool, arguments: str) -> BaseModel:
    try:
        given: Any = json.loads(arguments or "{}")
        if not isinstance(given, dict):
            raise ToolFault("wrong_arguments")
        if tool.effect is E.RESULT:
            return Raw(body=given)
        return tool.arguments.model_validate(given)
    except (ValidationError, ValueError, RecursionError) as fault:
        raise ToolFault(f"wrong_arguments: {_where(fault)}") from None


class Raw(BaseModel):
    """A result as submitted; its own rules judge it, with reasons of their own (M104)."""

    body: dict[str, Any]


def _where(fault: Exception) -> str:
    """Names of ours only: an argument's value may be a sender's words."""
    if not isinstance(fault, ValidationError):
        return "not a JSON object"
    known = {"task_key", "goal", "contact_id", "message_id", "capabilities", "supersedes", "reason", "result_id",
             "digest", "use", "outcome", "summary", "base_revision", "words", "category", "last_days",
             "unanswered_only", "thread_id", "decision_wanted", "why_not_derived", "finished_meanwhile",
             "cost_of_waiting", "safe_next_step", "subject_digest"}  # fmt: skip
    places = {str(error["loc"][0]) if error["loc"] else "" for error in fault.errors()}
    return ", ".join(sorted(place if place in known else "unknown field" for place in places))


def key_of(tool: Tool, arguments: BaseModel) -> str:
    """The stable key that makes two calls the same effect."""
    match arguments:
        case Delegation():
            return arguments.task_key
        case Acknowledgement():
            return str(arguments.result_id)
        case DraftProposal():
            return f"{arguments.message_id}/{arguments.result_id}"
        case GateRequest():
            return arguments.reason[:100]
    return tool.name
