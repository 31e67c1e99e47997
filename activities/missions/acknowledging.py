"""Acknowledging a result and completing a mission: the two effects that let go of something (M96, M101, M102)."""

from uuid import UUID

from activities.missions.claims import Claim
from activities.ports import Row, Transaction
from contracts.missions import EffectState, MissionStatus, ResultStatus, Stage
from contracts.missions_calls import EffectAnswer, EffectOrder
from domain.missions.stages import acknowledge_objection

S = EffectState


async def acknowledge(claim: Claim) -> EffectAnswer:
    """Once per result, by its own parent, with the digest that only reading gives; a refusal changes nothing."""
    row = await claim.tx.one("tool_result", UUID(claim.body["result_id"]), claim.order.mission_id)
    if row is None:
        return claim.rejected("no_such_result")
    objection = acknowledge_objection(
        Stage(row["stage"]),
        of_parent=row["parent_workflow_id"],
        parent=claim.order.scope,
        digest=row["digest"],
        given=claim.body["digest"],
        parent_open=claim.mission["status"] == MissionStatus.OPEN,
    )
    if objection in ("not_delivered", "not_read", "not_final", "wrong_digest"):
        return claim.not_admitted(objection)
    if objection:
        return claim.rejected(objection)
    await claim.tx.run("result_acknowledge", row["result_id"], claim.order.turn_no, claim.body["use"], False)
    await claim.tx.run("turn_stage", row["result_id"], Stage.ACKNOWLEDGED, [Stage.READ])
    return EffectAnswer(
        state=S.COMPLETED,
        code="acknowledged",
        acknowledged=row["result_id"],
        result_status=ResultStatus(row["status"]),
    )


async def acknowledged_before(tx: Transaction, order: EffectOrder, known: Row, state: EffectState) -> EffectAnswer:
    """The same claim after a crash: the workflow may not have heard of it yet."""
    ref = UUID(known["result_ref"]) if known["result_ref"] else None
    return EffectAnswer(state=state, code=known["code"], acknowledged=ref)


async def complete(claim: Claim) -> EffectAnswer:
    """The only way to `completed`. An open barrier or an unsettled change refuses for now (M101, M129)."""
    if await claim.tx.value("complete_barrier", claim.order.scope):
        return claim.not_admitted("tasks_not_acknowledged")
    if await claim.tx.value("complete_unsettled", claim.order.mission_id):
        return claim.not_admitted("indeterminate_effect")
    await claim.tx.run("complete_summary", claim.order.mission_id, claim.body["outcome"], claim.body["summary"])
    return claim.completed("completed")
