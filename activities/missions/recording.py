"""Copies a workflow's whole state to Postgres in one transaction, and settles what goes with it (6.1).

The workflow is the authority: a lower number is ignored, the same number with another digest replaces.
"""

import hashlib
from typing import Any
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults
from activities.missions import capacity
from activities.ports import Database, Row, Transaction
from contracts.barriers import barrier
from contracts.missions import CLOSED, MissionStatus, Stage
from contracts.missions_calls import Copy, Recorded, RecordRequest
from domain.missions import stages
from domain.missions.results import digest_of
from domain.missions.words import goal_item_id, system_gate_words

GATE_EVENTS = {"open_visible": "gate.opened", "answered": "gate.answered", "consumed": "gate.consumed"}


class Recording:
    """The activity `mission_record`; repeating it changes nothing."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @activity.defn(name="mission_record")
    async def record(self, request: RecordRequest) -> Recorded:
        """The copy, then ends of attempts, then leases given back, then the one wish."""
        async with named_faults("mission_record"), self.database.transaction() as tx:
            recorded = await _record(tx, request)
        await barrier(f"after_mission_record/{_point(request)}", request.copy_of.scope)
        return recorded


def _point(request: RecordRequest) -> str:
    """Where a fault test may hold this call."""
    if request.closing or request.copy_of.status is not MissionStatus.OPEN:
        return str(request.copy_of.status)
    return "retired" if request.retired else "open"


async def _record(tx: Transaction, request: RecordRequest) -> Recorded:
    copy = request.copy_of
    mission = await tx.must("mission_states", copy.mission_id)
    if await _copy_row(tx, copy):
        await _copy_parts(tx, copy)
        if copy.attempt_id is None:
            await _tell(tx, copy, mission)
    await _settle(tx, request)
    refused = ""
    if request.ask is not None:
        row = {"id": copy.mission_id, "mailbox_id": copy.mailbox_id}
        refused = await capacity.ask(tx, row, request.ask, _wakes(copy))
        if refused:
            await _event(tx, copy, "capacity.wait", request.ask.holder, refused)
    limits = await tx.must("mission_limits", copy.mission_id)
    return Recorded(
        granted=not refused,
        wait_reason=refused,
        turn_limit=limits["turn_limit"],
        cost_limit_usd=float(limits["cost_limit_usd"]) if limits["cost_limit_usd"] is not None else None,
        cost_usd=float(limits["cost_usd"]),
    )


def _wakes(copy: Copy) -> str:
    """The workflow that waits: a task's own execution may carry a recovery suffix."""
    return copy.workflow_id or copy.scope


async def _copy_row(tx: Transaction, copy: Copy) -> bool:
    digest = hashlib.sha256(copy.model_dump_json().encode()).hexdigest()
    if copy.attempt_id is not None:
        return bool(
            await tx.run(
                "mission_copy_task", copy.attempt_id, copy.seq, digest, copy.current_turn_no, copy.no_progress,
                copy.wait_reason, copy.recovery_used,
            )
        )  # fmt: skip
    return bool(
        await tx.run(
            "mission_copy", copy.mission_id, copy.seq, digest, copy.status, copy.gate_epoch, copy.current_turn_no,
            copy.no_progress, copy.wait_reason, copy.resumed_from, copy.outcome, copy.turn_limit, copy.cost_limit_usd,
        )
    )  # fmt: skip


async def _copy_parts(tx: Transaction, copy: Copy) -> None:
    own = (copy.scope, copy.mission_id, copy.mailbox_id)
    if copy.turns:
        await tx.run("mission_copy_turns", *own, _listed(copy.turns))
    if copy.items:
        await tx.run("mission_copy_items", *own, _listed(copy.items))
    if copy.gates:
        await tx.run("mission_copy_gates", copy.mission_id, copy.mailbox_id, [_gate(gate) for gate in copy.gates])


def _listed(parts: Any) -> list[dict[str, Any]]:
    return [part.model_dump(mode="json") for part in parts]


def _gate(gate: Any) -> dict[str, Any]:
    return gate.model_dump(mode="json") | {"words": system_gate_words(gate.reason, gate.detail)}


async def _tell(tx: Transaction, copy: Copy, before: Row) -> None:
    """The feed of the pages: only what changed."""
    if before["status"] != copy.status:
        await _event(tx, copy, "mission.status", str(copy.mission_id), copy.status)
    if before["current_turn_no"] != copy.current_turn_no and copy.current_turn_no:
        await _event(tx, copy, "turn.state", f"{copy.scope}#{copy.current_turn_no}", "claimed")
    known = before["gates"] or {}
    for gate in copy.gates:
        if known.get(gate.gate_id) != gate.state and gate.state in GATE_EVENTS:
            await _event(tx, copy, GATE_EVENTS[gate.state], gate.gate_id, gate.reason)


async def _event(tx: Transaction, copy: Copy, kind: str, subject: str, value: str) -> None:
    await tx.run("mission_event", copy.mission_id, copy.mailbox_id, kind, subject, value)


async def _settle(tx: Transaction, request: RecordRequest) -> None:
    copy = request.copy_of
    for attempt in request.launched:
        await tx.run("mission_launched", copy.mission_id, str(attempt))
        await _move(tx, attempt, Stage.ADMITTED)
    for attempt in request.cancelled:
        await _move(tx, attempt, Stage.CANCELLED)
    for attempt in request.fenced:
        await _move(tx, attempt, Stage.FENCED)
    for attempt in request.retired:
        await _move(tx, attempt, Stage.RETIRED)
    released = [*request.released, *(str(a) for a in (*request.retired, *request.cancelled, *request.fenced))]
    if released:
        await capacity.release(tx, copy.mission_id, released)
    if request.closing:
        await _close(tx, request)


async def _move(tx: Transaction, attempt_id: UUID, to: Stage) -> None:
    """Along the way of M18 only; a repeat, or a stage that is past it already, changes nothing."""
    await tx.run("turn_stage", attempt_id, to, [s for s in Stage if stages.allowed(s, to)])


async def _succeed(tx: Transaction, request: RecordRequest) -> None:
    """One new mission for what the owner had said and nobody had touched (M119)."""
    made = await tx.one("mission_successor", request.copy_of.mission_id, list(request.successor_items))
    if made is not None:
        await tx.run(
            "mission_goal_input", goal_item_id(made["id"]), made["id"], made["mailbox_id"], made["workflow_id"],
            made["goal"], digest_of(made["goal"]), made["launched_by"],
        )  # fmt: skip


async def _close(tx: Transaction, request: RecordRequest) -> None:
    """Nothing deliverable is left behind, and nothing scarce is kept (M77, M78)."""
    copy = request.copy_of
    await tx.run("mission_end_inbox", copy.mission_id, copy.scope, copy.status)
    if copy.attempt_id is not None:
        return
    if copy.status in CLOSED:
        await tx.run("mission_end_inputs", copy.mission_id, copy.status)
    if request.successor_items:
        await _succeed(tx, request)
    await capacity.release_all(tx, copy.mission_id)


