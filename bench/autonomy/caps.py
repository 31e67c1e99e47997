"""Many approvals at once against one daily cap, on the statements that charge it. One too many is one mail a team did
not allow; one too few is a cap that cannot be used up (P85, A77)."""

import asyncio
from datetime import timedelta
from uuid import UUID

from bench.autonomy.ground import Ground
from bench.outcome import BenchFailed

CAP = 7


async def cap_overruns(ground: Ground, charges: int) -> dict[str, float]:
    """Charges granted beyond the cap, over a rule's cap on two days, a cap of 0 and the global one."""
    rule, never = await ground.add_rule("support", CAP), await ground.add_rule("sales", 0)
    await ground.set_global_cap(CAP)
    granted = [
        await _granted(ground, "step_charge_rule", rule, charges),
        await _granted_next_day(ground, rule, charges),
    ]
    granted.append(await _granted(ground, "step_charge_global", ground.mailbox_id, charges))
    nothing = await _granted(ground, "step_charge_rule", never, charges)
    measured = {"cap_overruns": float(sum(max(count - CAP, 0) for count in granted) + nothing)}
    if measured["cap_overruns"] or any(count != CAP for count in granted):
        raise BenchFailed(f"of a cap of {CAP}, {granted} were granted; of a cap of 0, {nothing}", measured)
    return measured


async def _granted_next_day(ground: Ground, rule: UUID, charges: int) -> int:
    await ground.end_the_day()
    return await _granted(ground, "step_charge_rule", rule, charges)


async def _granted(ground: Ground, statement: str, whose: UUID, charges: int) -> int:
    return sum(await asyncio.gather(*(_charge(ground, statement, whose) for _ in range(charges))))


async def _charge(ground: Ground, statement: str, whose: UUID) -> bool:
    async with ground.database.transaction(ground.mailbox_id, lifecycle=True) as tx:
        midnight = await tx.value("clock") + timedelta(hours=6)
        return await tx.value(statement, whose, midnight) is not None
