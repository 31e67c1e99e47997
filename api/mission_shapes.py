"""Missions as the API shows them: the whole tree from the tables, so that nothing depends on a running workflow."""

from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel

from adapters.postgres import Transaction
from adapters.settings import Settings
from api.errors import not_found
from api.rows import plain, temporal_link
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
from domain.missions.stages import WAY

M = TypeVar("M", bound=BaseModel)


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


async def read_mission(tx: Transaction, settings: Settings, mission_id: UUID) -> MissionDetail:
    """The tree as it stands. Raises ApiError 404 for a mission nobody here may see."""
    row = await tx.one("mission_pages_one", mission_id)
    if row is None:
        raise not_found("mission")
    gates = [_model(GateShown, gate) for gate in await tx.rows("mission_pages_gates", mission_id)]
    turns = _by_scope(await tx.rows("mission_pages_turns", mission_id))
    missed = await tx.rows("mission_pages_missed_mail", mission_id, row["gate_epoch"])
    return MissionDetail(
        **{name: value for name, value in plain(row).items() if name in MissionDetail.model_fields},
        gate=waiting_gate(gates),
        missed_mail=[_model(MissedMail, mail) for mail in missed] if row["status"] == MissionStatus.OWNER_GATE else [],
        gates=gates,
        turns=turns.get(row["workflow_id"], []),
        tasks=_tree(await tx.rows("mission_pages_tasks", mission_id), row["workflow_id"], turns, settings),
        effects=[_model(EffectShown, effect) for effect in await tx.rows("mission_pages_effects", mission_id)],
        inputs=[_model(InputShown, given) for given in await tx.rows("mission_pages_inputs", mission_id)],
        stages=list(WAY),
        temporal=temporal_link(settings, row["workflow_id"]),
    )


def waiting_gate(gates: list[GateShown]) -> GateShown | None:
    """The gate that is asked for or stands open; gates come newest first."""
    return next((g for g in gates if g.state in (GateState.REQUESTED, GateState.OPEN_VISIBLE)), None)


def _model(shape: type[M], row: Any) -> M:
    return shape(**{name: value for name, value in plain(row).items() if name in shape.model_fields})


def _by_scope(rows: list[Any]) -> dict[str, list[TurnShown]]:
    found: dict[str, list[TurnShown]] = {}
    for row in rows:
        found.setdefault(row["scope"], []).append(_model(TurnShown, row))
    return found


def _tree(rows: list[Any], parent: str, turns: dict[str, list[TurnShown]], settings: Settings) -> list[TaskShown]:
    """The children of one workflow, each with its own children below it (M121)."""
    return [_task(row, rows, turns, settings) for row in rows if row["parent_workflow_id"] == parent]


def _task(row: Any, rows: list[Any], turns: dict[str, list[TurnShown]], settings: Settings) -> TaskShown:
    own = turns.get(row["scope"], [])
    suffix = f"/r{row['run_suffix']}" if row["run_suffix"] else ""
    known = {name: value for name, value in plain(row, "result").items() if name in TaskShown.model_fields}
    return TaskShown(
        **known,
        result=_result(row),
        turns=own,
        cost_usd=sum(turn.cost_usd or 0.0 for turn in own),
        children=_tree(rows, row["scope"], turns, settings),
        temporal=temporal_link(settings, row["scope"] + suffix),
    )


def _result(row: Any) -> ResultLine | None:
    if row["result"] is None:
        return None
    return ResultLine(
        status=row["result"], digest=row["result_digest"], summary=row["result_summary"] or "",
        fragments=row["fragments"], verified=row["verified"], used=row["used"],
    )  # fmt: skip


async def read_result(tx: Transaction, mission_id: UUID, result_id: UUID) -> ResultShown:
    """One document. Raises ApiError 404."""
    row = await tx.one("mission_pages_result", mission_id, result_id)
    if row is None:
        raise not_found("result")
    return _model(ResultShown, row)
