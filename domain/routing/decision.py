"""The one decision that can send a mail without a person. It is asked in the order of P79, safest question first,
and every answer but one is a review."""

from datetime import timedelta
from enum import StrEnum

from pydantic import Field

from contracts.base import Contract
from contracts.classification import Category
from domain.breakers import Breaker, BreakerState, blocks_automation
from domain.routing.gates import AUDIT_GATE, GateFacts, Objection, Verdict, all_verdicts
from domain.routing.rules import AutonomyRule, GlobalFallback, RuleFacts, RuleVerdict, judge_fallback, judge_rule

_MAX_UNDO = timedelta(seconds=120)


class Outcome(StrEnum):
    """Only these two."""

    AUTO_APPROVE = "auto_approve"
    HUMAN_REVIEW = "human_review"


class Stage(StrEnum):
    """Where the decision fell, in the order in which the stages are asked."""

    BREAKERS = "breakers"
    OFFLINE_MODEL = "offline_model"
    REQUEST = "request"
    INTENTS = "intents"
    RULES = "rules"
    FALLBACK = "fallback"
    GATES = "gates"


class RouteFacts(Contract):
    """Everything one decision rests on. `breakers` None: the registry could not be read.

    `offline_model` is True if the classification or the draft came from the offline endpoint; `requested_by_person`,
    `proposed_by_mission` and `is_case` always mean review. `score` is the `confidence_score` of P76.
    """

    breakers: tuple[Breaker, ...] | None
    offline_model: bool
    requested_by_person: bool
    proposed_by_mission: bool
    is_case: bool
    intents: int = Field(ge=0)
    autonomy_on: bool
    category: Category
    sender: str
    sender_identified: bool
    score: float = Field(ge=0, le=1)
    gates: GateFacts
    rules: tuple[AutonomyRule, ...] = ()
    fallback: GlobalFallback = GlobalFallback()
    matched_observations: int = Field(default=0, ge=0)
    daily_count: int = Field(default=0, ge=0)


class RouteDecision(Contract):
    """One row of `autonomy_decisions` (P87).

    `audit_propensity` is the probability with which a person looked at this decision: 1.0 for every review that did not
    come from the draw, the audit rate where only the draw decided. `audit_rate` is the rate in force, drawn or not; 1.0
    if it could not be read, for then everything is reviewed. `verdicts` are gates 1 to 14, each by itself.
    `probed` names half-open breakers whose probe an approval must charge in the same transaction (P95).
    """

    outcome: Outcome
    stage: Stage
    gate: str = ""
    reason: str
    evidence: str = ""
    rule_id: str | None = None
    rule_version: int | None = None
    score: float
    would_have_sent: bool = False
    audit_propensity: float = 1.0
    audit_rate: float = 1.0
    observation: bool = False
    verdicts: tuple[Verdict, ...] = ()
    probed: tuple[str, ...] = ()


def decide(facts: RouteFacts) -> RouteDecision:
    """Auto-approve or review: breakers, offline model, requests, intents, then rules or fallback, then the gates."""
    verdicts = all_verdicts(facts.gates)
    held = _held_before_rules(facts)
    decision = _review(facts, verdicts, *held) if held else _by_rules(facts, verdicts)
    return decision.model_copy(update={"audit_rate": facts.gates.audit.rate if facts.gates.audit else 1.0})


def _held_before_rules(facts: RouteFacts) -> tuple[Stage, str, str] | None:
    """Stage, reason and evidence of what means review whatever any rule says (P79)."""
    if facts.breakers is None:
        return Stage.BREAKERS, "breakers_unreadable", "the breaker registry could not be read"
    blocking = [breaker for breaker in facts.breakers if blocks_automation(breaker)]
    if blocking:
        return Stage.BREAKERS, "breaker_open", "; ".join(f"{item.kind}: {item.reason}" for item in blocking)
    asked = (
        (facts.offline_model, Stage.OFFLINE_MODEL, "offline_model"),
        (facts.requested_by_person, Stage.REQUEST, "requested_by_person"),
        (facts.proposed_by_mission, Stage.REQUEST, "proposed_by_mission"),
        (facts.is_case, Stage.REQUEST, "case"),
        (facts.intents >= 2, Stage.INTENTS, "several_intents"),
    )
    return next(((stage, reason, "") for holds, stage, reason in asked if holds), None)


