"""Proposed effects are claimed and carried out here, each once; whoever may not have one is refused in the same step.

The claim reads the current build first: a worker of an earlier build is shut out before anything happens (D8, M80).
"""

from collections.abc import Awaitable, Callable
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults
from activities.missions import acknowledging, launching, proposing, submitting
from activities.missions.claims import Claim
from activities.ports import Database, Row, Transaction
from contracts.barriers import barrier
from contracts.missions import EffectKind, EffectState, MissionStatus, TurnState
from contracts.missions_calls import EffectAnswer, EffectOrder
from domain.keys import Keyring
from domain.missions.authority import effect_objection
from domain.missions.ledger import may_claim, standing

S = EffectState
EXTERNAL = frozenset({EffectKind.PROPOSE_DRAFT})


Carry = Callable[[Claim], Awaitable[EffectAnswer]]


class Effects:
    """The activity `mission_effect`."""

    def __init__(self, database: Database, keyring: Keyring, build_id: str) -> None:
        self.database = database
        self.keyring = keyring
        self.build_id = build_id

    @activity.defn(name="mission_effect")
    async def apply(self, order: EffectOrder) -> EffectAnswer:
        """Claim, carry out, settle: one transaction, for every effect of a mission is the database's own."""
        await barrier(f"before_effect/{order.kind}", order.key)
        async with named_faults("mission_effect"), self.database.transaction(lifecycle=_moves_a_message(order)) as tx:
            answer = await self._apply(tx, order)
        await barrier(f"after_effect/{order.kind}", order.key)
        return answer

    async def _apply(self, tx: Transaction, order: EffectOrder) -> EffectAnswer:
        if await tx.value("effect_build") != self.build_id:
            return EffectAnswer(state=S.NOT_ADMITTED, code="build_not_current")
        proposal = await tx.one("effect_proposal", order.ref, order.mission_id)
        if proposal is None or proposal["digest"] != order.digest:
            return EffectAnswer(state=S.REJECTED, code="no_such_proposal")
        if order.kind is EffectKind.PROPOSE_DRAFT:
            await proposing.lock(tx, proposal["body"])
        mission = await tx.must("effect_mission", order.mission_id)
        attempt = await tx.one("effect_attempt", order.attempt_id) if order.attempt_id else None
        known = await tx.one(
            "effect_known", order.scope, order.turn_no, order.mission_id, order.kind, order.key
        )
        again = await self._again(tx, order, known)
        if again is not None:
            return again
        refused = await _may(tx, order, mission, attempt, known)
        if refused is not None:
            return await self._refuse(tx, order, known, refused)
        effect_id = await self._claim(tx, order, known)
        if effect_id is None:
            return EffectAnswer(state=S.COMPLETED, code="duplicate")
        claim = Claim(tx, order, effect_id, mission, attempt, proposal["body"], self.keyring, self.build_id)
        return await _settle(claim, await CARRY[order.kind](claim))

    async def _again(self, tx: Transaction, order: EffectOrder, known: Row | None) -> EffectAnswer | None:
        """The same claim gets the same answer; another one is told that it is a duplicate."""
        if known is None:
            return None
        state = standing(S(known["state"]), known["verdict"])
        if may_claim(state, known["verdict"]):
            return None
        if known["claim_token"] != order.token:
            return EffectAnswer(state=state, code="duplicate" if state is not S.REJECTED else known["code"])
        return await REPEAT.get(order.kind, _plain_repeat)(tx, order, known, state)

    async def _claim(self, tx: Transaction, order: EffectOrder, known: Row | None) -> UUID | None:
        if known is not None and known["state"] == S.NOT_ADMITTED:
            again: UUID | None = await tx.value("effect_claim_again", known["effect_id"], order.token)
            return again
        number = known["claim_no"] + 1 if known is not None else 1
        gate = await tx.one("turn_row", order.scope, order.turn_no)
        made: UUID | None = await tx.value(
            "effect_claim", order.mission_id, order.mailbox_id, order.scope, order.turn_no, order.kind, order.key,
            number, order.kind in EXTERNAL, order.digest, order.token, self.build_id,
            gate["resumed_from"] if gate else "",
        )  # fmt: skip
        return made

    async def _refuse(self, tx: Transaction, order: EffectOrder, known: Row | None, code: str) -> EffectAnswer:
        """By rule: written down as rejected, with nothing done. A waiting launch of a closed mission stays as it is."""
        if known is None:
            effect_id = await self._claim(tx, order, None)
            if effect_id is not None:
                await tx.run("effect_settle", effect_id, S.REJECTED, code, "")
                await _event(tx, order, S.REJECTED)
        return EffectAnswer(state=S.REJECTED, code=code)


async def _may(
    tx: Transaction, order: EffectOrder, mission: Row, attempt: Row | None, known: Row | None
) -> str | None:
    """Open, not superseded, the current admitted turn, and the capability for it (6.2)."""
    if mission["status"] != MissionStatus.OPEN or mission["superseded_by"] is not None:
        return "mission_not_open"
    if attempt is not None and order.kind is not EffectKind.RESULT and attempt["stage"] != "working":
        return "task_not_working"
    held = (attempt or mission)["capabilities"]
    objection = effect_objection(order.kind, held, is_task=attempt is not None)
    if objection:
        return objection
    if known is not None and known["state"] == S.NOT_ADMITTED:
        return None
    turn = await tx.one("turn_row", order.scope, order.turn_no)
    current = (attempt or mission)["current_turn_no"]
    if turn is None or turn["state"] != TurnState.ADMITTED or current != order.turn_no:
        return "turn_not_current"
    return "old_gate_epoch" if order.gate_epoch != mission["gate_epoch"] and attempt is None else None


async def _settle(claim: Claim, answer: EffectAnswer) -> EffectAnswer:
    ref = str(answer.attempt.attempt_id) if answer.attempt else str(answer.acknowledged or "")
    await claim.tx.run("effect_settle", claim.effect_id, answer.state, answer.code, ref)
    await _event(claim.tx, claim.order, answer.state)
    return answer


async def _event(tx: Transaction, order: EffectOrder, state: EffectState) -> None:
    await tx.run("mission_event", order.mission_id, order.mailbox_id, "effect.state", f"{order.kind}/{order.key}"[:300],
                 state)  # fmt: skip


async def _plain_repeat(tx: Transaction, order: EffectOrder, known: Row, state: EffectState) -> EffectAnswer:
    return EffectAnswer(state=state, code=known["code"])


async def _complete(claim: Claim) -> EffectAnswer:
    return await acknowledging.complete(claim)


async def _gate(claim: Claim) -> EffectAnswer:
    """A gate is opened by the workflow; here it is on record that it was asked for within the authority to ask."""
    return EffectAnswer(state=S.COMPLETED, code="gate_requested")


def _moves_a_message(order: EffectOrder) -> bool:
    return order.kind is EffectKind.PROPOSE_DRAFT


CARRY: dict[EffectKind, Carry] = {
    EffectKind.LAUNCH: launching.launch,
    EffectKind.ACKNOWLEDGE: acknowledging.acknowledge,
    EffectKind.COMPLETE: _complete,
    EffectKind.GATE: _gate,
    EffectKind.PROPOSE_DRAFT: proposing.propose,
    EffectKind.RESULT: submitting.submit,
}
REPEAT = {
    EffectKind.LAUNCH: launching.launched_before,
    EffectKind.ACKNOWLEDGE: acknowledging.acknowledged_before,
    EffectKind.RESULT: submitting.submitted_before,
}
