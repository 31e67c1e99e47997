"""Facts over which every gate is silent; a test spoils exactly what it is about."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from contracts.base import Contract
from contracts.classification import Category, IntentKind, Priority
from contracts.status import Status
from domain.briefing import ContextTier
from domain.budget.spend import SpendLevel, SpendVerdict
from domain.routing.gate_facts import (
    AuditFacts,
    AuthVerdict,
    ClassFacts,
    ContextFacts,
    FreshnessFacts,
    GateFacts,
    HandlingFacts,
    HoursFacts,
    InboundFacts,
    LoopFacts,
    MessageFacts,
    SenderFacts,
)
from domain.routing.handling import HandledMessage
from domain.routing.working_hours import WorkingHours

NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
BEGAN = NOW - timedelta(minutes=1)
HOURS = WorkingHours(zone="Europe/Berlin", enabled=True, start=time(9), end=time(17))
MESSAGE = HandledMessage(
    category=Category.SUPPORT, intents=(IntentKind.QUESTION,), sender="mara@example.org", text="Where is my parcel?"
)
SILENT = GateFacts(
    now=NOW,
    run_began_at=BEGAN,
    message=MessageFacts(exists=True, status=Status.DRAFTING, draft_text="It is on its way."),
    kill_switches=(),
    spend=SpendVerdict(level=SpendLevel.OK),
    hours=HoursFacts(mailbox=HOURS),
    classes=ClassFacts(model_category=Category.SUPPORT, model_priority=Priority.NORMAL),
    inbound=InboundFacts(guard_unavailable=False, combined_score=0.1, bypass_used=False),
    sender=SenderFacts(
        dmarc=AuthVerdict.PASS, from_addresses=("mara@example.org",), from_count=1, recipients=("mara@example.org",)
    ),
    loop=LoopFacts(class_b=False, loop_suspected=False, thread_cap_reached=False, sender_cap_reached=False),
    freshness=FreshnessFacts(),
    context=ContextFacts(tier=ContextTier.NORMAL, truncated=False, gaps=(), anything_found=True, ungrounded=()),
    outbound_score=0.0,
    leaks=(),
    handling=HandlingFacts(rules=(), message=MESSAGE),
    audit=AuditFacts(draw=0.5),
)


def changed(model: Contract, **fields: Any) -> Any:
    """A validated copy with some fields replaced."""
    return type(model).model_validate({**{name: getattr(model, name) for name in type(model).model_fields}, **fields})


def spoiled(part: str, **fields: Any) -> GateFacts:
    """Silent facts with some fields of one part replaced."""
    made: GateFacts = changed(SILENT, **{part: changed(getattr(SILENT, part), **fields)})
    return made
