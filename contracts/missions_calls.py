"""What crosses between mission workflows and their activities: ids, enums and numbers, never a text (V17)."""

from uuid import UUID

from pydantic import Field

from contracts.base import Contract
from contracts.missions import (
    Capability,
    EffectKind,
    EffectState,
    GateReason,
    GateState,
    InputKind,
    ItemKind,
    ItemState,
    MissionStatus,
    Mode,
    Pool,
    ResultStatus,
    TurnEnd,
    TurnKind,
    TurnState,
)

REQUEST_ID = Field(min_length=8, max_length=100)


class MissionStart(Contract):
    """What the relay hands to an owner mission; `carried` is the state of the run before (continue-as-new)."""

    mission_id: UUID
    mailbox_id: UUID
    carried: str = ""


class MissionEnd(Contract):
    """How a mission ended."""

    mission_id: UUID
    status: MissionStatus


class TaskStart(Contract):
    """One execution of one attempt. `scope` is the id without the recovery suffix, under which its rows stand."""

    mission_id: UUID
    mailbox_id: UUID
    attempt_id: UUID
    scope: str
    suffix: int = 0
    last_turn_no: int = 0
    last_seq: int = 0
    recovery_used: int = 0
    interrupted_turn_no: int | None = None


class TaskEnd(Contract):
    """The end of a task's execution is the transport of its notice: it names the result and nothing of it (D3)."""

    attempt_id: UUID
    status: ResultStatus


class OwnerInput(Contract):
    """Update `owner_input`: a stored input, named by id. `gate_id` is needed while the mission is gated."""

    request_id: str = REQUEST_ID
    item_id: UUID
    kind: InputKind
    digest: str
    gate_id: str = ""
    turn_limit: int | None = None
    cost_limit_usd: float | None = None


class CancelOrder(Contract):
    """Update `cancel`: the mission, or one task of it."""

    request_id: str = REQUEST_ID
    task_key: str = ""
    reason: str = "owner"


class InputAnswer(Contract):
    """What became of an input: the item it is, and whether this is a repeat."""

    item_id: UUID
    status: MissionStatus
    repeated: bool = False


class Proposal(Contract):
    """An effect a turn asks for. The body is stored under `ref`; history has its digest and what decides its path."""

    ref: UUID
    kind: EffectKind
    key: str = Field(max_length=200)
    digest: str
    mode: Mode | None = None
    gate_reason: GateReason | None = None


class Answer(Contract):
    """What became of a proposal, in a code the agent is told."""

    ref: UUID
    ok: bool
    code: str


class TurnRequest(Contract):
    """One step of one turn. `token` is issued with the receipt; `resume_token` proves the turn it carries on (M117)."""

    mission_id: UUID
    mailbox_id: UUID
    scope: str
    turn_no: int
    generation: int
    step: int
    kind: TurnKind
    token: str
    attempt_id: UUID | None = None
    item_ids: tuple[UUID, ...] = ()
    continues_turn_no: int | None = None
    resume_token: str = ""
    resumed_from: str = ""
    answers: tuple[Answer, ...] = ()


class TurnResult(Contract):
    """What one dispatch came to. `progress` says the model was seen working on this turn (M115)."""

    end: TurnEnd
    proposals: tuple[Proposal, ...] = ()
    progress: bool = False
    cost_usd: float = 0.0
    fault: str = ""


class ReclaimRequest(Contract):
    """After a lost dispatch: was the turn received? If not, its generation rises so that it never can be (D6)."""

    scope: str
    turn_no: int
    generation: int


class ReclaimResult(Contract):
    """`received` decides between a resume turn and the same turn again."""

    received: bool
    generation: int


class SlotAsk(Contract):
    """A wish for one lease of a pool; asking again under the same holder is the same wish."""

    pool: Pool
    holder: str
    transfer_from: str = ""


class TurnCopy(Contract):
    """A turn as it stands."""

    turn_no: int
    kind: TurnKind
    state: TurnState
    continues_turn_no: int | None = None
    superseded_by: int | None = None
    generation: int = 1
    attempts: int = 0
    wait_reason: str = ""
    resumed_from: str = ""
    outcome: str = ""


