"""The work of one message as both other ways do it: our own five step modules between two statements of `common_rows`.

Steps read, think and call the model exactly as in Deskhand. What is left out is what surrounds them there: the engine, the
lifecycle with its rules and locks, budgets, threading, the parser's sandbox, a transaction per model call for the ledger.
"""

import json
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import datetime
from types import ModuleType
from typing import Any
from uuid import UUID

import asyncpg
import orjson

from activities.ports import Embedder
from activities.steps import classify, context_retrieval, draft, route, security_scan
from activities.steps.frame import StepContext, StepTools
from adapters.llm.client import Models
from adapters.llm.embeddings import embedder_for
from adapters.llm.ledger import MeteredUsage
from adapters.postgres import Transaction
from adapters.settings import Settings
from bench import common_rows
from contracts.base import Contract
from contracts.llm import UsageContext
from contracts.mail import ParsedMail
from contracts.outputs import ClassifyOutput, ContextOutput, DraftOutput, RouteOutput, ScanOutput
from contracts.status import StepKind
from contracts.steps import Route, RunContext, StepInput
from domain.mail.parse import parse_rfc822

STEPS: dict[str, ModuleType] = {
    str(module.KIND): module for module in (security_scan, context_retrieval, classify, draft, route)
}


ENTERED = "INSERT 0 1"


