"""One step of one turn: take the receipt, let the agent think and look, and bring back what it proposes (D6, D7).

This activity has one attempt. Without the receipt nothing of it counts; with it, an interruption is carried on by a new
turn and never by the same call again.
"""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults
from activities.missions.seat import Seating
from activities.missions.tools import Reading
from activities.ports import Database, Embedder, Transaction
from contracts.barriers import barrier
from contracts.missions import Stage, TurnEnd
from contracts.missions_agent import AgentStep, Role, Seat, StepEnd, ToolCall
from contracts.missions_calls import Proposal, ReclaimRequest, ReclaimResult, TurnRequest, TurnResult
from contracts.missions_results import GateRequest
from domain.missions.authority import gate_objection
from domain.missions.results import digest_of
from domain.missions.tools import Raw, Tool, ToolFault, key_of, read_call
from domain.missions.words import proposal_id

BEAT_S = 10.0
MOST_CALLS_PER_STEP = 12
MOST_CALLS_PER_TURN = 40
MOST_FAULTS_PER_TURN = 12
MOST_TOOLS_AT_ONCE = 24
MOST_BODY = 200_000

ENDS = {
    StepEnd.STOP: TurnEnd.FINAL,
    StepEnd.CUT: TurnEnd.CUT,
    StepEnd.IDLE: TurnEnd.IDLE,
    StepEnd.IN_PROGRESS: TurnEnd.IN_PROGRESS,
    StepEnd.REFUSED: TurnEnd.REFUSED,
}

Agent = Callable[[Seat], Awaitable[AgentStep]]


class Turns:
    """The activities `mission_turn` and `mission_reclaim`. `agents` says who thinks for which role."""

    def __init__(
        self, database: Database, agents: dict[Role, Agent], build_id: str, embedder: Embedder | None = None
    ) -> None:
        self.database = database
        self.agents = agents
        self.build_id = build_id
        self.seating = Seating(database)
        self.reading = Reading(database, embedder)

    @activity.defn(name="mission_turn")
    async def run(self, request: TurnRequest) -> TurnResult:
        """One step. A receipt refused means another generation has the turn, and this call may do nothing."""
        beating = asyncio.create_task(_beat()) if activity.in_activity() else None
        try:
            async with named_faults("mission_turn"):
                return await self._run(request)
        finally:
            if beating is not None:
                beating.cancel()

    async def _run(self, request: TurnRequest) -> TurnResult:
        await barrier(f"before_receipt/{_who(request)}", request.scope)
        if request.step == 0 and not await self._receive(request):
            return TurnResult(end=TurnEnd.NOT_ADMITTED)
        await barrier(f"after_receipt/{_who(request)}", request.scope)
        async with self.database.transaction(request.mailbox_id) as tx:
            await self._take_answers(tx, request)
        outcome = await _Step(self, request).go()
        async with self.database.transaction(request.mailbox_id) as tx:
            cost = await tx.value("turn_cost", request.mission_id)
        await barrier(f"after_turn/{_who(request)}", request.scope)
        return outcome.model_copy(update={"cost_usd": float(cost or 0)})

    async def _receive(self, request: TurnRequest) -> bool:
        """The receipt, the used-up token of the turn carried on, and the deliveries, in one transaction (M117)."""
        async with self.database.transaction(request.mailbox_id) as tx:
            if request.resume_token and not await self._prove(tx, request):
                return False
            taken = await tx.run(
                "turn_receipt", request.scope, request.turn_no, request.generation, self.build_id, _sha(request.token)
            )
            if taken:
                await _deliver(tx, request)
        return bool(taken)

    async def _prove(self, tx: Transaction, request: TurnRequest) -> bool:
        used = await tx.run(
            "turn_use_resume_token", request.scope, request.continues_turn_no, _sha(request.resume_token)
        )
        return bool(used)

    async def _take_answers(self, tx: Transaction, request: TurnRequest) -> None:
        """The answers to the last step's proposals become part of what was said."""
        if not request.answers:
            return
        rows = await tx.rows("turn_proposal_calls", [answer.ref for answer in request.answers])
        calls = {row["id"]: row["call_id"] for row in rows}
        told = {row["call_id"] for row in await tx.rows("turn_steps", request.scope, request.turn_no)
                if row["kind"] == "answer"}  # fmt: skip
        for answer in request.answers:
            call_id = calls.get(answer.ref, "")
            if call_id and call_id not in told:
                words = f"{'ok' if answer.ok else 'refused'}: {answer.code}"
                await say(tx, request, "answer", call_id, "", words)

    @activity.defn(name="mission_reclaim")
    async def reclaim(self, request: ReclaimRequest) -> ReclaimResult:
        """Was the lost dispatch received? If not, nobody can take the receipt under its generation any more."""
        async with named_faults("mission_reclaim"), self.database.transaction() as tx:
            row = await tx.must("turn_reclaim", request.scope, request.turn_no, request.generation)
        return ReclaimResult(received=row["received"], generation=row["generation"])


