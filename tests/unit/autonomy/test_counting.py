"""Which routing decisions make up a rule's record, through the router itself."""

import pytest

from contracts.classification import Category
from domain.autonomy.counting import judged, observation_of
from domain.routing.decision import RouteDecision, RouteFacts, decide
from domain.routing.gate_facts import AuditFacts
from domain.routing.rules import AutonomyRule, RuleMode
from tests.unit.routing.gate_samples import NOW, SILENT, changed

RULE = AutonomyRule(
    id="r", mode=RuleMode.ON, category=Category.SUPPORT, auto_approve_threshold=0.90, max_daily_auto_actions=5
)
FACTS = RouteFacts(
    breakers=(),
    offline_model=False,
    requested_by_person=False,
    proposed_by_mission=False,
    is_case=False,
    intents=1,
    autonomy_on=True,
    category=Category.SUPPORT,
    sender="mara@example.org",
    sender_identified=True,
    score=0.95,
    gates=SILENT,
    rules=(RULE,),
    matched_observations=3,
)


def decided(mode: RuleMode = RuleMode.ON, draw: float = 0.5, **facts: object) -> RouteDecision:
    """The router's answer with some facts replaced."""
    gates = facts.pop("gates", SILENT)
    rules = (RULE.model_copy(update={"mode": mode}),)
    audited = changed(gates, audit=AuditFacts(draw=draw))  # type: ignore[arg-type]
    return decide(changed(FACTS, rules=rules, gates=audited, **facts))


@pytest.mark.parametrize(
    ("decision", "weight"),
    [
        (decided(RuleMode.SHADOW), 1.0),
        (decided(RuleMode.SHADOW, score=0.55), 1.0),
        (decided(draw=0.01), 1.0),
        (decided(matched_observations=0), 0.05),
        (decided(score=0.85), 0.05),
        (decided(daily_count=5), 0.05),
    ],
    ids=["shadow", "shadow below the threshold", "audited", "warm-up", "below the threshold", "cap used up"],
)
def test_what_counts_and_how_much(decision: RouteDecision, weight: float) -> None:
    """P82, P91a, A84a: seen in shadow or by draw in full, seen for sure while others were not by its share."""
    observation = observation_of(judged(decision, NOW), True)
    assert observation is not None and observation.gates_silent
    assert observation.weight == pytest.approx(weight)


@pytest.mark.parametrize(
    "decision",
    [
        decided(RuleMode.OFF),
        decided(RuleMode.SHADOW, sender_identified=False),
        decided(offline_model=True),
        decided(requested_by_person=True),
        decided(intents=2),
        decided(autonomy_on=False),
        decided(breakers=None),
    ],
    ids=["off", "unidentified", "offline model", "asked for", "several intents", "fallback", "breakers unreadable"],
)
def test_mails_a_rule_could_never_answer_alone_are_not_in_its_record(decision: RouteDecision) -> None:
    """A73a, P79: they would only thin out the errors, or add some, of mails that never leave without a person."""
    assert observation_of(judged(decision, NOW), True) is None


def test_an_objection_is_remembered_whatever_else_held_the_mail() -> None:
    """A84a: in shadow too the verdicts of gates 1 to 14 decide whether the decision counts."""
    held = decided(RuleMode.SHADOW, gates=changed(SILENT, outbound_score=0.9))
    observation = observation_of(judged(held, NOW), False)
    assert observation is not None and not observation.gates_silent
