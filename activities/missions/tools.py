"""What agents may look at: within the mailbox, a task within its contact, and never a quarantined body (M14a, P63)."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from activities.knowledge.retrieval import Question, embed_question, retrieve
from activities.ports import Database, Embedder, Row, Transaction
from contracts.llm import UsageContext
from contracts.missions import Stage
from contracts.missions_agent import Role, Seat
from domain.detect.parts import TextPart
from domain.detect.scan import scan
from domain.missions.tools import OneMessage, OneResult, OneThread, SearchKnowledge, SearchThreads, Tool, ToolFault

PLACEHOLDER_AT = 0.70
MOST_ENTRIES = 10
MOST_CHARACTERS = 20_000
QUARANTINED = "quarantined"


class Reading:
    """Answers the tools that only look. Every answer is JSON text."""

    def __init__(self, database: Database, embedder: Embedder | None = None) -> None:
        self.database = database
        self.embedder = embedder

    async def answer(self, tx: Transaction, seat: Seat, tool: Tool, arguments: Any) -> str:
        """One look. Raises ToolFault."""
        found = await getattr(self, f"_{tool.name}")(tx, seat, arguments)
        return json.dumps(found, default=_plain, ensure_ascii=False)

    async def _search_threads(self, tx: Transaction, seat: Seat, asked: SearchThreads) -> Any:
        rows = await tx.rows(
            "tool_threads", seat.mailbox_id, asked.words, asked.last_days, asked.category, asked.unanswered_only
        )
        return [dict(row) for row in rows if _within(seat, row["contact_id"])]

    async def _read_thread(self, tx: Transaction, seat: Seat, asked: OneThread) -> Any:
        rows = await tx.rows("tool_thread", asked.thread_id, seat.mailbox_id)
        return [dict(row) for row in rows if _within(seat, row["contact_id"])]

    async def _read_message(self, tx: Transaction, seat: Seat, asked: OneMessage) -> Any:
        row = await tx.one("tool_message", asked.message_id, seat.mailbox_id)
        if row is None or not _within(seat, row["contact_id"]):
            raise ToolFault("no_such_message")
        head = ("id", "contact_id", "thread_id", "from_address", "received_at", "subject", "processing_status")
        return {name: row[name] for name in head} | {"body": _body(row)}

    async def _read_draft(self, tx: Transaction, seat: Seat, asked: OneMessage) -> Any:
        row = await tx.one("tool_draft", asked.message_id, seat.mailbox_id)
        if row is None or not _within(seat, row["contact_id"]):
            raise ToolFault("no_draft")
        if row["processing_status"] == QUARANTINED:
            raise ToolFault("quarantined")
        return {"revision": row["revision"], "author": row["author"], "text": row["text"][:MOST_CHARACTERS]}

    async def _read_result(self, tx: Transaction, seat: Seat, asked: OneResult) -> Any:
        row = await tx.one("tool_result", asked.result_id, seat.mission_id)
        if row is None or row["parent_workflow_id"] != seat.scope:
            raise ToolFault("no_such_result")
        if await tx.run("turn_stage", asked.result_id, Stage.READ, [Stage.DELIVERED]):
            await tx.run("result_read", asked.result_id)
        names = ("result_id", "task_key", "contact_id", "status", "digest", "document", "stage")
        return {name: row[name] for name in names}

    async def _list_tasks(self, tx: Transaction, seat: Seat, asked: Any) -> Any:
        return [dict(row) for row in await tx.rows("tool_tasks", seat.scope)]

    async def _search_knowledge(self, tx: Transaction, seat: Seat, asked: SearchKnowledge) -> Any:
        question = Question(asked.words, seat.mailbox_id, seat.contact_id)
        context = UsageContext(mailbox_id=str(seat.mailbox_id), step="mission_knowledge")
        embedded = await embed_question(self.database, self.embedder, question, context)
        rows = await retrieve(tx, embedded, datetime.now(UTC), MOST_ENTRIES)
        return [{"id": r["id"], "title": r["title"], "trust": r["trust"], "content": r["content"]} for r in rows]


def _within(seat: Seat, contact_id: UUID | None) -> bool:
    """A supervisor sees across contacts for its owner; a task bound to a contact sees that contact only."""
    return seat.role is Role.SUPERVISOR or seat.contact_id is None or contact_id == seat.contact_id


def _body(row: Row) -> str:
    """The body, or what stands in its place."""
    if row["processing_status"] == QUARANTINED:
        return f"[message {row['id']} is in quarantine; its body is not shown]"
    flags = row["security_flags"] or {}
    score = flags.get("combined_score")
    text = row["text_body"][:MOST_CHARACTERS]
    if score is None:
        score = scan([TextPart(place="text", text=text)]).combined_score
    return f"[message {row['id']} looks like an attack; its body is not shown]" if score >= PLACEHOLDER_AT else text


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)
