"""Delegating: one attempt row, one work slot, one child id; the same thing is never launched twice (M15-M17)."""

from uuid import UUID

from activities.missions import capacity
from activities.missions.claims import Claim
from activities.ports import Row, Transaction
from contracts.missions import Capability, EffectState, Mode, Pool, Stage, task_workflow_id
from contracts.missions_calls import EffectAnswer, EffectOrder, LaunchedAttempt, SlotAsk
from contracts.missions_results import Delegation
from domain.missions.authority import for_child
from domain.missions.stages import replacement_objection
from domain.missions.words import task_item_id

S = EffectState


async def launch(claim: Claim) -> EffectAnswer:
    """Claims the launch; the workflow starts the child under the id this gives and reports it as launched."""
    waiting = await _waiting(claim)
    if waiting is not None:
        return await _admit(claim, waiting)
    asked = Delegation.model_validate({k: v for k, v in claim.body.items() if k != "mode"})
    held = for_child(asked.capabilities, [Capability(c) for c in (claim.attempt or claim.mission)["capabilities"]])
    if held is None:
        return claim.rejected("more_than_your_own_capabilities")
    objection, number = await _room(claim, asked)
    if objection:
        return claim.rejected(objection)
    attempt_id = await _write(claim, asked, held, number)
    return await _admit(claim, await claim.tx.must("turn_attempt", attempt_id))


async def _waiting(claim: Claim) -> Row | None:
    """The attempt this very effect was refused room for."""
    row = await claim.tx.one("launch_latest", claim.order.scope, claim.order.key)
    if row is None or row["stage"] != Stage.NOT_ADMITTED:
        return None
    await claim.tx.run("turn_stage", row["attempt_id"], Stage.REQUESTED, [Stage.NOT_ADMITTED])
    return await claim.tx.must("turn_attempt", row["attempt_id"])


async def _room(claim: Claim, asked: Delegation) -> tuple[str | None, int]:
    """Why this job may not be given now, and the number the attempt would have (M97, M98)."""
    if not await claim.tx.value("launch_scope_ok", claim.mission["mailbox_id"], asked.contact_id, asked.message_id):
        return "scope_not_in_mailbox", 0
    latest = await claim.tx.one("launch_latest", claim.order.scope, asked.task_key)
    if latest is None:
        return None, 1
    if asked.supersedes == asked.task_key and Stage(latest["stage"]) not in (Stage.ACKNOWLEDGED, Stage.RETIRED):
        return None, latest["attempt_no"] + 1
    return replacement_objection(Stage(latest["stage"]), latest["result"] == "incomplete"), latest["attempt_no"] + 1


async def _write(claim: Claim, asked: Delegation, held: tuple[Capability, ...], number: int) -> UUID:
    order = claim.order
    scope = task_workflow_id(order.scope, asked.task_key, number)
    superseded = await claim.tx.one("launch_latest", order.scope, asked.supersedes) if asked.supersedes else None
    attempt_id: UUID = await claim.tx.value(
        "launch_attempt", order.mission_id, order.mailbox_id, order.scope, scope, asked.task_key, number,
        Mode(claim.body["mode"]), asked.goal, asked.contact_id, asked.message_id, list(held), order.turn_no,
        superseded["attempt_id"] if superseded else None,
    )  # fmt: skip
    await claim.tx.run(
        "launch_input", task_item_id(attempt_id), order.mission_id, order.mailbox_id, scope, asked.goal,
        str(attempt_id),
    )  # fmt: skip
    return attempt_id


async def _admit(claim: Claim, row: Row) -> EffectAnswer:
    """A work slot, or a place in line; either way the attempt is on record (M15)."""
    wish = SlotAsk(pool=Pool.WORK_CONTEXTS, holder=str(row["attempt_id"]))
    refused = await capacity.ask(claim.tx, claim.mission, wish, claim.order.scope)
    attempt = attempt_of(row)
    if refused:
        await claim.tx.run("turn_stage", row["attempt_id"], Stage.NOT_ADMITTED, [Stage.REQUESTED])
        return EffectAnswer(state=S.NOT_ADMITTED, code=refused, attempt=attempt)
    return EffectAnswer(state=S.CLAIMED, code="launched", attempt=attempt)


def attempt_of(row: Row) -> LaunchedAttempt:
    """What the workflow needs to start the child."""
    return LaunchedAttempt(
        attempt_id=row["attempt_id"],
        task_key=row["task_key"],
        attempt_no=row["attempt_no"],
        mode=Mode(row["mode"]),
        workflow_id=row["scope"],
        supersedes=row["supersedes"],
    )


async def launched_before(tx: Transaction, order: EffectOrder, known: Row, state: EffectState) -> EffectAnswer:
    """The same claim after a crash: the same attempt, whose id keeps a second child away."""
    if not known["result_ref"]:
        return EffectAnswer(state=state, code=known["code"])
    row = await tx.must("turn_attempt", UUID(known["result_ref"]))
    return EffectAnswer(state=state, code=known["code"] or "launched", attempt=attempt_of(row))
