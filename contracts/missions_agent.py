"""The seam between a turn and whoever thinks in it: what an agent sees, and what it may answer.

The same seam serves a model and a rule function, so that a mission runs the same way without any model.
"""

from enum import StrEnum
from typing import Any
from uuid import UUID

from pydantic import Field

from contracts.base import Contract
from contracts.missions import TurnKind


class Role(StrEnum):
    """Who sits in the seat."""

    SUPERVISOR = "supervisor"
    TASK = "task"


class ToolCall(Contract):
    """One call an agent wants; `arguments` is JSON text as the agent gave it."""

    call_id: str
    tool: str
    arguments: str


class StepEnd(StrEnum):
    """How one answer of an agent ended. `cut`: the stream or the length ended first, so nobody knows."""

    STOP = "stop"
    CALLS = "calls"
    CUT = "cut"
    IDLE = "idle"
    IN_PROGRESS = "in_progress"
    REFUSED = "refused"


class AgentStep(Contract):
    """One answer of an agent."""

    end: StepEnd
    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class Entry(Contract):
    """One thing already said in this turn: a call, its answer, or a text."""

    kind: str
    call_id: str = ""
    tool: str = ""
    body: str = ""


class Input(Contract):
    """One item of the turn's input. Only an owner's words are instructions; everything else is data."""

    kind: str
    ref: str = ""
    text: str = ""
    from_owner: bool = False


class ToolSpec(Contract):
    """A tool as the agent is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]


class Seat(Contract):
    """Everything an agent gets for one answer: fresh and whole each time, so no provider has to remember it (M84)."""

    role: Role
    mission_id: UUID
    mailbox_id: UUID
    scope: str
    turn_no: int
    turn_kind: TurnKind
    trusted: str
    goal: str
    inputs: tuple[Input, ...] = ()
    earlier: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    contact_id: UUID | None = None
    message_id: UUID | None = None
    capabilities: tuple[str, ...] = ()
    extra: dict[str, Any] = Field(default_factory=dict)
