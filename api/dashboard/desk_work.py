"""What a person needs to decide about one message: its draft and where it came from, findings, reason, and what is
possible."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from adapters.postgres import Transaction
from api.dashboard.visit import Visit
from api.dashboard.word_diff import word_diff
from api.messages import _hash as recipients_digest
from api.rows import plain, temporal_link
from contracts.status import RESTORABLE, TERMINAL, ArchiveReason, HoldReason, Status
from domain.routing.gates import GATES

READY_FROM, LOOK_FROM = 0.80, 0.60
SHOWN_EVENTS = 60
MOST_SOURCES = 30
OF_THE_MAIL = frozenset({"contact", "activity", "signature"})


@dataclass
class Work:
    """One message with everything beside it."""

    m: Any
    can: frozenset[str]
    trust: str
    agent_text: str
    agent_offline: bool
    author: str
    author_name: str
    model: str
    findings: list[Any]
    checked: list[Any]
    recipients_hash: str
    seen_message_id: UUID
    decision: Any
    steps: list[Any]
    events: list[Any]
    sources: list[dict[str, Any]]
    ungrounded: list[dict[str, Any]]
    outbox: Any
    temporal: str | None
    slowest_ms: int
    names: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> Status:
        """Where the message is."""
        return Status(self.m["status"])

    @property
    def overdue(self) -> bool:
        """Whether it waits longer for a person than it should (P101)."""
        due = self.m["review_due_at"]
        return self.status is Status.DRAFT_READY and due is not None and due < datetime.now(UTC)

    @property
    def by_agent(self) -> bool:
        """Whether the current text is the agent's own."""
        return self.author == "agent"

    @property
    def gate_no(self) -> int | None:
        """The number of the gate that held the reply (P86); None where no gate did."""
        name = self.decision["gate"] if self.decision else None
        return next((gate.number for gate in GATES if gate.name == name), None)

    @property
    def changes(self) -> list[tuple[str, str]]:
        """The current text against the agent's."""
        return word_diff(self.agent_text, self.m["draft_response"] or "")

    def name(self, actor: str) -> str:
        """A person's name for an actor of the trail; ours and the workflow's stay words."""
        return self.names.get(actor, actor)


async def work_of(visit: Visit, tx: Transaction, message_id: UUID, checked_revision: int | None = None) -> Work | None:
    """Everything about one message; None where it was never received."""
    m = await tx.one("api_message", message_id)
    if m is None or m["account"] == "deleted" or m["status"] is None:
        return None
    revisions = await tx.rows("api_revisions", message_id)
    current = next((r for r in revisions if r["revision"] == m["draft_revision"]), None)
    agent = next((r for r in revisions if r["author"] == "agent"), None)
    findings = await tx.rows("api_findings", message_id)
    mine = [f for f in findings if f["revision"] == m["draft_revision"]]
    steps = await tx.rows("api_steps", message_id)
    orders = await tx.rows("api_outbox", message_id)
    order = next((o for o in orders if o["reply_slot"] == "reply" and o["state"] != "cancelled"), None)
    found = {r["kind"]: r["output"] for r in await tx.rows("dashboard_grounding", message_id, m["run_no"])}
    drafted = next((s for s in steps if s["step"] == "draft" and s["model_used"]), None)
    decision = await tx.one("api_decision", message_id)
    people = {f"user:{p['id']}": p["name"] for p in await tx.rows("dashboard_people", visit.who.organisation_id)}
    author = current["author"] if current else ""
    return Work(
        m=m,
        can=possible(m, visit, order),
        trust=trust_of(m, mine),
        agent_text=agent["text"] if agent else "",
        agent_offline=bool(agent and agent["offline_model"]),
        author=author,
        author_name=people.get(author, author),
        model=drafted["model_used"] if drafted else "",
        findings=mine,
        checked=[f for f in findings if f["revision"] == checked_revision],
        recipients_hash=recipients_digest(m),
        seen_message_id=m["newest_message_id"] or m["id"],
        decision=plain(decision) if decision else None,
        steps=list(reversed([s for s in steps if s["run_no"] == m["run_no"]][::-1])),
        events=(await tx.rows("api_events", message_id))[:SHOWN_EVENTS],
        sources=_sources(found),
        ungrounded=[f for f in found.get("draft", {}).get("facts", ()) if not f.get("grounded")][:MOST_SOURCES],
        outbox=order,
        temporal=temporal_link(visit.services.settings, m["workflow_id"]),
        slowest_ms=max((s["duration_ms"] or 0 for s in steps), default=0) or 1,
        names=people,
    )


def _sources(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What the draft could lean on; first what it did lean on."""
    used = {f.get("source_id") for f in found.get("draft", {}).get("facts", ())}
    sources = [s for s in found.get("context_retrieval", {}).get("sources", ()) if s["kind"] not in OF_THE_MAIL]
    return sorted(sources, key=lambda s: (s["id"] not in used, not s.get("trusted")))[:MOST_SOURCES]


def trust_of(m: Any, findings: list[Any]) -> str:
    """ready, look or you (P116)."""
    if m["draft_response"] is None or m["confidence_score"] is None or m["confidence_score"] < LOOK_FROM:
        return "you"
    return "ready" if m["confidence_score"] >= READY_FROM and not m["content_flags"] and not findings else "look"


def possible(m: Any, visit: Visit, order: Any) -> frozenset[str]:
    """The actions to offer: those the state allows and the role may take (P97)."""
    status, acts = Status(m["status"]), set[str]()
    if not visit.session.may("reviewer"):
        return frozenset()
    if status not in TERMINAL:
        acts |= {"write_reply", "archive"}
    if status is Status.DRAFT_READY:
        acts |= {"reject", "request_draft"}
        acts |= {"approve", "edit"} if m["draft_response"] is not None else set()
    if status is Status.RECEIVED and m["hold_reason"]:
        acts.add("request_draft")
    if status is Status.QUARANTINED and visit.session.may("admin"):
        acts.add("release_quarantine")
    if status is Status.FAILED:
        acts.add("retry")
    if status is Status.APPROVED:
        acts |= _sending(m, order)
    if status is Status.ARCHIVED and ArchiveReason(m["archive_reason"]) in RESTORABLE:
        acts.add("restore")
    return frozenset(acts)


def _sending(m: Any, order: Any) -> set[str]:
    if m["hold_reason"] == HoldReason.DELIVERY_AMBIGUOUS:
        return {"resolve_delivery"}
    return {"undo_send"} if order is None or order["state"] == "ready" else set()