class PlainDatabase:
    """The database door of the steps without its transactions: each statement is one, and no scope is set."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool

    @asynccontextmanager
    async def transaction(
        self, mailboxes: UUID | str | Iterable[UUID] = "*", *, lifecycle: bool = False, timeout_s: float = 10
    ) -> AsyncIterator[Transaction]:
        """A connection; what is read in a step is read by statements of their own."""
        async with self.pool.acquire() as connection:
            yield Transaction(connection)


class StepLedger:
    """Keeps the usage of model calls until the end of the step, which writes it with its other rows."""

    def __init__(self) -> None:
        self._kept: dict[str | None, list[MeteredUsage]] = defaultdict(list)

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
        """Keep one row."""
        self._kept[context.message_id].append(usage)

    def taken(self, message_id: str) -> list[MeteredUsage]:
        """The rows of a message so far, which are forgotten here."""
        return self._kept.pop(message_id, [])


class StepWork:
    """What each way of doing the work calls: `receive`, then `step` until it names no next one. Both may be repeated."""

    def __init__(self, pool: asyncpg.Pool, models: Models, embedder: Embedder | None, ledger: StepLedger) -> None:
        self.pool = pool
        self._ledger = ledger
        self._tools = StepTools(database=PlainDatabase(pool), models=models, embedder=embedder)

    async def receive(self, message_id: str) -> str | None:
        """Parse and enter; the step that is due."""
        row = await self.pool.fetchrow(common_rows.RAW, UUID(message_id))
        mail = _parsed(row["bytes"], row["received_at"])
        await self.pool.execute(common_rows.RECEIVE, UUID(message_id), *_arrival(mail))
        return await self.enter(message_id)

    async def enter(self, message_id: str) -> str | None:
        """Leave `received`; the step that is due, None when the message is done."""
        if await self.pool.execute(common_rows.ENTER, UUID(message_id)) == ENTERED:
            return StepKind.SECURITY_SCAN
        return await self.due(message_id)

    async def due(self, message_id: str) -> str | None:
        """The step the message stands at, None when it is done."""
        step: str | None = await self.pool.fetchval(common_rows.CURRENT_STEP, UUID(message_id))
        return step

    async def step(self, message_id: str, kind: str) -> str | None:
        """Do one step and write its rows; the next step. A step that was done before is not done again."""
        async with self._tools.database.transaction() as tx:
            message = await tx.one("step_message", UUID(message_id))
        if message is None or message["current_step"] != kind:
            return await self.due(message_id)
        began, module = time.monotonic(), STEPS[kind]
        order = StepInput(run=_run(message), step=StepKind(kind))
        context = StepContext(tools=self._tools, run=order.run, message=message)
        output: Contract = await module.execute(context, order)
        taken: Route = module.route(output, order, message)
        duration_ms = int((time.monotonic() - began) * 1000)
        await self.pool.execute(common_rows.END_STEP, *_end(message_id, kind, output, taken, duration_ms, self._ledger.taken(message_id)))
        return taken.next_step


@asynccontextmanager
async def step_work(database_url: str, schema: str, connections: int) -> AsyncIterator[StepWork]:
    """The work over a scratch schema, with the model endpoint that the environment names."""
    settings = Settings(_env_file=None, database_url=database_url, organisation_key="00" * 32)
    pool = await asyncpg.create_pool(
        database_url, min_size=1, max_size=connections, init=_speak_json, reset=_leave_as_is,
        server_settings={"search_path": f"{schema},public", "timezone": "UTC"},
    )  # fmt: skip
    ledger = StepLedger()
    async with pool, Models(settings, ledger) as models:
        yield StepWork(pool, models, embedder_for(settings, ledger), ledger)


async def _leave_as_is(connection: asyncpg.Connection) -> None:
    """Nothing is left behind on a connection, so the usual reset round trip is not needed."""


async def _speak_json(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec("jsonb", encoder=_encoded, decoder=orjson.loads, schema="pg_catalog")


def _encoded(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _parsed(raw: bytes, received_at: datetime) -> ParsedMail:
    return parse_rfc822(raw, received_at=received_at, envelope_sender=None, envelope_recipients=())[0]


def _arrival(mail: ParsedMail) -> tuple[Any, ...]:
    sender = mail.from_
    assert sender is not None
    parties = sorted({sender.identity, *(a.identity for a in (*mail.to, *mail.cc))})
    return (
        sender.identity, sender.name, mail.subject, mail.text, mail.language, mail.message_id,
        mail.model_dump_json(), parties, [list(header) for header in mail.headers],
    )  # fmt: skip


def _run(message: asyncpg.Record) -> RunContext:
    return RunContext(
        message_id=message["id"], mailbox_id=message["mailbox_id"], thread_id=message["thread_id"], run_no=1,
        agent_on=message["agent_on"],
    )  # fmt: skip


def _end(
    message_id: str, kind: str, output: Contract, taken: Route, duration_ms: int, usages: list[MeteredUsage]
) -> tuple[Any, ...]:
    decision = {"id": str(uuid.uuid4()), **output.model_dump(mode="json")} if isinstance(output, RouteOutput) else None
    return (
        UUID(message_id), kind, taken.to, taken.next_step, taken.reason, _columns(output, decision),
        output.model_dump_json(), taken.model_dump_json(exclude_none=True), duration_ms,
        [usage.model_dump(mode="json") for usage in usages], decision,
    )  # fmt: skip


def _columns(output: Contract, decision: dict[str, Any] | None) -> dict[str, Any]:
    """What an output becomes on the message, by column."""
    match output:
        case ScanOutput():
            return {"security_flags": output.flags.model_dump(mode="json")}
        case ContextOutput():
            return {
                "context_tier": output.tier, "context_gaps": list(output.gaps), "context_tokens": output.token_count,
            }  # fmt: skip
        case ClassifyOutput():
            found = output.model_dump(mode="json")
            return {"classification": found["classification"], "intents": found["intents"]}
        case DraftOutput():
            return _draft_columns(output)
    return {"decision_id": decision["id"], "decision_reason": decision["reason"]} if decision else {}


def _draft_columns(output: DraftOutput) -> dict[str, Any]:
    facts = [fact.model_dump(mode="json") for fact in output.facts]
    return {
        "draft_response": output.text,
        "draft_subject": output.subject,
        "draft_quality": output.quality.model_dump(mode="json") if output.quality else None,
        "confidence_score": round(output.confidence, 4),
        "grounding": {"score": output.grounding_score, "facts": facts, "flags": list(output.flags)},
        "draft_revision": 0,
    }
