"""What a workflow has delegated and not yet settled: the barrier, and what a gate has to wait for (M101, M52)."""

from enum import StrEnum
from uuid import UUID

from pydantic import BaseModel, Field

from contracts.missions import Mode, ResultStatus


class ChildState(StrEnum):
    """A delegation as its parent sees it."""

    WAITING = "waiting"
    LIVE = "live"
    ENDED = "ended"
    ACKNOWLEDGED = "acknowledged"
    CANCELLED = "cancelled"
    FENCED = "fenced"


UNSETTLED = frozenset({ChildState.WAITING, ChildState.LIVE, ChildState.ENDED})


class Child(BaseModel):
    """One attempt of one delegation."""

    attempt_id: UUID
    task_key: str
    attempt_no: int
    mode: Mode
    workflow_id: str
    state: ChildState = ChildState.LIVE
    suffix: int = 0
    result: ResultStatus | None = None
    elsewhere: bool = False


class Delegations(BaseModel):
    """All children of one workflow. Pure bookkeeping; what it says is mirrored, not decided elsewhere."""

    children: list[Child] = Field(default_factory=list)

    def find(self, attempt_id: UUID) -> Child | None:
        """The child of that attempt."""
        return next((child for child in self.children if child.attempt_id == attempt_id), None)

    def by_key(self, task_key: str) -> Child | None:
        """The newest attempt of a task."""
        return next((child for child in reversed(self.children) if child.task_key == task_key), None)

    def launched(self, child: Child) -> Child:
        """Takes in a child; a repeat of a waiting one makes it live."""
        known = self.find(child.attempt_id)
        if known is None:
            self.children.append(child)
            return child
        if known.state is ChildState.WAITING:
            known.state = child.state
        return known

    def ended(self, attempt_id: UUID, status: ResultStatus) -> bool:
        """A result stands; False if that was known or came too late (M67, M68)."""
        child = self.find(attempt_id)
        if child is None or child.state not in (ChildState.LIVE, ChildState.WAITING):
            return False
        child.state, child.result = ChildState.ENDED, status
        return True

    def acknowledge(self, attempt_id: UUID) -> bool:
        """The only thing that lowers the barrier besides giving up; True the first time (M76)."""
        child = self.find(attempt_id)
        if child is None or child.state is not ChildState.ENDED:
            return False
        child.state = ChildState.ACKNOWLEDGED
        return True

    def give_up(self, reason_of: ChildState = ChildState.CANCELLED, *, keep_ended: bool) -> list[UUID]:
        """Cancels what is unsettled; with `keep_ended` recorded results survive (a gate, D1)."""
        stop = UNSETTLED - ({ChildState.ENDED} if keep_ended else set())
        given_up = [child for child in self.children if child.state in stop]
        for child in given_up:
            child.state = reason_of
        return [child.attempt_id for child in given_up]

    @property
    def barrier(self) -> int:
        """Delegations neither acknowledged nor explicitly given up."""
        return sum(child.state in UNSETTLED for child in self.children)

    @property
    def live(self) -> list[Child]:
        """Children that still work, or wait for room to."""
        return [child for child in self.children if child.state in (ChildState.LIVE, ChildState.WAITING)]

    @property
    def in_handoff(self) -> bool:
        """Does the workflow wait for an answer it cannot go on without? (M11)"""
        return any(child.mode is Mode.HANDOFF for child in self.live)

    @property
    def unacknowledged(self) -> list[Child]:
        """Results that stand and were not acknowledged."""
        return [child for child in self.children if child.state is ChildState.ENDED]

    def forget_settled(self) -> None:
        """Drops settled attempts but the newest of each task, so that a replacement still sees its predecessor."""
        newest = {child.task_key: child.attempt_id for child in self.children}
        self.children = [
            c for c in self.children if c.state in UNSETTLED or newest[c.task_key] == c.attempt_id
        ]
