"""What is known that bears on this message, gathered under one scope and cut to a budget (P62-P66)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from activities.knowledge.retrieval import Asked, Question, embed_question, retrieve
from activities.ports import Row, Transaction
from activities.steps.frame import StepContext
from contracts.outputs import ContextOutput, GroundingSource
from contracts.status import StepKind
from contracts.steps import Route, StepInput, in_state
from domain.briefing import Briefing, build_briefing
from domain.briefing.facts import (
    ActivityFacts,
    BriefingFacts,
    ContactFacts,
    CurrentMessageFacts,
    FileFacts,
    HistoryFacts,
    KnowledgeFacts,
    Trust,
)
from domain.briefing.grounding_sources import signature_source
from domain.briefing.query import retrieval_query

KIND = StepKind.CONTEXT_RETRIEVAL
TIER = None
OUTPUT = ContextOutput
GAP_KNOWLEDGE = "knowledge"


async def execute(context: StepContext, step: StepInput) -> ContextOutput:
    """Reads contact, activity, history and knowledge, then builds the briefing; missing parts become gaps (P38)."""
    m = context.message
    failed_auth = "unauthenticated" in m["content_flags"] or _dmarc(m) == "fail"
    scope = None if failed_auth else m["contact_id"]
    asked = await _asked(context, scope)
    async with context.tools.database.transaction(context.run.mailbox_id) as tx:
        knowledge = await _knowledge(tx, asked, m["knowledge_entry_limit"]) if m["knowledge_on"] else ()
        facts = BriefingFacts(
            current=_current(m),
            contact=_contact(m) if not failed_auth else None,
            activities=await _activities(tx, scope),
            history=() if failed_auth else await _history(tx, m),
            knowledge=knowledge,
            files=await _files(tx, asked.question, m["file_limit"]) if m["knowledge_on"] else (),
            gaps=asked.gaps,
            sender_auth_failed=failed_auth,
            knowledge_entry_limit=m["knowledge_entry_limit"],
            file_limit=m["file_limit"],
        )
    return _output(build_briefing(facts), m)


def _dmarc(m: Row) -> str:
    return str((m["auth_verdicts"].get("dmarc") or {}).get("value", "unknown"))


async def _asked(context: StepContext, contact_id: UUID | None) -> Asked:
    """The question, embedded; what could not be asked is a gap (A19)."""
    m = context.message
    question = Question(_query(m), m["mailbox_id"], contact_id)
    if not m["knowledge_on"]:
        return Asked(question, gaps=(GAP_KNOWLEDGE,))
    tools = context.tools
    return await embed_question(tools.database, tools.embedder, question, context.usage_context)


def _query(m: Row) -> str:
    return retrieval_query(m["subject"], m["new_text"] or m["text_body"])


async def _knowledge(tx: Transaction, asked: Asked, most: int) -> Sequence[KnowledgeFacts]:
    return tuple(_knowledge_facts(row) for row in await retrieve(tx, asked, datetime.now(UTC), most))


def _knowledge_facts(row: Row) -> KnowledgeFacts:
    return KnowledgeFacts(
        id=str(row["id"]),
        text=row["content"],
        trust=Trust(row["trust"]),
        entry_type=row["type"],
        title=row["title"],
        contact_id=str(row["contact_id"]) if row["contact_id"] else None,
        claimed_by=row["said_by"],
        claimed_on=row["created_at"].date(),
    )


async def _files(tx: Transaction, question: Question, most: int) -> tuple[FileFacts, ...]:
    """Files this contact sent before; nobody else's, and none without a contact (P64)."""
    if question.contact_id is None:
        return ()
    rows = await tx.rows("files_found", question.mailbox_id, question.contact_id, question.text, most)
    return tuple(
        FileFacts(
            id=str(r["id"]), name=r["name"], title=r["title"], summary=r["summary"], contact_id=str(r["contact_id"])
        )
        for r in rows
    )


async def _activities(tx: Transaction, contact_id: UUID | None) -> tuple[ActivityFacts, ...]:
    if contact_id is None:
        return ()
    rows = await tx.rows("context_activities", contact_id)
    return tuple(ActivityFacts(id=str(r["id"]), kind=r["kind"], at=r["at"], summary=r["summary"]) for r in rows)


async def _history(tx: Transaction, m: Row) -> tuple[HistoryFacts, ...]:
    inbound = await tx.rows("context_history_inbound", m["thread_id"], m["id"], m["received_at"])
    sent = await tx.rows("context_history_sent", m["thread_id"], m["received_at"])
    return tuple([*(_inbound(r, m) for r in inbound), *(_sent(r) for r in sent)])


def _inbound(r: Row, m: Row) -> HistoryFacts:
    coalesced = r["archived_by_message_id"] == m["id"]
    flags = (m if coalesced else r)["security_flags"] or {}
    return HistoryFacts(
        id=str(r["id"]),
        at=r["received_at"],
        body=r["text_body"],
        sender=r["from_address"],
        subject=r["subject"],
        pattern_score=flags.get("combined_score"),
        coalesced=coalesced,
        by_person=r["automatic_class"] != "A",
    )


def _sent(r: Row) -> HistoryFacts:
    return HistoryFacts(
        id=str(r["id"]), at=r["sent_at"], body=r["text"], sent_by_us=True, subject=r["subject"], pattern_score=0.0
    )


def _contact(m: Row) -> ContactFacts | None:
    if m["contact_id"] is None:
        return None
    return ContactFacts(
        id=str(m["contact_id"]),
        email=m["contact_address"],
        name=m["contact_name"],
        language=m["contact_language"],
        timezone=m["contact_time_zone"],
    )


def _current(m: Row) -> CurrentMessageFacts:
    flags: dict[str, Any] = m["security_flags"] or {}
    received: datetime = m["received_at"]
    return CurrentMessageFacts(
        id=str(m["id"]),
        sender=m["from_address"],
        to=tuple(m["to_addresses"][:10]),
        subject=m["subject"],
        received_at=received,
        body=m["text_body"] or m["subject"],
        pattern_score=flags.get("combined_score"),
    )


def _output(b: Briefing, m: Row) -> ContextOutput:
    own = signature_source(m["signature_template"], m["mailbox_name"])
    return ContextOutput(
        text=b.text,
        tier=b.tier,
        token_count=b.token_count,
        gaps=b.context_gaps,
        truncated=b.context_truncated,
        sources=tuple(GroundingSource(**s.model_dump()) for s in (*b.sources, own)),
        dropped=b.dropped,
        history_found=b.history_found or b.knowledge_found or b.files_found,
        seen_message_id=UUID(b.seen_message_id) if b.seen_message_id else None,
    )


def route(output: ContextOutput, step: StepInput, message: Row) -> Route:
    """Always on to classify, in the same status."""
    return in_state(StepKind.CLASSIFY)
