"""The whole tree of a mission from the tables, so that nothing people see depends on a running workflow."""

from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel

from adapters.postgres import Transaction
from adapters.settings import Settings
from api.errors import not_found
from api.mission_shapes import (
    EffectShown,
    GateShown,
    InputShown,
    MissedMail,
    MissionDetail,
    ResultLine,
    ResultShown,
    TaskShown,
    TurnShown,
)
from api.rows import plain, temporal_link
from contracts.missions import GateState, MissionStatus
from domain.missions.stages import WAY

M = TypeVar("M", bound=BaseModel)


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
