"""Hits a person overruled on this very mail; they stop nothing a second time (P61)."""

from activities.steps.frame import StepContext
from contracts.security import Evidence
from domain.detect.parts import TextPart
from domain.detect.scan import Hit, ScanResult, combine, evidence_hash, scan


async def bypassed_of(context: StepContext) -> frozenset[tuple[str, str]]:
    """(detector, evidence hash) pairs released on this message."""
    async with context.tools.database.transaction(context.run.mailbox_id) as tx:
        rows = await tx.rows("scan_bypassed", context.run.message_id)
    return frozenset((row["detector"], row["evidence_hash"]) for row in rows)


async def second_look(context: StepContext, briefing: str) -> ScanResult:
    """What in the assembled context gives orders (P72), except words of this mail that were released.

    The briefing shows them in another place among other words, so their evidence has another hash there.
    """
    bypassed = await bypassed_of(context)
    found = scan([TextPart(place="context", text=briefing)], bypassed=bypassed)
    shown = [Evidence.model_validate(item) for item in (context.message["security_flags"] or {}).get("evidence", ())]
    released = [item for item in shown if (item.detector, evidence_hash(item)) in bypassed]
    left = tuple(hit for hit in found.hits if not _is_one_of(hit, briefing, released))
    return combine([hit.evidence for hit in left], bypassed=bypassed, complete=found.complete, hits=left)


def _is_one_of(hit: Hit, text: str, released: list[Evidence]) -> bool:
    words = " ".join(text[hit.start : hit.end].split())
    return any(item.detector == hit.evidence.detector and words in item.snippet for item in released)