class ItemCopy(Contract):
    """An inbox item as it stands."""

    item_id: UUID
    kind: ItemKind
    ref: str
    digest: str = ""
    request_id: str = ""
    gate_id: str = ""
    gate_epoch: int
    created_turn_no: int
    seq: int
    state: ItemState
    turn_no: int | None = None
    reason: str = ""


class GateCopy(Contract):
    """A gate as it stands; what it says to the owner is the body stored under `ref`, or the system's words."""

    gate_id: str
    gate_epoch: int
    reason: GateReason
    state: GateState
    ref: UUID | None = None
    detail: str = ""
    request_id: str = ""
    item_id: UUID | None = None
    wait_reason: str = ""


class Copy(Contract):
    """The whole current state of one workflow, copied under a sequence number (6.1)."""

    mission_id: UUID
    mailbox_id: UUID
    scope: str
    workflow_id: str = ""
    attempt_id: UUID | None = None
    seq: int
    status: MissionStatus
    gate_epoch: int = 0
    current_turn_no: int = 0
    no_progress: int = 0
    recovery_used: int = 0
    wait_reason: str = ""
    resumed_from: str = ""
    outcome: str = ""
    turn_limit: int | None = None
    cost_limit_usd: float | None = None
    turns: tuple[TurnCopy, ...] = ()
    items: tuple[ItemCopy, ...] = ()
    gates: tuple[GateCopy, ...] = ()


class RecordRequest(Contract):
    """Copy the state and settle what goes with it in the same transaction, in this order: ends, releases, one wish."""

    copy_of: Copy
    launched: tuple[UUID, ...] = ()
    cancelled: tuple[UUID, ...] = ()
    fenced: tuple[UUID, ...] = ()
    retired: tuple[UUID, ...] = ()
    released: tuple[str, ...] = ()
    closing: bool = False
    successor_items: tuple[UUID, ...] = ()
    ask: SlotAsk | None = None


class Recorded(Contract):
    """Was the wish granted, and what the tables know that the workflow does not."""

    granted: bool = True
    wait_reason: str = ""
    turn_limit: int | None = None
    cost_limit_usd: float | None = None
    cost_usd: float = 0.0


class EffectOrder(Contract):
    """One effect to be claimed and carried out; the same token twice is the same claim."""

    mission_id: UUID
    mailbox_id: UUID
    scope: str
    turn_no: int
    gate_epoch: int
    kind: EffectKind
    key: str
    ref: UUID
    digest: str
    token: str
    attempt_id: UUID | None = None


class LaunchedAttempt(Contract):
    """What a claimed launch is to start."""

    attempt_id: UUID
    task_key: str
    attempt_no: int
    mode: Mode
    workflow_id: str
    supersedes: UUID | None = None


class EffectAnswer(Contract):
    """What became of the effect: its state in the ledger and a code for whoever asked."""

    state: EffectState
    code: str
    attempt: LaunchedAttempt | None = None
    acknowledged: UUID | None = None
    result_status: ResultStatus | None = None

    @property
    def done(self) -> bool:
        """Did it happen, now or before?"""
        return self.state is EffectState.COMPLETED or (self.state is EffectState.CLAIMED and self.attempt is not None)


class EndedRequest(Contract):
    """The engine says a task's execution is over; what do the tables say? (M64-M67)"""

    mission_id: UUID
    mailbox_id: UUID
    attempt_id: UUID
    suffix: int
    failure: str = ""
    cancelled: bool = False


class EndedAnswer(Contract):
    """`status` set: there is a result, deliver it. Otherwise start the next cycle from where the last one stood."""

    status: ResultStatus | None = None
    last_turn_no: int = 0
    last_seq: int = 0
    recovery_used: int = 0
    interrupted_turn_no: int | None = None


class GiveUpRequest(Contract):
    """A task ends itself without a result of its own: recorded as incomplete, never as success (M66, M69)."""

    mission_id: UUID
    mailbox_id: UUID
    attempt_id: UUID
    reason: str
    status: ResultStatus = ResultStatus.INCOMPLETE


class GiveUpAnswer(Contract):
    """The status that stands, which may be an earlier one."""

    status: ResultStatus


class Grant(Contract):
    """What a mission may do, as given to a child at most in part."""

    capabilities: tuple[Capability, ...]