class _Step:
    """The agent's answers of one dispatch, until it hands control back or proposes something."""

    def __init__(self, turns: Turns, request: TurnRequest) -> None:
        self.turns, self.request = turns, request
        self.role = Role.TASK if request.attempt_id else Role.SUPERVISOR
        self.calls = 0
        self.progress = False

    async def go(self) -> TurnResult:
        """Thinks and looks until there is something for the workflow."""
        while True:
            seat = await self.turns.seating.seat(self.request, self.role)
            answer = await self.turns.agents[self.role](seat)
            self.calls += 1
            result = await self._take(seat, answer)
            if result is not None:
                return result.model_copy(update={"progress": self.progress or bool(answer.text)})

    async def _take(self, seat: Seat, answer: AgentStep) -> TurnResult | None:
        async with self.turns.database.transaction(self.request.mailbox_id) as tx:
            if answer.text:
                await say(tx, self.request, "text", "", "", answer.text[:MOST_BODY])
            proposals, faults = await self._calls(tx, seat, answer.calls[:MOST_TOOLS_AT_ONCE])
            counted = await tx.must(
                "turn_count", self.request.scope, self.request.turn_no, 1, faults, answer.text[:2_000]
            )
        self.progress = self.progress or answer.end is StepEnd.IN_PROGRESS
        if proposals:
            return TurnResult(end=TurnEnd.NEEDS_ANSWERS, proposals=tuple(proposals))
        if answer.end in ENDS:
            return TurnResult(end=ENDS[answer.end])
        if counted["tool_faults"] >= MOST_FAULTS_PER_TURN:
            return TurnResult(end=TurnEnd.FINAL, fault="too_many_tool_faults")
        if self.calls >= MOST_CALLS_PER_STEP or counted["model_calls"] >= MOST_CALLS_PER_TURN:
            return TurnResult(end=TurnEnd.FINAL, fault="too_many_steps")
        return None

    async def _calls(self, tx: Transaction, seat: Seat, calls: tuple[ToolCall, ...]) -> tuple[list[Proposal], int]:
        proposals: list[Proposal] = []
        faults = 0
        for n, given in enumerate(calls):
            # Some endpoints use the same id for every call; an answer must find its own, in a resumed turn too.
            number = f"{self.request.turn_no}_{self.request.step}_{self.calls}_{n}"
            call = given.model_copy(update={"call_id": f"c{number}"})
            await say(tx, self.request, "call", call.call_id, call.tool[:100], call.arguments[:MOST_BODY])
            try:
                tool, arguments = read_call(self.role, frozenset(seat.capabilities), call.tool, call.arguments)
                if tool.effect is None:
                    words = await self.turns.reading.answer(tx, seat, tool, arguments)
                    await say(tx, self.request, "answer", call.call_id, tool.name, words[:MOST_BODY])
                else:
                    proposals.append(await self._propose(tx, seat, tool, arguments, call, len(proposals)))
            except ToolFault as fault:
                faults += 1
                await say(tx, self.request, "answer", call.call_id, call.tool[:100], f"refused: {fault.code}")
        return proposals, faults

    async def _propose(
        self, tx: Transaction, seat: Seat, tool: Tool, arguments: Any, call: ToolCall, n: int
    ) -> Proposal:
        """Stores the body; only what decides its path goes into history."""
        body = arguments.body if isinstance(arguments, Raw) else arguments.model_dump(mode="json")
        if isinstance(arguments, GateRequest):
            _check_gate(arguments, seat)
        body = _without_nul(body)
        digest = digest_of(json.dumps(body, sort_keys=True))
        key = key_of(tool, arguments)
        r = self.request
        ref = proposal_id(r.scope, r.turn_no, call.call_id, r.step * 100 + n)
        assert tool.effect is not None
        await tx.run(
            "turn_add_proposal", ref, r.mission_id, r.mailbox_id, r.scope, r.turn_no, call.call_id, tool.effect, key,
            digest, body | ({"mode": tool.mode} if tool.mode else {}),
        )  # fmt: skip
        reason = arguments.reason if isinstance(arguments, GateRequest) else None
        return Proposal(ref=ref, kind=tool.effect, key=key, digest=digest, mode=tool.mode, gate_reason=reason)


def _check_gate(asked: GateRequest, seat: Seat) -> None:
    fields = (asked.decision_wanted, asked.why_not_derived, asked.finished_meanwhile, asked.cost_of_waiting,
              asked.safe_next_step)  # fmt: skip
    objection = gate_objection(asked.reason, seat.extra["mission_kind"], fields)
    if objection:
        raise ToolFault(objection)


def _without_nul(body: dict[str, Any]) -> dict[str, Any]:
    """A table cannot hold NUL, and a result with one is none (M104)."""
    if "\\u0000" in json.dumps(body):
        raise ToolFault("nul_character")
    return body


async def say(tx: Transaction, request: TurnRequest, kind: str, call_id: str, tool: str, body: str) -> None:
    """Adds one entry to what was said in the turn."""
    clean = body.replace("\x00", "")
    await tx.run(
        "turn_add_step", request.scope, request.turn_no, request.mailbox_id, kind, call_id.replace("\x00", "")[:200],
        tool.replace("\x00", ""), clean,
    )  # fmt: skip


async def _deliver(tx: Transaction, request: TurnRequest) -> None:
    """Results among the items are delivered now, for the first time or again (M21, M22)."""
    if request.attempt_id is not None:
        # A child that runs is admitted, whether or not its parent came to say so.
        await tx.run("turn_stage", request.attempt_id, Stage.ADMITTED, [Stage.REQUESTED, Stage.UNCERTAIN])
        await tx.run("turn_stage", request.attempt_id, Stage.WORKING, [Stage.ADMITTED, Stage.RECOVERING])
        return
    for item in await tx.rows("turn_items", list(request.item_ids)):
        if item["kind"] in ("assigned_result", "handoff_result"):
            result_id = UUID(item["payload_ref"])
            await tx.run("turn_stage", result_id, Stage.QUEUED, [Stage.DELIVERED, Stage.READ])
            if await tx.run("turn_stage", result_id, Stage.DELIVERED, [Stage.QUEUED]):
                await tx.run("turn_delivered", result_id)


def _sha(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _who(request: TurnRequest) -> str:
    return "task" if request.attempt_id else "supervisor"


async def _beat() -> None:
    """A lost worker is noticed long before the turn's time is up."""
    while True:
        activity.heartbeat()
        await asyncio.sleep(BEAT_S)
