"""Everything one routing decision rests on, read in one transaction; what cannot be read objects later (P86)."""

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from activities.breakers import breaker_of
from activities.ports import Row, Transaction
from activities.steps.frame import StepContext
from activities.steps.stored import classification_of, context_of, draft_of
from contracts.classification import Category, IntentKind
from contracts.outputs import ClassifyOutput, ContextOutput, DraftOutput
from contracts.status import Status
from domain.automatic_mail.loops import SENDER_CAP, THREAD_CAP
from domain.autonomy.demotion import MAX_AUDIT_RATE
from domain.breakers import Breaker, BreakerKind
from domain.briefing.compaction import ContextTier
from domain.budget.calendar_day import day_start, month_start
from domain.budget.spend import Ceilings, Spent, judge_spend
from domain.detect.parts import TextPart
from domain.detect.scan import scan
from domain.routing.decision import RouteFacts
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
    SwitchThrow,
)
from domain.routing.handling import HandledMessage, HandlingKind, HandlingRule, Predicate
from domain.routing.rules import AutonomyRule, GlobalFallback, RuleMode, governing_rule
from domain.routing.working_hours import HoursOverride, WorkingHours, hours_in_force

NO_AUTONOMY = frozenset(
    {
        "parts_differ", "maybe_hidden", "html_too_big", "encrypted", "same_id_other_body", "third_party",
        "new_participant", "unauthenticated", "pushed_down", "answered_there", "calendar_request",
    }
)  # fmt: skip
SENDER_DOUBTS = frozenset({"ambiguous_sender", "display_name_spoof"})


async def read_facts(context: StepContext, *, draw: float) -> RouteFacts:
    """The facts of this run's decision."""
    briefing, classified, draft = context_of(context), classification_of(context), draft_of(context)
    m = context.message
    async with context.tools.database.transaction(context.run.mailbox_id) as tx:
        config = await tx.must("lifecycle_config", m["mailbox_id"])
        rules = [_rule(r) for r in await tx.rows("route_rules", m["mailbox_id"])]
        governing = governing_rule(rules, classified.classification.category, m["from_identity"])
        counts = await tx.must(
            "route_counts",
            m["mailbox_id"],
            m["thread_id"],
            m["from_identity"],
            classified.classification.category,
            governing.id if governing else None,
            m["id"],
        )
        gates = await _gates(tx, m, config, counts, briefing, classified, draft, governing, draw)
        return RouteFacts(
            breakers=_registry(await tx.rows("route_breakers", m["mailbox_id"])),
            offline_model=bool(m["offline_model"] or classified.offline or draft.offline),
            requested_by_person=m["requested_by_person"],
            proposed_by_mission=False,
            is_case=False,
            intents=len(classified.intents),
            autonomy_on=counts["autonomy_on"],
            category=classified.classification.category,
            sender=m["from_identity"],
            sender_identified=bool(m["contact_id"]),
            score=draft.confidence,
            gates=gates,
            rules=tuple(rules),
            fallback=GlobalFallback(
                is_auto_reply_enabled=config["is_auto_reply_enabled"],
                confidence_threshold=float(config["confidence_threshold"]),
                max_daily_auto_replies=config["max_daily_auto_replies"],
            ),
            matched_observations=counts["matched"],
            daily_count=counts["today"],
        )


async def _gates(
    tx: Transaction,
    m: Row,
    config: Row,
    counts: Row,
    briefing: ContextOutput,
    classified: ClassifyOutput,
    draft: DraftOutput,
    governing: AutonomyRule | None,
    draw: float,
) -> GateFacts:
    c = classified.classification
    newer = await tx.rows("route_newer", m["thread_id"], briefing.seen_message_id or m["id"])
    colleagues = await tx.rows("route_colleagues", m["thread_id"])
    return GateFacts(
        now=counts["now"],
        run_began_at=counts["run_began_at"] or m["received_at"],
        message=MessageFacts(exists=True, status=Status(m["processing_status"]), draft_text=draft.text),
        kill_switches=tuple(
            SwitchThrow(thrown_at=s["thrown_at"], lifted_at=s["lifted_at"])
            for s in await tx.rows("claim_switches", m["mailbox_id"])
        ),
        spend=await _spend(tx, m, config, counts),
        hours=HoursFacts(mailbox=_hours(config), rule=governing.hours if governing else None),
        classes=ClassFacts(
            model_category=c.category,
            model_priority=c.priority,
            reviewer_category=Category(label) if (label := await tx.value("label_of", m["id"])) else None,
        ),
        inbound=_inbound(m),
        require_sender_auth=config["require_sender_auth"],
        sender=_sender(m),
        loop=_loop(m, counts),
        freshness=FreshnessFacts(
            newer_by_person=tuple(str(r["id"]) for r in newer), colleagues=tuple(r["name"] for r in colleagues)
        ),
        context=ContextFacts(
            tier=ContextTier(briefing.tier),
            truncated=briefing.truncated,
            gaps=briefing.gaps,
            anything_found=briefing.history_found,
            ungrounded=tuple(f.text for f in draft.facts if not f.grounded),
        ),
        outbound_score=scan([TextPart(place="draft", text=draft.text)]).combined_score,
        leaks=tuple(f.detector for f in draft.findings),
        handling=HandlingFacts(rules=await _handling(tx, m), message=_handled(m, classified)),
        audit=AuditFacts(draw=draw, rate=_audit_rate(config, governing)),
    )


