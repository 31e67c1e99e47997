"""The owner's door to missions: every word of an owner is stored first and named by id (6.4, M118).

The workflow hears of it by an update under the same request id; an outage between the two is made good by the sweep.
"""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from temporalio.client import Client, WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from adapters.llm.ledger import MeteredUsage
from adapters.postgres import Database, Transaction
from contracts.errors import PermanentFault
from contracts.llm import UsageContext
from contracts.missions import CLOSED, Capability, InputKind, MissionStatus, owner_mission_workflow_id
from contracts.missions_calls import InputAnswer, OwnerInput
from domain.missions.authority import DEFAULT_GRANT, grantable
from domain.missions.results import digest_of
from domain.missions.words import goal_item_id

MOST_GOAL = 20_000
MOST_KEY = 100
PREFIX = "mission/"
ANSWER_WITHIN = timedelta(seconds=8)


class MissionRefused(PermanentFault):
    """What was asked cannot be done; `code` names why and `status` is the answer's over HTTP."""

    def __init__(self, code: str, status: int, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.status = status


@dataclass(frozen=True)
class Started:
    """A mission that exists now; `repeated` if it did before."""

    mission_id: UUID
    workflow_id: str
    repeated: bool


@dataclass(frozen=True)
class StoredInput:
    """An input that stands in the inbox and is to be told to the workflow."""

    workflow_id: str
    given: OwnerInput
    repeated: bool


class Missions:
    """Starts missions and stores what owners say to them."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def start(
        self,
        mailbox_id: UUID,
        goal: str,
        key: str,
        *,
        actor: str,
        role: str,
        capabilities: tuple[Capability, ...] = DEFAULT_GRANT,
        cost_limit_usd: float | None = None,
        turn_limit: int | None = None,
    ) -> Started:
        """The row, its first input and the start order in one transaction. Raises MissionRefused."""
        _check(goal, key, capabilities, role)
        workflow_id = owner_mission_workflow_id(mailbox_id, key)
        digest = digest_of(json.dumps([goal, sorted(capabilities), cost_limit_usd, turn_limit]))
        async with self.database.transaction(mailbox_id) as tx:
            mission_id = await tx.value(
                "mission_start", mailbox_id, workflow_id, key, digest, goal, actor, list(capabilities), cost_limit_usd,
                turn_limit,
            )  # fmt: skip
            if mission_id is None:
                return await _there(tx, mailbox_id, key, digest)
            await tx.run(
                "mission_goal_input", goal_item_id(mission_id), mission_id, mailbox_id, workflow_id, goal, digest,
                actor,
            )  # fmt: skip
        return Started(mission_id, workflow_id, repeated=False)

    async def say(
        self,
        mission_id: UUID,
        request_id: str,
        kind: InputKind,
        text: str = "",
        *,
        actor: str,
        gate_id: str = "",
        turn_limit: int | None = None,
        cost_limit_usd: float | None = None,
    ) -> StoredInput:
        """Stores an owner's input. Raises MissionRefused: unknown, closed, or the id was used for something else."""
        settings = {"turn_limit": turn_limit, "cost_limit_usd": cost_limit_usd}
        digest = digest_of(json.dumps([kind, text, gate_id, settings]))
        async with self.database.transaction() as tx:
            mission = await tx.one("mission_row", mission_id)
            if mission is None:
                raise MissionRefused("unknown", 404, "There is no such mission.")
            item_id = None
            if MissionStatus(mission["status"]) not in CLOSED:
                item_id = await tx.value(
                    "input_store", mission_id, kind, text[:MOST_GOAL], digest, settings, request_id, gate_id, actor
                )
            return await _stored(tx, mission, request_id, kind, digest, gate_id, settings, item_id)

    async def settle(self, effect_id: UUID, mailbox_id: UUID, verdict: str, proof: str, actor: str) -> None:
        """Evidence for an effect nobody could prove, added by a person; the ledger row stays as it is (M129)."""
        async with self.database.transaction(mailbox_id) as tx:
            await tx.run("effect_evidence", effect_id, mailbox_id, verdict, proof[:2000], actor)

    async def refused(self, item_id: UUID, reason: str) -> None:
        """The workflow did not take it: it can never be executed."""
        async with self.database.transaction() as tx:
            await tx.run("input_refused", item_id, reason)


def _check(goal: str, key: str, capabilities: tuple[Capability, ...], role: str) -> None:
    if not goal.strip():
        raise MissionRefused("empty_goal", 422, "A mission needs a goal.")
    if len(goal) > MOST_GOAL or "\x00" in goal:
        raise MissionRefused("goal_too_long", 422, f"A goal has at most {MOST_GOAL} characters.")
    if not 1 <= len(key) <= MOST_KEY or "\x00" in key:
        raise MissionRefused("bad_key", 422, "The idempotency key has 1 to 100 characters.")
    if not grantable(capabilities, role):
        raise MissionRefused("not_yours_to_grant", 403, "Your role cannot give a mission these capabilities.")


async def _there(tx: Transaction, mailbox_id: UUID, key: str, digest: str) -> Started:
    row = await tx.must("mission_by_key", mailbox_id, key)
    if row["request_digest"] != digest:
        raise MissionRefused("conflict", 409, "This key was used for another mission.")
    return Started(row["id"], row["workflow_id"], repeated=True)


async def _stored(
    tx: Transaction, mission: Any, request_id: str, kind: InputKind, digest: str, gate_id: str,
    settings: dict[str, Any], item_id: UUID | None,
) -> StoredInput:  # fmt: skip
    known = await tx.one("input_known", mission["id"], request_id)
    if known is None:
        raise MissionRefused("closed", 410, "This mission is closed.")
    if known["payload_digest"] != digest:
        raise MissionRefused("conflict", 409, "This request id was used for another input.")
    if known["state"] == "failed":
        raise MissionRefused("not_executable", 410, "This input can no longer be carried out.")
    given = OwnerInput(request_id=request_id, item_id=known["item_id"], kind=kind, digest=digest, gate_id=gate_id,
                       **settings)  # fmt: skip
    return StoredInput(mission["workflow_id"], given, repeated=item_id is None)


class MissionUsage:
    """The ledger's sink for calls of missions: `context.step` is `mission/<mission id>/<scope>#<turn>` (P110)."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
        """One row per call, with the mission it is charged to."""
        mission_id = UUID((context.step or "").removeprefix(PREFIX).split("/", 1)[0])
        async with self.database.transaction() as tx:
            await tx.run(
                "mission_usage_record", UUID(context.mailbox_id), mission_id, (context.step or "")[:400], usage.task,
                usage.model, usage.tokens_in, usage.tokens_out, usage.cost_usd, usage.unpriced, usage.offline,
                usage.latency_ms, usage.outcome,
            )  # fmt: skip


class Teller:
    """Sends a stored input to its workflow; an answer is a word, because the sweep has nobody to raise to."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, workflow_id: str, given: OwnerInput) -> str:
        """`told`, `away`, or why the workflow did not take it."""
        handle = self.client.get_workflow_handle(workflow_id)
        try:
            await handle.execute_update(
                "owner_input", given, id=given.request_id, result_type=InputAnswer, rpc_timeout=ANSWER_WITHIN
            )
        except WorkflowUpdateFailedError as fault:
            cause = fault.cause
            return (cause.type if isinstance(cause, ApplicationError) else None) or "refused"
        except RPCError as fault:
            return "closed" if fault.status is RPCStatusCode.NOT_FOUND else "away"
        except (RuntimeError, OSError, TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
            return "away"
        return "told"
