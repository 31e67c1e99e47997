"""Missions as the API shows them, field by field."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from contracts.missions import (
    Capability,
    EffectState,
    GateReason,
    GateState,
    MissionKind,
    MissionStatus,
    Mode,
    ResultStatus,
    Stage,
    TurnKind,
    TurnState,
)


class MissionRow(BaseModel):
    """One mission of the list; `goal` is its beginning, `decision_wanted` the question of the gate it waits at."""

    id: UUID
    mailbox_id: UUID
    mailbox: str
    kind: MissionKind
    goal: str
    status: MissionStatus
    wait_reason: str
    launched_by: str
    turns: int
    turn_limit: int | None
    cost_usd: float
    cost_limit_usd: float | None
    tasks: int
    tasks_open: int
    decision_wanted: str | None
    outcome: str
    inbound_message_id: UUID | None
    created_at: datetime
    changed_at: datetime
    closed_at: datetime | None


class MissionPage(BaseModel):
    """Newest first; `next_cursor` is empty on the last page."""

    missions: list[MissionRow]
    next_cursor: UUID | None


class TurnShown(BaseModel):
    """One turn with what its model calls took: milliseconds, tokens and US dollars."""

    turn_no: int
    kind: TurnKind
    state: TurnState
    continues_turn_no: int | None
    superseded_by: int | None
    attempts: int
    wait_reason: str
    resumed_from: str
    outcome: str
    said: str
    tool_faults: int
    receipt_at: datetime | None
    created_at: datetime
    ended_at: datetime | None
    model: str | None
    calls: int | None
    model_ms: int | None
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    unpriced: bool


class ResultLine(BaseModel):
    """A result in one line; the document stands at `/api/missions/{id}/results/{attempt_id}`."""

    status: ResultStatus
    digest: str
    summary: str
    fragments: int
    verified: bool
    used: str | None


class TaskShown(BaseModel):
    """One attempt of one delegation; `stage_times` has the moment of every stage it reached (M18)."""

    attempt_id: UUID
    task_key: str
    attempt_no: int
    mode: Mode
    profile: str
    goal: str
    contact_id: UUID | None
    message_id: UUID | None
    capabilities: list[Capability]
    delegated_by_turn: int
    supersedes: UUID | None
    stage: Stage
    stage_times: dict[str, datetime]
    wait_reason: str
    run_suffix: int
    recovery_used: int
    reason: str
    created_at: datetime
    cost_usd: float
    result: ResultLine | None
    turns: list[TurnShown]
    children: list["TaskShown"]
    temporal: str | None


class GateShown(BaseModel):
    """A gate with the five things an owner is told, and the answer it got (M132)."""

    gate_id: str
    gate_epoch: int
    reason: GateReason
    decision_wanted: str
    why_not_derived: str
    finished_meanwhile: str
    cost_of_waiting: str
    safe_next_step: str
    subject_digest: str
    detail: str
    state: GateState
    wait_reason: str
    answer_kind: str | None
    answer: str | None
    answered_by: str | None
    created_at: datetime
    changed_at: datetime


class EffectShown(BaseModel):
    """One row of the effect ledger; `verdict` is evidence added later (M129)."""

    effect_id: UUID
    scope: str
    turn_no: int
    kind: str
    stable_key: str
    claim_no: int
    state: EffectState
    code: str
    gate_id: str
    result_ref: str
    verdict: str | None
    created_at: datetime
    changed_at: datetime


class InputShown(BaseModel):
    """What an owner said, and what became of it."""

    item_id: UUID
    input_kind: str
    text: str
    request_id: str
    gate_id: str
    actor: str
    actor_name: str | None
    state: str
    reason: str
    applied: bool
    turn_no: int | None
    created_at: datetime


class MissedMail(BaseModel):
    """Mail that came while the mission stood at its gate; an approval names the newest as seen (M135a)."""

    message_id: UUID
    created_at: datetime


class MissionDetail(BaseModel):
    """The tree of one mission. `gate` is the one that waits for an answer."""

    id: UUID
    mailbox_id: UUID
    mailbox: str
    workflow_id: str
    kind: MissionKind
    goal: str
    status: MissionStatus
    wait_reason: str
    launched_by: str
    launched_by_name: str | None
    capabilities: list[Capability]
    gate_epoch: int
    no_progress: int
    resumed_from: str
    predecessor_id: UUID | None
    successor_id: UUID | None
    inbound_message_id: UUID | None
    superseded_by: UUID | None
    turns_used: int
    turn_limit: int | None
    cost_usd: float
    cost_limit_usd: float | None
    outcome: str
    summary: str
    created_at: datetime
    changed_at: datetime
    closed_at: datetime | None
    gate: GateShown | None
    missed_mail: list[MissedMail]
    gates: list[GateShown]
    turns: list[TurnShown]
    tasks: list[TaskShown]
    effects: list[EffectShown]
    inputs: list[InputShown]
    stages: list[Stage]
    temporal: str | None


class ResultShown(BaseModel):
    """The document of a result, as its task recorded it; it never changes (M23)."""

    result_id: UUID
    mission_id: UUID
    task_key: str
    attempt_no: int
    status: ResultStatus
    document: dict[str, Any]
    digest: str
    verified: bool
    used: str | None
    recorded_at: datetime
    delivered_at: datetime | None
    read_at: datetime | None
    acknowledged_at: datetime | None
    acknowledged_by_turn: int | None
