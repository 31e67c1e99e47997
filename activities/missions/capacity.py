"""Leases of scarce things, decided under the pool's row lock: a refusal is a value that waits in line (D12, M128)."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from activities.ports import Row, Transaction
from contracts.missions import Pool
from contracts.missions_calls import SlotAsk
from domain.missions.capacity import next_in_line, refusal

GRANTED = "granted"


async def ask(tx: Transaction, mission: Row, wish: SlotAsk, wake_workflow_id: str) -> str:
    """Empty if the holder has a lease now, else why not; a refused wish keeps its place in line."""
    pool = await tx.one("capacity_pool", wish.pool)
    if wish.transfer_from and await tx.run("capacity_transfer", wish.pool, wish.transfer_from, wish.holder):
        return ""
    own = await tx.one("capacity_own", wish.pool, wish.holder)
    if own is not None and own["state"] == GRANTED:
        return ""
    counts = await tx.must("capacity_counts", wish.pool, wish.holder, own["lease_id"] if own else None)
    limit, state = (pool["max_leases"], pool["state"]) if pool else (None, None)
    reason = refusal(limit, state, counts["granted"], counts["ahead"])
    if own is None:
        await tx.value(
            "capacity_wait", wish.pool, wish.holder, mission["id"], mission["mailbox_id"], wake_workflow_id,
            "waiting" if reason else GRANTED, reason or "",
        )  # fmt: skip
    elif reason is None:
        await tx.run("capacity_grant", own["lease_id"])
    return reason or ""


async def release(tx: Transaction, mission_id: UUID, holders: Iterable[str]) -> None:
    """Gives back what these holders have; repeating changes nothing. Whoever is next is told in the same step."""
    freed = await tx.rows("capacity_release", list(holders), mission_id)
    await _serve(tx, freed)


async def release_scope(tx: Transaction, mission_id: UUID, scope: str, keep_turn: int | None = None) -> None:
    """An execution was lost with what its turns held; the turn that is carried on hands its lease over (M75)."""
    await _serve(tx, await tx.rows("capacity_release_scope", mission_id, scope, str(keep_turn or 0)))


async def release_all(tx: Transaction, mission_id: UUID) -> None:
    """Everything of a mission that left `open`, but the slots of tasks whose results wait to be used."""
    await _serve(tx, await tx.rows("capacity_release_mission", mission_id))


async def _serve(tx: Transaction, freed: Iterable[Any]) -> None:
    for pool in sorted({row["pool"] for row in freed}):
        await serve(tx, Pool(pool))


async def serve(tx: Transaction, pool: Pool) -> None:
    """Grants waiting leases, oldest first, as far as there is room (M128)."""
    row = await tx.one("capacity_pool", pool)
    if row is None or row["state"] != "normal":
        return
    granted = await tx.value("capacity_granted", pool)
    line = {str(r["lease_id"]): r for r in await tx.rows("capacity_line", pool, row["max_leases"])}
    for lease_id in next_in_line(row["max_leases"], granted, list(line)):
        await tx.run("capacity_grant", UUID(lease_id))
        await tx.run("mission_wake", line[lease_id]["wake_workflow_id"], "slot_granted", f"slot/{lease_id}")