def _by_rules(facts: RouteFacts, verdicts: tuple[Verdict, ...]) -> RouteDecision:
    judged, stage = _judged(facts)
    before_audit, audit = _objections(verdicts)
    would_have_sent = judged.would_pass and before_audit is None
    if judged.unmet:
        decision = _review(facts, verdicts, stage, judged.unmet[0].value, ", ".join(judged.unmet), judged.rule)
        return decision.model_copy(update={"would_have_sent": would_have_sent, "observation": judged.observed})
    objection = before_audit or audit
    if objection:
        decision = _review(facts, verdicts, Stage.GATES, objection.gate, objection.evidence, judged.rule)
        update = {"gate": objection.gate, "would_have_sent": would_have_sent, **_audited(facts, before_audit)}
        return decision.model_copy(update=update)
    return _approval(facts, verdicts, stage, judged)


def _judged(facts: RouteFacts) -> tuple[RuleVerdict, Stage]:
    """Autonomy on asks the rules alone, off the global fallback alone (P84)."""
    asked = RuleFacts(
        category=facts.category,
        sender=facts.sender,
        sender_identified=facts.sender_identified,
        score=facts.score,
        matched_observations=facts.matched_observations,
        daily_count=facts.daily_count,
    )
    if facts.autonomy_on:
        return judge_rule(facts.rules, asked), Stage.RULES
    return judge_fallback(facts.fallback, asked), Stage.FALLBACK


def _objections(verdicts: tuple[Verdict, ...]) -> tuple[Objection | None, Objection | None]:
    """The first objection of gates 1 to 14, and that of gate 15."""
    said = [verdict.objection for verdict in verdicts if verdict.objection is not None]
    before = next((objection for objection in said if objection.gate != AUDIT_GATE), None)
    return before, next((objection for objection in said if objection.gate == AUDIT_GATE), None)


def _audited(facts: RouteFacts, before_audit: Objection | None) -> dict[str, object]:
    """A review that only the draw asked for is an observation, seen with the probability of the draw (P91)."""
    audit = facts.gates.audit
    if before_audit is not None or audit is None or not 0 <= audit.draw < audit.rate:
        return {}
    return {"observation": True, "audit_propensity": audit.rate}


def _review(
    facts: RouteFacts,
    verdicts: tuple[Verdict, ...],
    stage: Stage,
    reason: str,
    evidence: str,
    rule: AutonomyRule | None = None,
) -> RouteDecision:
    return RouteDecision(
        outcome=Outcome.HUMAN_REVIEW,
        stage=stage,
        reason=reason,
        evidence=evidence,
        rule_id=rule.id if rule else None,
        rule_version=rule.version if rule else None,
        score=facts.score,
        verdicts=_stored(verdicts),
    )


def _approval(facts: RouteFacts, verdicts: tuple[Verdict, ...], stage: Stage, judged: RuleVerdict) -> RouteDecision:
    half_open = (item for item in facts.breakers or () if item.state is BreakerState.HALF_OPEN)
    return RouteDecision(
        outcome=Outcome.AUTO_APPROVE,
        stage=stage,
        reason="all_clear",
        rule_id=judged.rule.id if judged.rule else None,
        rule_version=judged.rule.version if judged.rule else None,
        score=facts.score,
        would_have_sent=True,
        audit_propensity=facts.gates.audit.rate if facts.gates.audit else 1.0,
        verdicts=_stored(verdicts),
        probed=tuple(item.kind.value for item in half_open),
    )


def _stored(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    return tuple(verdict for verdict in verdicts if verdict.gate != AUDIT_GATE)


def undo_window(automatic: bool, human_undo: timedelta, auto_send_delay: timedelta) -> timedelta:
    """How long an approval can be taken back before hand-over, 0 to 120 s; 0 is none (P102)."""
    chosen = auto_send_delay if automatic else human_undo
    return min(max(chosen, timedelta(0)), _MAX_UNDO)
