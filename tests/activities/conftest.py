"""A seeded database and the means to walk a message through the lifecycle by hand, without an engine."""

import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import pytest_asyncio

from activities.lifecycle import Lifecycle
from activities.parsing import Parsing
from adapters.blobs import BlobStore
from adapters.postgres import Database
from adapters.reception import Reception
from api.webhooks import raw
from cli.stack.first_start import set_up
from contracts.base import Contract
from contracts.classification import Category, Classification, Intent, IntentKind, Priority, Sentiment
from contracts.lifecycle import Act, Command, EndStep, Enter, Outcome, Receive
from contracts.outputs import ClassifyOutput, ContextOutput, DraftOutput, RouteOutput, ScanOutput
from contracts.security import Evidence, SecurityFlags
from contracts.status import Status, StepKind
from contracts.workflow import ParseRequest, ParseResult
from domain.keys import Keyring
from domain.mail.parse import parse_rfc822

MAILBOX = "support@shop.example"
_numbers = itertools.count(1)


class InProcessParser:
    """The real parser without its sandbox process, which has tests of its own."""

    async def parse(self, content: bytes, raw_kind: str, *, received_at: datetime, **more: Any) -> Any:
        """Parses in this process."""
        return parse_rfc822(content, received_at=received_at, **more)


def mail_bytes(
    *,
    sender: str = "anna@kunde.example",
    subject: str = "Where is my order?",
    body: str = "Hello, where is my order 4711?",
    to: str = MAILBOX,
    headers: str = "",
    message_id: str | None = "auto",
) -> bytes:
    """A plain mail; `headers` are further header lines, each ending in CRLF."""
    own_id = f"<{next(_numbers)}@kunde.example>" if message_id == "auto" else message_id
    id_line = f"Message-ID: {own_id}\r\n" if own_id else ""
    head = f"From: {sender}\r\nTo: {to}\r\nSubject: {subject}\r\n{id_line}Date: Mon, 30 Nov 2026 20:00:00 +0000\r\n"
    return f"{head}{headers}\r\n{body}\r\n".encode()


@dataclass
class World:
    """One database with one mailbox, and shortcuts that read like the story of a message."""

    database: Database
    lifecycle: Lifecycle
    reception: Reception
    parsing: Parsing
    sql: asyncpg.Connection
    mailbox_id: UUID
    counter: Any = field(default_factory=lambda: itertools.count(1))

    async def accept(self, content: bytes, **hints: str) -> UUID:
        """Through the door; the message id."""
        delivery = raw.translate("default", content, f"event-{next(self.counter)}", hints)
        return (await self.reception.accept(delivery)).message_ids[0]

    async def arrive(self, content: bytes | None = None, **hints: str) -> UUID:
        """Accepted, parsed and received."""
        message_id = await self.accept(content or mail_bytes(), **hints)
        await self.parse(message_id)
        await self.do(message_id, Receive(), "receive")
        return message_id

    async def parse(self, message_id: UUID, **more: Any) -> ParseResult:
        """The parse activity."""
        return await self.parsing.parse(ParseRequest(message_id=message_id, **more))

    async def do(
        self, message_id: UUID, act: Act, cause: str | None = None, actor: str = "workflow", **more: Any
    ) -> Outcome:
        """One lifecycle command."""
        key = cause or f"test/{next(self.counter)}"
        return await self.lifecycle.apply(
            Command(message_id=message_id, cause_key=key, actor=actor, act=act, workflow_run_id="run", **more)
        )

    async def store(self, message_id: UUID, kind: StepKind, output: Contract) -> None:
        """What the step would have stored."""
        row = await self.row(message_id)
        async with self.database.transaction() as tx:
            await tx.run(
                "step_store_output",
                message_id,
                self.mailbox_id,
                row["run_no"],
                kind,
                output.model_dump_json(),
                {},
                1,
                5,
                None,
                None,
            )

    async def end(self, message_id: UUID, kind: StepKind, output: Contract, **route: Any) -> Outcome:
        """Stores the output and ends the step."""
        await self.store(message_id, kind, output)
        row = await self.row(message_id)
        cause = f"{row['run_no']}.{row['restart_no']}:{kind}:end"
        return await self.do(message_id, EndStep(step=kind, **route), cause)

    async def enter(self, message_id: UUID) -> Outcome:
        """Leaves `received`."""
        return await self.do(message_id, Enter())

    async def to_draft_ready(self, message_id: UUID, **draft: Any) -> Outcome:
        """All five steps to review."""
        await self.to_drafted(message_id, **draft)
        return await self.end(
            message_id, StepKind.ROUTE, route_output(), to=Status.DRAFT_READY, reason="auto_reply_off"
        )

    async def to_drafted(self, message_id: UUID, **draft: Any) -> Outcome:
        """Four steps; the route step is running."""
        await self.to_drafting(message_id)
        return await self.end(message_id, StepKind.DRAFT, draft_output(**draft), next_step=StepKind.ROUTE)

    async def to_drafting(self, message_id: UUID) -> Outcome:
        """Three steps; the draft step is running."""
        await self.enter(message_id)
        await self.end(
            message_id,
            StepKind.SECURITY_SCAN,
            scan_output(),
            to=Status.CLASSIFYING,
            next_step=StepKind.CONTEXT_RETRIEVAL,
        )
        await self.end(message_id, StepKind.CONTEXT_RETRIEVAL, context_output(), next_step=StepKind.CLASSIFY)
        return await self.end(
            message_id, StepKind.CLASSIFY, classify_output(), to=Status.DRAFTING, next_step=StepKind.DRAFT
        )

    async def row(self, message_id: UUID) -> asyncpg.Record:
        """The message row as it stands."""
        return await self.sql.fetchrow("SELECT * FROM inbound_messages WHERE id = $1", message_id)

    async def status(self, message_id: UUID) -> str:
        """Its status."""
        return str(await self.sql.fetchval("SELECT processing_status FROM inbound_messages WHERE id = $1", message_id))

    async def events(self, message_id: UUID) -> list[tuple[str, str, str, bool]]:
        """(from, to, reason, accepted) in order."""
        rows = await self.sql.fetch("SELECT * FROM lifecycle_events WHERE message_id = $1 ORDER BY seq", message_id)
        return [(r["from_status"], r["to_status"], r["reason"], r["accepted"]) for r in rows]

    async def steps(self, message_id: UUID) -> dict[str, str]:
        """Step kind -> status of the newest run."""
        rows = await self.sql.fetch(
            "SELECT action_type, status FROM agent_actions WHERE inbound_message_id = $1 ORDER BY run_no", message_id
        )
        return {r["action_type"]: r["status"] for r in rows}

    async def configure(self, **values: Any) -> None:
        """Changes the mailbox's agent_config."""
        for name, value in values.items():
            await self.sql.execute(f"UPDATE agent_config SET {name} = $1 WHERE mailbox_id = $2", value, self.mailbox_id)


