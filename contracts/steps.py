"""What a step gets and what it gives back to the walker: ids and a decision in one of three shapes (P12-P14)."""

from enum import StrEnum
from uuid import UUID

from contracts.base import Contract
from contracts.status import HoldReason, Status, StepKind


class RunContext(Contract):
    """Which message, which run, and under which switches a step works."""

    message_id: UUID
    mailbox_id: UUID
    thread_id: UUID
    run_no: int
    restart_no: int = 0
    agent_on: bool = True


class StepInput(Contract):
    """The one argument of every step activity; earlier outputs are named by (message, run, kind)."""

    run: RunContext
    step: StepKind


class Shape(StrEnum):
    """The three shapes a walker understands; it holds no rule of its own (P13)."""

    IN_STATE = "in_state"
    TRANSITION = "transition"
    DONE = "done"


class Route(Contract):
    """Where a step's output leads."""

    shape: Shape
    to: Status | None = None
    next_step: StepKind | None = None
    reason: str = ""
    hold: HoldReason | None = None


def in_state(next_step: StepKind) -> Route:
    """Keep the status and begin the next step."""
    return Route(shape=Shape.IN_STATE, next_step=next_step)


def transition(to: Status, reason: str = "", next_step: StepKind | None = None) -> Route:
    """Change the status and begin the next step if one is named."""
    return Route(shape=Shape.TRANSITION, to=to, reason=reason, next_step=next_step)


def done(reason: str = "", hold: HoldReason | None = None) -> Route:
    """Stop the chain; the workflow stays open for a person, a flag change or a wake."""
    return Route(shape=Shape.DONE, reason=reason, hold=hold)
