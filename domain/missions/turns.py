"""One current turn and one queue: what comes next, what it replaces, and what a late answer is worth (M25-M32, M109).

Turn numbers are given when a turn becomes the next one, so they only rise and the pointer never moves back.
"""

from collections.abc import Iterable
from uuid import UUID

from pydantic import BaseModel, Field

from contracts.missions import ItemKind, ItemState, TurnKind, TurnState
from domain.missions.pacing import guard_trips

LIVE = frozenset({TurnState.CLAIMED, TurnState.SENT, TurnState.ADMITTED})
ITEM_TURNS = {
    ItemKind.OWNER_INPUT: TurnKind.OWNER_INPUT,
    ItemKind.MAIL: TurnKind.INBOX_MESSAGE,
    ItemKind.ASSIGNED_RESULT: TurnKind.ASSIGNED_RESULT,
    ItemKind.HANDOFF_RESULT: TurnKind.HANDOFF_RESULTS,
    ItemKind.TASK: TurnKind.OWNER_INPUT,
}


class Item(BaseModel):
    """A queued transport with the identity it was created under (M26, M30)."""

    item_id: UUID
    kind: ItemKind
    ref: str = ""
    digest: str = ""
    request_id: str = ""
    gate_id: str = ""
    gate_epoch: int = 0
    created_turn_no: int = 0
    seq: int = 0
    state: ItemState = ItemState.PENDING
    turn_no: int | None = None
    reason: str = ""


class Turn(BaseModel):
    """One numbered unit of input."""

    no: int
    kind: TurnKind
    state: TurnState = TurnState.QUEUED
    item_ids: list[UUID] = Field(default_factory=list)
    continues: int | None = None
    superseded_by: int | None = None
    generation: int = 1
    attempts: int = 0
    wait_reason: str = ""
    resumed_from: str = ""
    outcome: str = ""
    token: str = ""
    resume_token: str = ""


