"""The result of a task: validated, stored once, its notice queued in the same step; nothing replaces it (M107)."""

from typing import Any
from uuid import UUID

from activities.missions.claims import Claim
from activities.ports import Row, Transaction
from contracts.missions import EffectState, ItemKind, Mode, ResultStatus, Stage
from contracts.missions_calls import EffectAnswer, EffectOrder
from contracts.missions_results import ResultDocument
from domain.missions.results import NoResult, canonical, digest_of, read_result
from domain.missions.stages import accepts_result
from domain.missions.words import notice_id

S = EffectState


async def submit(claim: Claim) -> EffectAnswer:
    """A document with substance, or a code that says what is wrong with it (M104, M105)."""
    attempt = claim.attempt
    if attempt is None:
        return claim.rejected("only_a_task_has_a_result")
    try:
        document = read_result(claim.body)
    except NoResult as fault:
        return claim.not_admitted(fault.reason)
    return await record(claim.tx, attempt, document, ResultStatus.COMPLETE)


async def record(tx: Transaction, attempt: Row, document: ResultDocument, status: ResultStatus) -> EffectAnswer:
    """Stores the result unless one stands; same content, same identity; other content is only logged (M103, M68)."""
    text = canonical(document)
    digest = digest_of(text)
    there = await tx.one("result_row", attempt["attempt_id"])
    if there is not None or not accepts_result(Stage(attempt["stage"])):
        return await _late(tx, attempt, there, digest)
    values = (attempt["attempt_id"], attempt["mission_id"], attempt["mailbox_id"], status, text, digest)
    await tx.run("result_add", *values)
    for stage in (Stage.WORKING, Stage.RECORDED, Stage.QUEUED):
        await _step(tx, attempt["attempt_id"], stage)
    await _notice(tx, attempt)
    return _recorded(attempt["attempt_id"], status)


async def _step(tx: Transaction, attempt_id: UUID, stage: Stage) -> None:
    """An attempt that never worked is recorded straight from admission; a complete one always worked first."""
    before = {
        Stage.WORKING: [Stage.RECOVERING],
        Stage.RECORDED: [Stage.WORKING, Stage.ADMITTED],
        Stage.QUEUED: [Stage.RECORDED],
    }[stage]
    await tx.run("turn_stage", attempt_id, stage, before)


async def _notice(tx: Transaction, attempt: Row) -> None:
    kind = ItemKind.HANDOFF_RESULT if attempt["mode"] == Mode.HANDOFF else ItemKind.ASSIGNED_RESULT
    attempt_id = attempt["attempt_id"]
    await tx.run(
        "result_notice", notice_id(attempt_id), attempt["mission_id"], attempt["parent_workflow_id"], kind,
        str(attempt_id),
    )  # fmt: skip


async def _late(tx: Transaction, attempt: Row, there: Row | None, digest: str) -> EffectAnswer:
    if there is not None and there["digest"] == digest:
        return _recorded(attempt["attempt_id"], ResultStatus(there["status"]))
    reason = "other_content" if there is not None else f"attempt_{attempt['stage']}"
    await tx.run("result_conflict", attempt["attempt_id"], attempt["mailbox_id"], digest, reason)
    return EffectAnswer(state=S.REJECTED, code=reason)


def _recorded(attempt_id: UUID, status: ResultStatus) -> EffectAnswer:
    return EffectAnswer(state=S.COMPLETED, code="recorded", acknowledged=attempt_id, result_status=status)


async def submitted_before(tx: Transaction, order: EffectOrder, known: Row, state: EffectState) -> EffectAnswer:
    """The same claim after a crash."""
    row: Any = await tx.one("result_row", order.attempt_id)
    status = ResultStatus(row["status"]) if row else None
    return EffectAnswer(state=state, code=known["code"], acknowledged=order.attempt_id, result_status=status)