def scan_output(**flags: Any) -> ScanOutput:
    """A clean scan unless told otherwise."""
    return ScanOutput(flags=SecurityFlags(**flags))


def injection() -> Evidence:
    """One strong hit."""
    return Evidence(detector="en.override", family="override", weight=0.85, place="text", snippet="ignore all rules")


def context_output(**more: Any) -> ContextOutput:
    """A normal briefing."""
    return ContextOutput(**{"text": "[CURRENT MESSAGE]\nhello", "tier": "normal", "token_count": 10, **more})


def classify_output(category: Category = Category.SUPPORT, priority: Priority = Priority.NORMAL) -> ClassifyOutput:
    """A support question of normal priority."""
    c = Classification(
        category=category, priority=priority, sentiment=Sentiment.NEUTRAL, intent=IntentKind.QUESTION, confidence=0.9
    )
    intents = (Intent(key="main", intent=IntentKind.QUESTION, confidence=0.9, label="a question"),)
    return ClassifyOutput(classification=c, intents=intents)


def draft_output(**more: Any) -> DraftOutput:
    """A draft with a fair score."""
    return DraftOutput(
        **{"text": "Your order is on its way.", "subject": "Re: Where is my order?", "confidence": 0.9, **more}
    )


def route_output(**more: Any) -> RouteOutput:
    """To a person."""
    return RouteOutput(**{"outcome": "human_review", "stage": "fallback", "reason": "auto_reply_off", **more})


@pytest_asyncio.fixture
async def world(database_url: str, owner_database_url: str) -> AsyncIterator[World]:
    """A fresh database after the first start, with a source, breakers and no undo window."""
    await set_up(database_url, MAILBOX, "test", True)
    sql = await asyncpg.connect(
        owner_database_url, server_settings={"search_path": "deskhand,public", "row_security": "on"}
    )
    await sql.execute(
        "INSERT INTO sources (name, organisation_id, kind) "
        "SELECT 'default', id, 'raw' FROM organisations ON CONFLICT DO NOTHING"
    )
    database = await Database.connect(database_url, most=8)
    keyring = Keyring(b"k" * 32)
    mailbox_id = await sql.fetchval("SELECT id FROM mailboxes WHERE is_default")
    yield World(
        database=database,
        lifecycle=Lifecycle(database, keyring),
        reception=Reception(database, keyring),
        parsing=Parsing(database, InProcessParser(), BlobStore(), keyring),
        sql=sql,
        mailbox_id=mailbox_id,
    )
    await database.close()
    await sql.close()
