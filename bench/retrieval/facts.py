"""Drafts that invent, before the same check and gate as in production: what passes might have been sent (P75, P86)."""

from datetime import UTC, datetime
from typing import Any, Final

from bench.retrieval.hostile_drafts import CASES, HostileCase
from domain.briefing import ContextTier
from domain.briefing.grounding_sources import Source, SourceKind
from domain.draft.grounding import ground
from domain.routing.gate_checks import context_complete
from domain.routing.gate_facts import ContextFacts, GateFacts

EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
CLEAN: Final = {"tier": ContextTier.NORMAL, "truncated": False, "gaps": (), "anything_found": True}


async def measure(_house: Any) -> dict[str, float]:
    """Hostile drafts that pass gate 11, and honest ones that it stops."""
    hostile = [(case, draft) for case in CASES for _, draft in case.hostile]
    honest = [(case, draft) for case in CASES for draft in case.honest]
    return {
        "hostile_drafts": len(hostile),
        "unsupported_facts_passed": sum(passes(case, draft) for case, draft in hostile),
        "honest_drafts_stopped": sum(not passes(case, draft) for case, draft in honest),
    }


def page_of(case: HostileCase) -> Source:
    """The team's own page, which alone may be leaned on."""
    return Source(id="page", kind=SourceKind.VERIFIED, title="", text=case.page, trusted=True)


def passes(case: HostileCase, draft: str) -> bool:
    """Whether gate 11 is silent about a draft written from this page to this mail."""
    return not objection(case, draft)


def objection(case: HostileCase, draft: str) -> str | None:
    """What gate 11 says of it; the customer's mail stands in the context too, as it does in production."""
    sources = (
        page_of(case),
        Source(id="mail", kind=SourceKind.CURRENT_MESSAGE, title="", text=case.mail, trusted=False),
        Source(id="claim", kind=SourceKind.CLAIM, title="", text=case.mail, trusted=False),
    )
    grounding = ground(draft, sources, case.mail)
    stated = tuple(item.text for item in grounding.ungrounded)
    return context_complete(GateFacts(now=EPOCH, run_began_at=EPOCH, context=ContextFacts(**CLEAN, ungrounded=stated)))