def _audit_rate(config: Row, governing: AutonomyRule | None) -> float:
    """The mailbox's rate, and the highest there is while the rule's audits look suspicious (P91)."""
    configured = float(config["audit_rate"])
    return max(configured, MAX_AUDIT_RATE) if governing and governing.audit_alert else configured


async def _spend(tx: Transaction, m: Row, config: Row, counts: Row) -> Any:
    zone = ZoneInfo(config["timezone"])
    spent = await tx.must(
        "enter_spent", m["mailbox_id"], day_start(counts["now"], zone), month_start(counts["now"], zone)
    )
    return judge_spend(
        Spent(day_usd=spent["today"], month_usd=spent["month"]),
        Ceilings(daily_usd=config["daily_budget_usd"], monthly_usd=config["monthly_budget_usd"]),
        answered_before=m["contact_answered_at"] is not None,
    )


def hours_of(config: Row, rule: Row | None) -> WorkingHours:
    """The hours in force: the rule's where it has its own, else the mailbox's (gate 4)."""
    return hours_in_force(_hours(config), _rule(rule).hours if rule else None)


def _hours(config: Row) -> WorkingHours:
    return WorkingHours(
        zone=config["working_hours_zone"] or config["timezone"],
        enabled=config["working_hours_enabled"],
        days=frozenset(config["working_hours_days"]),
        start=config["working_hours_start"],
        end=config["working_hours_end"],
        holidays_region=config["holidays_region"],
    )


def _inbound(m: Row) -> InboundFacts:
    flags = m["security_flags"] or {}
    return InboundFacts(
        guard_unavailable=bool(flags.get("guard_unavailable", True)),
        combined_score=float(flags.get("combined_score", 1.0)),
        bypass_used=bool(flags.get("bypassed")),
        flags=tuple(sorted(NO_AUTONOMY.intersection(m["content_flags"]))),
    )


def _sender(m: Row) -> SenderFacts:
    dmarc = str((m["auth_verdicts"].get("dmarc") or {}).get("value", ""))
    ambiguous = "ambiguous_sender" in m["content_flags"]
    return SenderFacts(
        dmarc=AuthVerdict(dmarc) if dmarc in ("pass", "fail") else AuthVerdict.MISSING,
        from_addresses=(m["from_address"],) if m["from_address"] else (),
        from_count=2 if ambiguous else 1,
        recipients=tuple([*m["reply_recipients"], *m["reply_cc"]]),
        reply_to=tuple(m["reply_to"]),
        doubts=tuple([*sorted(SENDER_DOUBTS.intersection(m["content_flags"])), *m["reply_confirm"]]),
    )


def _loop(m: Row, counts: Row) -> LoopFacts:
    return LoopFacts(
        class_b=m["automatic_class"] != "none",
        loop_suspected=m["loop_suspected"],
        thread_cap_reached=counts["thread_automatic"] >= THREAD_CAP,
        sender_cap_reached=counts["sender_automatic"] >= SENDER_CAP,
    )


async def _handling(tx: Transaction, m: Row) -> tuple[HandlingRule, ...]:
    rows = await tx.rows("route_handling", m["mailbox_id"])
    return tuple(
        HandlingRule(
            id=str(r["id"]),
            kind=HandlingKind(r["kind"]),
            predicate=Predicate.model_validate(r["predicate"]),
            text=r["text"],
        )
        for r in rows
    )


def _handled(m: Row, classified: ClassifyOutput) -> HandledMessage:
    return HandledMessage(
        category=classified.classification.category,
        intents=tuple(IntentKind(i.intent) for i in classified.intents),
        sender=m["from_identity"],
        text=f"{m['subject']}\n{m['text_body']}",
    )


def _rule(r: Row) -> AutonomyRule:
    own_hours = r["working_hours_start"] is not None or r["holidays_region"] is not None
    return AutonomyRule(
        id=str(r["id"]),
        mode=RuleMode(r["mode"]),
        category=r["category"],
        sender=r["sender"] or None,
        auto_approve_threshold=float(r["auto_approve_threshold"]),
        max_daily_auto_actions=r["max_daily_auto_actions"],
        warmup_required=r["warmup_required"],
        target_error_rate=float(r["target_error_rate"]),
        hours=_override(r) if own_hours else None,
        audit_alert=r["audit_alert"],
        version=r["version"],
    )


def _override(r: Row) -> HoursOverride:
    set_hours = r["working_hours_start"] is not None
    return HoursOverride(
        enabled=True if set_hours else None,
        start=r["working_hours_start"],
        end=r["working_hours_end"],
        holidays_region=r["holidays_region"],
    )


def _registry(rows: Sequence[Row]) -> tuple[Breaker, ...] | None:
    """None unless all breakers are on record: an incomplete registry counts as unreadable (P79)."""
    complete = {r["kind"] for r in rows} >= {str(kind) for kind in BreakerKind}
    return tuple(breaker_of(r) for r in rows) if complete else None
