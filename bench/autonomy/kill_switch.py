"""How long after an admin throws the switch an automatic reply can still leave, while claims run as fast as they can
(P92, OB7)."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from bench.autonomy.ground import Ground
from bench.outcome import BenchFailed

CLAIMERS = 8
PENDING = 2_000
_ACTOR = "user:bench"
LIMIT_MS = 1000.0


@dataclass
class Claims:
    """The rows still waiting, when each claim was through, and how many the switch refused."""

    waiting: list[UUID]
    claimed_at: list[float] = field(default_factory=list)
    refused: int = 0


async def kill_switch_ms(ground: Ground, rounds: int, limit_ms: float = LIMIT_MS) -> dict[str, float]:
    """The slowest round; BenchFailed if a claim committed after a switch, if it took too long, or if a round
    had no claims after it."""
    slowest = 0.0
    for _ in range(rounds):
        slowest = max(slowest, await _round(ground))
    async with ground.database.transaction(ground.mailbox_id) as tx:
        late = await tx.rows("accounts_claimed_after_kill", 10)
    measured = {"kill_switch_ms": slowest}
    if late or slowest > limit_ms:
        raise BenchFailed(f"{len(late)} claims after the switch, {slowest:.0f} ms until it held", measured)
    return measured


async def _round(ground: Ground) -> float:
    """Milliseconds from the order to the later of its commit and the last claim that still went through."""
    claims = Claims(await ground.add_pending(PENDING))
    async with asyncio.TaskGroup() as group:
        for _ in range(CLAIMERS):
            group.create_task(_claim_all(ground, claims))
        while len(claims.claimed_at) < CLAIMERS:
            await asyncio.sleep(0)
        ordered = time.perf_counter()
        await _throw(ground)
        thrown = time.perf_counter()
    if not claims.refused:
        raise BenchFailed("the switch held only after the last of all claims")
    await _lift(ground)
    return (max(thrown, *claims.claimed_at) - ordered) * 1000


async def _claim_all(ground: Ground, claims: Claims) -> None:
    while claims.waiting:
        taken = await _claim(ground, claims.waiting.pop())
        if taken:
            claims.claimed_at.append(time.perf_counter())
        claims.refused += not taken


async def _claim(ground: Ground, outbox_id: UUID) -> bool:
    """The claim's own statements, in its order: the lock, the switches, the row."""
    async with ground.database.transaction(ground.mailbox_id, lifecycle=True) as tx:
        await tx.one("claim_switch_lock", ground.mailbox_id)
        if any(row["lifted_at"] is None for row in await tx.rows("claim_switches", ground.mailbox_id)):
            return False
        deadline = await tx.value("clock") + timedelta(minutes=1)
        return await tx.value("claim_take", outbox_id, b"", deadline) is not None


async def _throw(ground: Ground) -> None:
    """What the API does, in one transaction that commits alone."""
    async with ground.database.transaction(ground.mailbox_id) as tx:
        await tx.one("switch_lock", ground.mailbox_id)
        await tx.one("api_settings_lock", ground.mailbox_id)
        await tx.one("api_switch_throw", ground.mailbox_id, _ACTOR, "bench")
        await tx.run("api_flag_set", ground.mailbox_id, "ai.autonomy", False, _ACTOR)
        await tx.run("api_auto_reply_off", ground.mailbox_id)


async def _lift(ground: Ground) -> None:
    async with ground.database.transaction(ground.mailbox_id) as tx:
        await tx.rows("api_switch_lift", ground.mailbox_id, _ACTOR)
