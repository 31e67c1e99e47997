"""A step's stored output becomes fields of the message, in the transaction of the step's end."""

from decimal import Decimal
from typing import Any

from activities.lifecycle.loop_signs import look_at_draft
from activities.lifecycle.outcomes import judge_answer
from activities.lifecycle.work import Work
from contracts.outputs import ClassifyOutput, ContextOutput, DraftOutput, RouteOutput, ScanOutput
from contracts.security import Evidence, SecurityFlags
from contracts.status import Status, StepKind
from domain.detect.scan import evidence_hash

AGENT = "agent"
FROM_CLASSIFICATION = frozenset({"several_intents", "too_many_intents"})


async def take_over(work: Work, step: StepKind, to: Status | None) -> None:
    """Reads step_outputs of this run and writes what belongs on the message."""
    row = await work.tx.one("step_output", work.id, work.run_no, step)
    if row is None:
        return
    await _TAKE[step](work, row["output"], to)


async def _scan(work: Work, output: Any, to: Status | None) -> None:
    scan = ScanOutput.model_validate(output)
    await work.tx.run("step_set_security", work.id, scan.flags.model_dump_json())
    if to not in (Status.QUARANTINED, Status.ARCHIVED):
        await _screened(work)


async def _screened(work: Work) -> None:
    """Effects with outside reach, once, only after a scan that let the mail through (P44, TH8)."""
    if "unauthenticated" not in work.message["content_flags"]:
        if await work.tx.value("step_screened_thread", work.thread_id):
            await _activity(work, "thread_reopened")
    if work.message["contact_id"] is None:
        return
    if await work.tx.value("step_screened_contact", work.message["contact_id"]):
        await _activity(work, "contact_created")
    await _activity(work, "inbound_received")


async def _activity(work: Work, kind: str) -> None:
    if work.message["contact_id"] is not None:
        summary = (work.message["subject"] or "")[:120]
        await work.tx.run("step_activity", work.mailbox_id, work.message["contact_id"], kind, work.id, summary)


async def _context(work: Work, output: Any, to: Status | None) -> None:
    c = ContextOutput.model_validate(output)
    gaps = [*c.gaps, *(["context_truncated"] if c.truncated else [])]
    await work.tx.run("step_set_context", work.id, c.tier, gaps, c.token_count, c.seen_message_id)


async def _classify(work: Work, output: Any, to: Status | None) -> None:
    c = ClassifyOutput.model_validate(output)
    flags = sorted({*work.message["content_flags"]} - FROM_CLASSIFICATION | {*c.flags})
    intents = [i.model_dump(mode="json") for i in c.intents]
    await work.tx.run(
        "step_set_classification",
        work.id,
        c.classification.model_dump_json(),
        intents,
        flags,
        c.offline,
        to is Status.DRAFT_READY,
    )
    await judge_answer(work, c.classification)


async def _draft(work: Work, output: Any, to: Status | None) -> None:
    d = DraftOutput.model_validate(output)
    if to is not None:
        await _context_injection(work, d)
        return
    revision = await add_revision(work, AGENT, d.text, offline=d.offline)
    for f in d.findings:
        await add_finding(work, revision, f)
    await work.tx.run(
        "step_set_draft",
        work.id,
        d.text,
        d.subject,
        list(d.options),
        d.quality.model_dump(mode="json") if d.quality else None,
        Decimal(str(round(d.confidence, 4))),
        {"score": d.grounding_score, "facts": [f.model_dump(mode="json") for f in d.facts], "flags": list(d.flags)},
        revision,
        d.offline,
    )
    await look_at_draft(work, d.text)


async def _context_injection(work: Work, d: DraftOutput) -> None:
    """The evidence of the second look joins that of the scan, so that the quarantine page can show it (E14)."""
    flags = SecurityFlags.model_validate(work.message["security_flags"] or {})
    merged = flags.model_copy(
        update={
            "injection_detected": True,
            "injection_type": "context_injection",
            "evidence": (*flags.evidence, *d.evidence),
            "confidence": max([flags.confidence, *(e.weight for e in d.evidence)]),
        }
    )
    await work.tx.run("step_set_security", work.id, merged.model_dump_json())


async def add_revision(work: Work, author: str, text: str, *, offline: bool = False) -> int:
    """The next revision number of the message, with its text."""
    revision = await work.tx.value("step_next_revision", work.id)
    await work.tx.run("step_add_revision", work.id, revision, author, text, offline)
    return revision


async def add_finding(work: Work, revision: int, f: Any) -> None:
    """One finding of the outgoing scan on a revision."""
    await work.tx.run(
        "step_add_finding",
        work.id,
        work.mailbox_id,
        revision,
        f.finding_id,
        f.detector,
        f.evidence_hash,
        f.start,
        f.end,
        f.snippet,
        f.confirmable,
    )


async def _route(work: Work, output: Any, to: Status | None) -> None:
    await _store_decision(work, RouteOutput.model_validate(output))


async def revise_decision(work: Work, objection: str) -> None:
    """An automatic decision that could not be carried out is stored as the review it became (P85)."""
    row = await work.tx.must("step_output", work.id, work.run_no, StepKind.ROUTE)
    route = RouteOutput.model_validate(row["output"])
    became = {"outcome": "human_review", "reason": objection, "gate": objection, "propensity": Decimal(1)}
    await _store_decision(work, route.model_copy(update=became))


async def _store_decision(work: Work, route: RouteOutput) -> None:
    category = (work.message["classification"] or {}).get("category", "other")
    decision_id = await work.tx.value(
        "step_add_decision",
        work.mailbox_id,
        work.id,
        work.run_no,
        route.outcome,
        route.stage,
        route.gate or None,
        route.reason,
        route.evidence,
        route.verdicts,
        route.score,
        category,
        work.message["from_identity"],
        route.rule_id,
        route.rule_version,
        work.message["draft_revision"],
        route.would_have_sent,
        route.observed,
        route.propensity,
        route.audit_rate,
    )
    await work.tx.run("step_set_decision", work.id, decision_id, route.reason)


_TAKE = {
    StepKind.SECURITY_SCAN: _scan,
    StepKind.CONTEXT_RETRIEVAL: _context,
    StepKind.CLASSIFY: _classify,
    StepKind.DRAFT: _draft,
    StepKind.ROUTE: _route,
}


def hash_of_evidence(hit: Any) -> str:
    """The same hash the scan compares bypasses with (P61)."""
    return evidence_hash(Evidence.model_validate(hit))