class TurnBook(BaseModel):
    """The queue and the turns of one workflow. Everything here is plain and synchronous."""

    gate_epoch: int = 0
    last_no: int = 0
    current_no: int = 0
    last_seq: int = 0
    no_progress: int = 0
    items: list[Item] = Field(default_factory=list)
    turns: list[Turn] = Field(default_factory=list)
    planned: Turn | None = None

    # ------------------------------------------------------------ the queue

    def add(self, item: Item) -> Item:
        """Queues an item under this epoch and turn; a known id is the same item."""
        for known in self.items:
            if known.item_id == item.item_id:
                return known
        self.last_seq += 1
        item.gate_epoch, item.created_turn_no, item.seq = self.gate_epoch, self.current_no, self.last_seq
        self.items.append(item)
        return item

    @staticmethod
    def undeliverable(item: Item, reason: str) -> None:
        """Recorded where it is, and never delivered (M135a)."""
        if item.state is ItemState.PENDING:
            item.state, item.reason = ItemState.FAILED, reason

    @property
    def pending(self) -> list[Item]:
        """Items nobody has had yet, oldest first."""
        return [item for item in self.items if item.state is ItemState.PENDING and item.turn_no is None]

    @property
    def current(self) -> Turn | None:
        """The turn that is under way."""
        turn = self._turn(self.current_no)
        return turn if turn is not None and turn.state in LIVE else None

    def _turn(self, no: int) -> Turn | None:
        return next((turn for turn in self.turns if turn.no == no), None)

    def is_current(self, no: int) -> bool:
        """May the turn still cause anything? (D7, M63)"""
        return self.current is not None and self.current_no == no

    # ------------------------------------------------------------ what is next

    def plan(self, kind: TurnKind, continues: int | None = None) -> Turn:
        """Mints the turn the system makes itself: a continuation, or the resume of an interrupted turn."""
        self.last_no += 1
        self.planned = Turn(no=self.last_no, kind=kind, continues=continues)
        self.turns.append(self.planned)
        return self.planned

    def take(self, *, only_handoffs: bool = False) -> Turn | None:
        """Makes the next turn current: a resume, else the oldest input, else the planned continuation.

        An input disables a waiting continuation for good (M62). Handoff results that are ready share the turn (M108)
        and come first, for without them the supervisor makes no step (M11, M12).
        """
        if self.planned is not None and self.planned.kind in (TurnKind.RESUME, TurnKind.RECOVERY):
            return self._begin(self.planned)
        answers = [item for item in self.pending if item.kind is ItemKind.HANDOFF_RESULT]
        waiting = answers or ([] if only_handoffs else self.pending)
        if waiting:
            return self._begin_with(waiting)
        if self.planned is not None and not only_handoffs:
            return self._begin(self.planned)
        return None

    def _begin_with(self, waiting: list[Item]) -> Turn:
        first, stale = waiting[0], self.planned
        shared = [i for i in waiting if i.kind is first.kind] if first.kind is ItemKind.HANDOFF_RESULT else [first]
        self.last_no += 1
        turn = Turn(no=self.last_no, kind=ITEM_TURNS[first.kind], item_ids=[item.item_id for item in shared])
        self.turns.append(turn)
        for item in shared:
            item.turn_no = turn.no
        if stale is not None:
            stale.state, stale.superseded_by, self.planned = TurnState.SUPERSEDED, turn.no, None
        return self._begin(turn)

    def _begin(self, turn: Turn) -> Turn:
        if self.planned is turn:
            self.planned = None
        turn.state, self.current_no = TurnState.CLAIMED, turn.no
        return turn

    def put_back(self, turn: Turn, reason: str) -> None:
        """Capacity was refused: the same turn waits, its attempts unchanged (M58)."""
        turn.wait_reason = reason

    def admitted(self, turn: Turn) -> None:
        """The receiver has it: its items are delivered."""
        if turn.state in LIVE:
            turn.state, turn.wait_reason = TurnState.ADMITTED, ""
            self._mark(turn.item_ids, ItemState.DELIVERED)

    def again(self, turn: Turn, generation: int) -> None:
        """No receipt: the same turn id once more, under a generation an old worker cannot use (M89)."""
        turn.generation, turn.attempts, turn.state = generation, turn.attempts + 1, TurnState.CLAIMED

    # ------------------------------------------------------------ ends

    def finish(self, turn: Turn, outcome: str) -> None:
        """The turn is over; only a current one can be (M111)."""
        if self.is_current(turn.no):
            turn.state, turn.outcome = TurnState.FINISHED, outcome

    def final(self, turn: Turn, *, waits_for_children: bool) -> bool:
        """An ordinary final. Counted unless something is owed anyway; True if a continuation was planned (M110)."""
        if not self.is_current(turn.no):
            return False
        self.finish(turn, "final")
        if waits_for_children:
            return False
        self.no_progress += 1
        if self.pending or guard_trips(self.no_progress):
            return False
        self.plan(TurnKind.CONTINUATION, turn.no)
        return True

    def undelivered(self, turn: Turn) -> None:
        """The delivery budget is spent: neither turn nor items come back by themselves (M113)."""
        self.finish(turn, "delivery_failed")
        for item in self.items:
            if item.item_id in turn.item_ids:
                self.undeliverable(item, "delivery_failed")

    def interrupt(self, turn: Turn) -> Turn:
        """Cut off after its receipt: it is over, and a new turn carries it on with what it was given (M73)."""
        self.finish(turn, "interrupted")
        resume = self.plan(TurnKind.RESUME, turn.no)
        resume.item_ids, resume.resume_token, resume.resumed_from = list(turn.item_ids), turn.token, turn.resumed_from
        return resume

    def progress(self) -> None:
        """Owner input or a recorded result: the count begins anew (M45, M46)."""
        self.no_progress = 0

    def fence(self, reason: str) -> list[UUID]:
        """Leaving open: no queued turn and no pending item survives it. Repeating changes nothing (M77, M32)."""
        for turn in self.turns:
            if turn.state is TurnState.QUEUED or turn.state in LIVE:
                turn.state, turn.outcome = TurnState.CANCELLED, reason
        self.planned = None
        stale = [item for item in self.items if item.state is ItemState.PENDING]
        for item in stale:
            item.state, item.reason = ItemState.FAILED, reason
        return [item.item_id for item in stale]

    def reopen(self) -> None:
        """Out of a gate: a new stretch of openness with nothing of the old one in its queue."""
        self.gate_epoch += 1
        self.no_progress = 0

    def _mark(self, item_ids: Iterable[UUID], state: ItemState) -> None:
        wanted = set(item_ids)
        for item in self.items:
            if item.item_id in wanted and item.state is ItemState.PENDING:
                item.state = state

    def forget_settled(self, keep: int = 64) -> None:
        """Drops what is over and copied, so that the state carried along stays small."""
        self.turns = [t for t in self.turns if t.state not in (TurnState.FINISHED, TurnState.SUPERSEDED)
                      or t.no >= self.current_no - 1]  # fmt: skip
        settled = [item for item in self.items if item.state is not ItemState.PENDING]
        for item in settled[:-keep]:
            self.items.remove(item)
