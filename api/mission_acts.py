"""What a person may do with missions: start one, answer it, cancel it. API and pages both come through here.

Every word of an owner is stored before the workflow hears of it; a refusal leaves no effect and says why (M118).
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, Field

from adapters.mission_desk import AWAY, CLOSED, TOLD, MissionDesk
from adapters.missions import MOST_GOAL, MissionRefused, Missions
from adapters.postgres import Transaction
from api.auth import Principal
from api.desk import AUDIT_OVERLAP
from api.errors import ApiError, invalid, not_found, unavailable
from api.mailboxes import known_mailbox
from api.services import Services
from contracts.missions import CLOSED as CLOSED_STATUSES
from contracts.missions import Capability, InputKind, MissionKind, MissionStatus
from contracts.missions_calls import CancelOrder
from domain.missions.authority import DEFAULT_GRANT
from domain.missions.gates import Gate, input_objection

MOST_TURNS = 10_000
MOST_COST_USD = 10_000
NO_WORKER = "No worker answered in time; it may still be carried out. The same request id finds out."
REFUSALS = {
    "gate_required": "The mission stands at a gate; name it with `gate_id`.",
    "old_gate": "This gate is not the one the mission stands at now.",
    "conflict": "This request id was used for another input.",
    "newer_mail": "Mail came in meanwhile; look at it, then answer with `seen_message_id`.",
    "no_such_task": "The mission has no such task.",
    "decided_in_review": "This is a case of a message; decide on its draft in the review queue.",
}

# No slash: the key is part of a workflow id, and must not name a task or a successor of another mission.
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9._:\-]{8,100}$", description="Repeat it to get the same answer again.")]
Goal = Annotated[str, Field(min_length=1, max_length=MOST_GOAL, pattern=r"^[^\x00]*$")]
OwnText = Annotated[str, Field(max_length=MOST_GOAL, pattern=r"^[^\x00]*$")]
Turns = Annotated[int, Field(ge=1, le=MOST_TURNS)]
Dollars = Annotated[float, Field(ge=0.0001, le=MOST_COST_USD, allow_inf_nan=False)]


class MissionBody(BaseModel):
    """A goal for the agent, and what it may use up and do."""

    model_config = ConfigDict(extra="forbid")

    mailbox_id: UUID
    goal: Goal
    capabilities: Annotated[list[Capability], Field(min_length=1, max_length=5)] = list(DEFAULT_GRANT)
    turn_limit: Turns | None = None
    cost_limit_usd: Dollars | None = None
    request_id: Key | None = None


class InputBody(BaseModel):
    """What an owner says to a mission. `gate_id` is needed while it stands at a gate."""

    model_config = ConfigDict(extra="forbid")

    request_id: Key | None = None
    gate_id: Annotated[str, Field(max_length=40, pattern=r"^[0-9.]*$")] = ""
    kind: InputKind = InputKind.INSTRUCT
    text: OwnText = ""
    seen_message_id: UUID | None = None
    turn_limit: Turns | None = None
    cost_limit_usd: Dollars | None = None


class CancelBody(BaseModel):
    """Cancels the mission, or the one task named."""

    model_config = ConfigDict(extra="forbid")

    request_id: Key | None = None
    reason: Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")] = ""
    task_key: Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9_.\-]*$")] = ""


class MissionStarted(BaseModel):
    """`repeated`: this key has started the mission before."""

    id: UUID
    workflow_id: str
    repeated: bool


class MissionAnswer(BaseModel):
    """`taken`: the mission has it. `stored`: kept safe, and told to the mission as soon as it can be reached."""

    request_id: str
    mission_id: UUID
    result: str
    message: str
    repeated: bool = False


@dataclass(frozen=True)
class Actor:
    """One person at the doors of missions, for one request."""

    services: Services
    who: Principal
    desk: MissionDesk

    async def start(self, body: MissionBody, key: str | None) -> MissionStarted:
        """Stores the mission and its start order. Raises ApiError 403, 404, 409 or 422."""
        self.who.require("review", role="reviewer")
        mailbox_id, chosen = body.mailbox_id, one_key(key, body.request_id)
        await self._sees(mailbox_id)
        try:
            started = await Missions(self.services.database).start(
                mailbox_id, body.goal, chosen, actor=self.who.actor, role=self.who.role,
                capabilities=tuple(body.capabilities), turn_limit=body.turn_limit, cost_limit_usd=body.cost_limit_usd,
            )  # fmt: skip
        except MissionRefused as refusal:
            raise _refusal(refusal) from None
        await self._note(mailbox_id, started.mission_id, "start_mission", chosen, "ok")
        return MissionStarted(id=started.mission_id, workflow_id=started.workflow_id, repeated=started.repeated)

    async def _sees(self, mailbox_id: UUID) -> None:
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            row = await known_mailbox(tx, self.who, mailbox_id)
        if mailbox_id not in self.who.mailboxes:
            raise not_found("mailbox")
        if row["kind"] != "inbox":
            raise invalid("mailbox_id", "no mission can work on this mailbox")

    async def answer(self, mission_id: UUID, body: InputBody, key: str | None) -> MissionAnswer:
        """Stores the input, then tells the mission. Raises ApiError 404, 409, 410 or 422."""
        self.who.require("review", role="reviewer")
        request_id, text = one_key(key, body.request_id), body.text.strip()
        if body.kind is InputKind.GOAL or (body.kind is not InputKind.APPROVE and not text):
            raise invalid("text" if body.kind is not InputKind.GOAL else "kind", "say what the mission should do")
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            mission = await self._mission(tx, mission_id)
            known = await tx.one("input_known", mission_id, request_id)
            if known is None:
                await _check(tx, mission, body)
        return await self._say(mission, body, text, request_id, applied=bool(known and known["applied"]))

    async def _mission(self, tx: Transaction, mission_id: UUID) -> Any:
        mission = await tx.one("mission_pages_one", mission_id)
        if mission is None:
            raise not_found("mission")
        return mission

    async def _say(
        self, mission: Any, body: InputBody, text: str, request_id: str, *, applied: bool
    ) -> MissionAnswer:
        door = Missions(self.services.database)
        try:
            stored = await door.say(
                mission["id"], request_id, body.kind, text, actor=self.who.actor, gate_id=body.gate_id,
                turn_limit=body.turn_limit, cost_limit_usd=body.cost_limit_usd,
            )  # fmt: skip
        except MissionRefused as refusal:
            raise _refusal(refusal, request_id) from None
        word = TOLD if applied else await self.desk.tell(stored.workflow_id, stored.given)
        if word == CLOSED and not await self._is_closed(mission["id"]):
            word = AWAY
        if word not in (TOLD, AWAY):
            await door.refused(stored.given.item_id, word)
            raise refused(word, request_id)
        await self._note(mission["mailbox_id"], mission["id"], "answer_mission", request_id, word)
        taken = word == TOLD
        return MissionAnswer(
            request_id=request_id, mission_id=mission["id"], result="taken" if taken else "stored",
            message="The mission goes on with it." if taken else "Kept; the mission gets it as soon as it answers.",
            repeated=stored.repeated,
        )  # fmt: skip

    async def cancel(self, mission_id: UUID, body: CancelBody, key: str | None) -> MissionAnswer:
        """Cancels a mission or one task. Raises ApiError 404, 409, 410 or 503."""
        self.who.require("review", role="reviewer")
        request_id = one_key(key, body.request_id)
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            mission = await self._mission(tx, mission_id)
        if mission["kind"] == MissionKind.CASE:
            raise refused("decided_in_review", request_id, message_id=str(mission["inbound_message_id"]))
        reason = " ".join(body.reason.split()) or "owner"
        order = CancelOrder(request_id=request_id, task_key=body.task_key, reason=reason)
        word = await self.desk.cancel(mission["workflow_id"], order)
        if word == CLOSED and not await self._is_closed(mission_id):
            word = AWAY
        if word == AWAY:
            raise unavailable(NO_WORKER, request_id=request_id)
        await self._note(mission["mailbox_id"], mission_id, "cancel_mission", request_id, word)
        if word != TOLD:
            raise refused(word, request_id)
        what = f"The task {body.task_key} is cancelled." if body.task_key else "The mission is cancelled."
        return MissionAnswer(request_id=request_id, mission_id=mission_id, result="taken", message=what)

    async def _is_closed(self, mission_id: UUID) -> bool:
        """A workflow that cannot be found has ended, or was not started yet; the row knows."""
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            return MissionStatus((await self._mission(tx, mission_id))["status"]) in CLOSED_STATUSES

    async def _note(self, mailbox_id: UUID, mission_id: UUID, action: str, request_id: str, result: str) -> None:
        after = {"request_id": request_id, "result": result}
        since = datetime.now(UTC) - AUDIT_OVERLAP
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            await tx.run("api_audit_once", mailbox_id, self.who.actor, action, f"mission/{mission_id}", after, since)


async def _check(tx: Transaction, mission: Any, body: InputBody) -> None:
    """What can be refused before anything is stored."""
    if mission["kind"] == MissionKind.CASE:
        raise refused("decided_in_review", body.request_id, message_id=str(mission["inbound_message_id"]))
    row = await tx.one("mission_pages_waiting_gate", mission["id"])
    waiting = Gate(gate_id=row["gate_id"], gate_epoch=row["gate_epoch"], reason=row["reason"]) if row else None
    objection = input_objection(MissionStatus(mission["status"]), waiting, body.gate_id)
    if objection:
        raise refused(objection, body.request_id, gate_id=waiting.gate_id if waiting else None)
    missed = await tx.rows("mission_pages_missed_mail", mission["id"], mission["gate_epoch"])
    gated = mission["status"] == MissionStatus.OWNER_GATE
    if gated and missed and str(body.seen_message_id) != missed[0]["message_id"]:
        raise refused("newer_mail", body.request_id, newer_message_id=missed[0]["message_id"])


def one_key(header: str | None, given: str | None) -> str:
    """Header, else body, else a new one. Raises ApiError 422 where they differ."""
    if header and given and header != given:
        raise invalid("request_id", "it differs from the header Idempotency-Key")
    return header or given or str(uuid4())


def refused(word: str, request_id: str | None, **extra: Any) -> ApiError:
    """410 for a closed mission, else 409; `word` says why."""
    if word == CLOSED:
        return ApiError(410, "closed", "This mission is closed; nothing was done.", request_id=request_id)
    words = REFUSALS.get(word, "The mission does not take this now.")
    return ApiError(409, word, words, request_id=request_id, **extra)


def _refusal(refusal: MissionRefused, request_id: str | None = None) -> ApiError:
    return ApiError(refusal.status, refusal.code, str(refusal), request_id=request_id)


def mission_desk(request: Request) -> MissionDesk:
    """The line of this process to running missions."""
    desk: MissionDesk = request.app.state.mission_desk
    return desk


Line = Annotated[MissionDesk, Depends(mission_desk)]
