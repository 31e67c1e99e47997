"""Everything a mission's workflow knows, in one value: carried across continue-as-new and copied to Postgres (D9)."""

from uuid import UUID

from pydantic import BaseModel, Field

from contracts.missions import CLOSED, GateReason, ItemKind, MissionStatus, Mode
from contracts.missions_calls import Copy, EffectOrder, GateCopy, ItemCopy, TurnCopy
from domain.missions.children import Child, Delegations
from domain.missions.gates import Gate, Gates
from domain.missions.turns import Item, Turn, TurnBook
from domain.missions.words import notice_id


class Known(BaseModel):
    """An input that was taken: the same id with other content is a conflict (M118)."""

    digest: str
    item_id: UUID


class MissionState(BaseModel):
    """Plain methods only: what changes together changes in one step, without waiting in between (M77)."""

    mission_id: UUID
    mailbox_id: UUID
    scope: str
    status: MissionStatus = MissionStatus.OPEN
    book: TurnBook = Field(default_factory=TurnBook)
    tasks: Delegations = Field(default_factory=Delegations)
    gates: Gates = Field(default_factory=Gates)
    requests: dict[str, Known] = Field(default_factory=dict)
    waiting_launches: dict[str, EffectOrder] = Field(default_factory=dict)
    seq: int = 0
    wait_reason: str = ""
    resumed_from: str = ""
    outcome: str = ""
    turn_limit: int | None = None
    cost_limit_usd: float | None = None
    cost_usd: float = 0.0
    turns_used: int = 0
    resumes: int = 0
    resting: str = ""
    successor_items: list[UUID] = Field(default_factory=list)

    # ------------------------------------------------------------ ends of openness

    def leave_open(self, status: MissionStatus, reason: str) -> list[UUID]:
        """Out of `open`, everything at once; returns the attempts to cancel. A closed mission is left as it is."""
        if self.status in CLOSED:
            return []
        self.status, self.outcome = status, reason if status is not MissionStatus.OWNER_GATE else self.outcome
        if status is MissionStatus.COMPLETED:
            self.successor_items = [i.item_id for i in self.book.pending if i.kind is ItemKind.OWNER_INPUT]
        self.book.fence(reason)
        self.waiting_launches.clear()
        if status is not MissionStatus.OWNER_GATE:
            self.gates.withdraw()
        return self.tasks.give_up(keep_ended=status is MissionStatus.OWNER_GATE)

    def gate(self, reason: GateReason, ref: UUID | None = None, detail: str = "") -> None:
        """Asks for a gate; it opens when it may."""
        self.gates.request(reason, self.book.gate_epoch, ref, detail)

    @property
    def gate_is_due(self) -> bool:
        """Is there a gate that nothing holds back any more?"""
        return self.status is MissionStatus.OPEN and self.gates.may_open(
            live_children=bool(self.tasks.live), queued_turns=bool(self.book.pending) or self.book.current is not None
        )

    # ------------------------------------------------------------ owner input

    def take_input(self, request_id: str, digest: str, item_id: UUID, gate_id: str) -> bool:
        """An accepted input: answers the gate it names, re-opens a gated mission, joins the queue. True if new."""
        if request_id in self.requests:
            return False
        self.requests[request_id] = Known(digest=digest, item_id=item_id)
        gate = self.gates.waiting if gate_id else None
        if gate is not None:
            self.gates.answer(gate, request_id, item_id)
        if self.status is MissionStatus.OWNER_GATE:
            self._reopen(gate)
        self.book.progress()
        self.resting, self.resumes = "", 0
        self.book.add(Item(item_id=item_id, kind=ItemKind.OWNER_INPUT, digest=digest, request_id=request_id,
                           gate_id=gate_id))  # fmt: skip
        return True

    def _reopen(self, gate: Gate | None) -> None:
        self.status, self.resumed_from = MissionStatus.OPEN, gate.gate_id if gate else ""
        self.book.reopen()

    def offer_again(self) -> None:
        """After a gate, results that stand are offered as new deliveries of the same result (D1)."""
        for child in self.tasks.unacknowledged:
            self.offer(child, self.book.gate_epoch)

    def offer(self, child: Child, delivery: int = 0) -> None:
        """Queues the notice of a result."""
        kind = ItemKind.HANDOFF_RESULT if child.mode is Mode.HANDOFF else ItemKind.ASSIGNED_RESULT
        self.book.add(Item(item_id=notice_id(child.attempt_id, delivery), kind=kind, ref=str(child.attempt_id)))

    # ------------------------------------------------------------ limits and copies

    @property
    def limit_reached(self) -> bool:
        """Has the mission used up its turns or its money? (M47a)"""
        turns = self.turn_limit is not None and self.turns_used >= self.turn_limit
        return turns or (self.cost_limit_usd is not None and self.cost_usd >= self.cost_limit_usd)

    def copied(self) -> Copy:
        """The whole current state for Postgres."""
        b = self.book
        return Copy(
            mission_id=self.mission_id,
            mailbox_id=self.mailbox_id,
            scope=self.scope,
            seq=self.seq,
            status=self.status,
            gate_epoch=b.gate_epoch,
            current_turn_no=b.current_no,
            no_progress=b.no_progress,
            wait_reason=self.wait_reason,
            resumed_from=self.resumed_from,
            outcome=self.outcome,
            turn_limit=self.turn_limit,
            cost_limit_usd=self.cost_limit_usd,
            turns=tuple(turn_copy(turn) for turn in b.turns),
            items=tuple(item_copy(item) for item in b.items),
            gates=tuple(_gate_copy(gate) for gate in self.gates.gates),
        )


def turn_copy(turn: Turn) -> TurnCopy:
    """A turn for Postgres."""
    return TurnCopy(
        turn_no=turn.no,
        kind=turn.kind,
        state=turn.state,
        continues_turn_no=turn.continues,
        superseded_by=turn.superseded_by,
        generation=turn.generation,
        attempts=turn.attempts,
        wait_reason=turn.wait_reason,
        resumed_from=turn.resumed_from,
        outcome=turn.outcome,
    )


def item_copy(item: Item) -> ItemCopy:
    """An inbox item for Postgres."""
    return ItemCopy(**item.model_dump())


def _gate_copy(gate: Gate) -> GateCopy:
    return GateCopy(**gate.model_dump())


