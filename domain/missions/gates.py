"""Owner gates: asked for, opened when nothing else can go on, answered once, and used by exactly one turn (M49-M58)."""

from uuid import UUID

from pydantic import BaseModel, Field

from contracts.missions import GateReason, GateState, MissionStatus
from domain.missions.authority import CANNOT_WAIT

ANSWERABLE = frozenset({GateState.REQUESTED, GateState.OPEN_VISIBLE})


class Gate(BaseModel):
    """One stop before the owner."""

    gate_id: str
    gate_epoch: int
    reason: GateReason
    state: GateState = GateState.REQUESTED
    ref: UUID | None = None
    detail: str = ""
    request_id: str = ""
    item_id: UUID | None = None
    wait_reason: str = ""


class Gates(BaseModel):
    """All gates of a mission; at most one waits for an answer."""

    gates: list[Gate] = Field(default_factory=list)

    @property
    def waiting(self) -> Gate | None:
        """The gate that is asked for or stands open."""
        return next((gate for gate in reversed(self.gates) if gate.state in ANSWERABLE), None)

    @property
    def answered(self) -> Gate | None:
        """The gate whose answer has not been used yet."""
        return next((gate for gate in reversed(self.gates) if gate.state is GateState.ANSWERED), None)

    def request(self, reason: GateReason, epoch: int, ref: UUID | None = None, detail: str = "") -> Gate:
        """A new gate; one that cannot wait takes the place of one that was only asked for."""
        waiting = self.waiting
        if waiting is not None and reason in CANNOT_WAIT:
            waiting.state = GateState.WITHDRAWN
        gate = Gate(gate_id=f"{epoch}.{len(self.gates) + 1}", gate_epoch=epoch, reason=reason, ref=ref, detail=detail)
        self.gates.append(gate)
        return gate

    def may_open(self, *, live_children: bool, queued_turns: bool) -> bool:
        """Is it time? A gate that can wait lets children and queued turns go first (D1)."""
        gate = self.waiting
        if gate is None or gate.state is GateState.OPEN_VISIBLE:
            return False
        return gate.reason in CANNOT_WAIT or not (live_children or queued_turns)

    def answer(self, gate: Gate, request_id: str, item_id: UUID) -> None:
        """The owner has spoken; the answer is used by the turn made of this item and by no other (M55)."""
        gate.state, gate.request_id, gate.item_id = GateState.ANSWERED, request_id, item_id

    def consume(self, item_ids: list[UUID]) -> Gate | None:
        """The answer's turn was admitted."""
        gate = self.answered
        if gate is None or gate.item_id not in item_ids:
            return None
        gate.state, gate.wait_reason = GateState.CONSUMED, ""
        return gate

    def withdraw(self) -> None:
        """The mission is over; nobody is asked any more."""
        for gate in self.gates:
            if gate.state in ANSWERABLE:
                gate.state = GateState.WITHDRAWN


def input_objection(status: MissionStatus, waiting: Gate | None, gate_id: str) -> str | None:
    """Why an owner's input is not taken: the mission is closed, or the input names no gate or an old one (M53)."""
    if status not in (MissionStatus.OPEN, MissionStatus.OWNER_GATE):
        return "closed"
    if status is MissionStatus.OWNER_GATE and (waiting is None or gate_id != waiting.gate_id):
        return "old_gate" if gate_id else "gate_required"
    if status is MissionStatus.OPEN and gate_id and (waiting is None or waiting.gate_id != gate_id):
        return "old_gate"
    return None
