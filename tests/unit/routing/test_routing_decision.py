"""The one decision that may send without a person: every way to a review, and the single way past all of them."""

from datetime import timedelta
from typing import Any

import pytest
from gate_samples import NOW, SILENT, changed, spoiled
from hypothesis import given
from hypothesis import strategies as st

from contracts.classification import Category
from domain.breakers import Breaker, BreakerState, default_breakers
from domain.routing.decision import Outcome, RouteDecision, RouteFacts, Stage, decide, undo_window
from domain.routing.rules import AutonomyRule, GlobalFallback, RuleMode

CLOSED = default_breakers()
OPEN = (*CLOSED[:2], CLOSED[2].model_copy(update={"state": BreakerState.OPEN, "tripped_at": NOW, "reason": "3 of 5"}))


def half_open(probes_used: int) -> tuple[Breaker, ...]:
    update = {"state": BreakerState.HALF_OPEN, "half_open_at": NOW, "probes_used": probes_used}
    return (CLOSED[0].model_copy(update=update), *CLOSED[1:])


def rule(mode: RuleMode = RuleMode.ON, **fields: Any) -> AutonomyRule:
    given_fields = {"id": "r-1", "mode": mode, "category": Category.SUPPORT, "max_daily_auto_actions": 3, "version": 7}
    return AutonomyRule.model_validate({**given_fields, "auto_approve_threshold": 0.90, **fields})


CLEAR = RouteFacts(
    breakers=CLOSED,
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
    rules=(rule(),),
    matched_observations=3,
)


def decided(**fields: Any) -> RouteDecision:
    return decide(changed(CLEAR, **fields))


def test_all_clear_is_the_only_way_to_send() -> None:
    """Mode on, threshold reached, warmed up, gates silent: approved under the rule and its version."""
    # P79, P81, A73, A74
    made = decided()
    assert (made.outcome, made.stage, made.rule_id, made.rule_version) == (Outcome.AUTO_APPROVE, Stage.RULES, "r-1", 7)
    assert made.would_have_sent and not made.observation
    assert made.audit_propensity == 0.05


# In the order of P79: everything below a row spoiled as well, the row itself decides.
ORDER: list[tuple[dict[str, Any], Stage, str]] = [
    ({"breakers": None}, Stage.BREAKERS, "breakers_unreadable"),
    ({"offline_model": True}, Stage.OFFLINE_MODEL, "offline_model"),
    ({"requested_by_person": True}, Stage.REQUEST, "requested_by_person"),
    ({"proposed_by_mission": True}, Stage.REQUEST, "proposed_by_mission"),
    ({"is_case": True}, Stage.REQUEST, "case"),
    ({"intents": 2}, Stage.INTENTS, "several_intents"),
    ({"rules": (rule(RuleMode.OFF),)}, Stage.RULES, "rule_off"),
    ({"gates": spoiled("message", exists=False)}, Stage.GATES, "message_state"),
]


@pytest.mark.parametrize("position", range(len(ORDER)))
def test_the_safest_question_is_asked_first(position: int) -> None:
    """Of all that is wrong from here on, the first in the order of P79 is the reason."""
    # P79, A73a
    later = [fields for fields, _, _ in ORDER[position:]]
    made = decided(**{name: value for fields in later for name, value in fields.items()})
    assert (made.outcome, made.stage, made.reason) == (Outcome.HUMAN_REVIEW, *ORDER[position][1:])


@pytest.mark.parametrize(("fields", "stage", "reason"), ORDER)
def test_each_reason_alone_means_review(fields: dict[str, Any], stage: Stage, reason: str) -> None:
    """One reason is enough, whatever the score."""
    # P79, P69, A71, A73a
    made = decided(**fields, score=1.0)
    assert (made.outcome, made.stage, made.reason) == (Outcome.HUMAN_REVIEW, stage, reason)


def test_an_open_breaker_means_review_and_says_why() -> None:
    """Any of the three, with its own reason as evidence."""
    # P79, P93
    made = decided(breakers=OPEN)
    assert (made.stage, made.reason) == (Stage.BREAKERS, "breaker_open")
    assert made.evidence == "rejection_spike: 3 of 5"


@pytest.mark.parametrize(
    ("used", "outcome"), [(0, Outcome.AUTO_APPROVE), (2, Outcome.AUTO_APPROVE), (3, Outcome.HUMAN_REVIEW)]
)
def test_a_half_open_breaker_lets_its_probes_through(used: int, outcome: Outcome) -> None:
    """Three automatic approvals at most, each named so that it is charged with the approval."""
    # P95, A91
    made = decided(breakers=half_open(used))
    assert made.outcome is outcome
    assert made.probed == (("llm_failure",) if outcome is Outcome.AUTO_APPROVE else ())


def test_no_rule_or_mode_off_is_review_without_observation() -> None:
    """What nobody switched on is not even noted as a would-be."""
    # P80, A73
    for fields, reason in (({"rules": ()}, "no_rule"), ({"rules": (rule(RuleMode.OFF),)}, "rule_off")):
        made = decided(**fields)
        assert (made.reason, made.observation, made.would_have_sent) == (reason, False, False)


def test_shadow_observes_and_never_sends() -> None:
    """Shadow notes what would have happened: sent with silent gates, not sent with an objection."""
    # P82, A73
    made = decided(rules=(rule(RuleMode.SHADOW),), matched_observations=0)
    assert (made.outcome, made.reason, made.observation, made.would_have_sent) == ("human_review", "shadow", True, True)
    held = decided(rules=(rule(RuleMode.SHADOW),), gates=spoiled("loop", class_b=True))
    assert (held.observation, held.would_have_sent, held.gate) == (True, False, "")


def test_warm_up_observes_with_every_other_check() -> None:
    """A new sender reaches warm-up by human approvals alone; the fourth mail is automatic."""
    # P82, A74
    for matched in range(3):
        made = decided(matched_observations=matched)
        assert (made.reason, made.observation, made.would_have_sent) == ("warm_up", True, True)
    assert decided(matched_observations=3).outcome is Outcome.AUTO_APPROVE


def test_the_audit_draw_hides_no_observation() -> None:
    """In shadow and warm-up the draw of gate 15 does not change what would have been sent."""
    # P87, A84a
    assert decided(rules=(rule(RuleMode.SHADOW),), gates=spoiled("audit", draw=0.0)).would_have_sent


def test_an_audited_reply_is_an_observation_with_its_propensity() -> None:
    """Held by the draw alone: it counts, weighted by the rate of the draw."""
    # P86 gate 15, P91, A82
    made = decided(gates=spoiled("audit", draw=0.09, rate=0.10))
    assert (made.outcome, made.gate, made.reason) == (Outcome.HUMAN_REVIEW, "audit_sample", "audit_sample")
    assert (made.observation, made.would_have_sent, made.audit_propensity) == (True, True, 0.10)


@pytest.mark.parametrize(
    "gates", [changed(SILENT, audit=None), spoiled("audit", draw=1.5), spoiled("loop", class_b=True)]
)
def test_a_review_for_any_other_reason_is_certain(gates: Any) -> None:
    """A missing or impossible draw and a real objection are no sample: reviewed with probability one, not observed."""
    # P87
    made = decided(gates=gates)
    assert (made.outcome, made.observation, made.audit_propensity) == (Outcome.HUMAN_REVIEW, False, 1.0)


def test_verdicts_of_gates_one_to_fourteen_are_stored_always() -> None:
    """They are kept as they stand, whatever decided, without gate 15."""
    # P87, A84a
    for fields in ({}, {"breakers": None}, {"rules": (rule(RuleMode.SHADOW),)}, {"score": 0.1}):
        made = decided(**fields, gates=changed(spoiled("loop", class_b=True), leaks=("key",)))
        assert [verdict.number for verdict in made.verdicts] == list(range(1, 15))
        assert [verdict.gate for verdict in made.verdicts if verdict.objection] == ["loop_guard", "outbound_leak"]
        assert made.score == (0.1 if "score" in fields else 0.95)


def test_the_gate_and_its_evidence_are_the_reason() -> None:
    """A held reply names the first gate that objected and what it saw."""
    # P87
    made = decided(gates=spoiled("context", ungrounded=("500 €",)))
    assert (made.stage, made.gate, made.reason, made.evidence) == (
        Stage.GATES, "context_complete", "context_complete", "ungrounded: 500 €",
    )  # fmt: skip
    assert (made.rule_id, made.rule_version, made.would_have_sent) == ("r-1", 7, False)


def test_with_autonomy_off_the_gates_still_decide() -> None:
    """The fallback sends above its threshold with silent gates, and not with an objection; rules are not asked."""
    # P84, A88
    fallback = GlobalFallback(is_auto_reply_enabled=True)
    off = {"autonomy_on": False, "fallback": fallback, "rules": (rule(RuleMode.OFF),), "matched_observations": 0}
    made = decided(**off, score=0.80)
    assert (made.outcome, made.stage, made.rule_id) == (Outcome.AUTO_APPROVE, Stage.FALLBACK, None)
    assert decided(**off, score=0.79).reason == "below_threshold"
    assert decided(**off, gates=spoiled("loop", class_b=True)).gate == "loop_guard"
    assert decided(autonomy_on=False).reason == "auto_reply_off"


def test_with_autonomy_on_the_fallback_is_ignored() -> None:
    """A global switch that is on sends nothing once rules are asked."""
    # P84
    assert decided(rules=(), fallback=GlobalFallback(is_auto_reply_enabled=True), score=1.0).reason == "no_rule"


def test_an_exhausted_cap_is_review() -> None:
    """Cap 3: the fourth is held; cap 0: all are."""
    # P85, A77
    assert [decided(daily_count=count).reason for count in (2, 3)] == ["all_clear", "daily_cap"]
    assert decided(rules=(rule(max_daily_auto_actions=0),)).reason == "daily_cap"


@pytest.mark.parametrize(
    ("automatic", "human_s", "automatic_s", "window_s"),
    [(False, 15, 60, 15), (True, 15, 60, 60), (False, 0, 60, 0), (True, 15, 999, 120), (True, 15, -5, 0)],
)
def test_undo_windows(automatic: bool, human_s: int, automatic_s: int, window_s: int) -> None:
    """15 s after a person, 60 s after an automatic approval, 0 to 120 s."""
    # P102
    window = undo_window(automatic, timedelta(seconds=human_s), timedelta(seconds=automatic_s))
    assert window == timedelta(seconds=window_s)


@given(
    st.sampled_from([None, CLOSED, OPEN, half_open(0), half_open(3)]),
    st.tuples(*[st.booleans()] * 5),
    st.integers(0, 3),
    st.floats(0, 1),
    st.sampled_from([(), (rule(),), (rule(RuleMode.SHADOW),), (rule(RuleMode.OFF),)]),
    st.integers(0, 4),
    st.integers(0, 4),
    st.sampled_from([SILENT, spoiled("loop", class_b=True), spoiled("audit", draw=0.01), changed(SILENT, leaks=None)]),
)
def test_an_automatic_reply_has_every_condition_met(
    breakers: tuple[Breaker, ...] | None,
    flags: tuple[bool, ...],
    intents: int,
    score: float,
    rules: tuple[AutonomyRule, ...],
    matched: int,
    count: int,
    gates: Any,
) -> None:
    """Over all combinations: auto_approve implies each of P81's conditions, and what would have been sent was clean."""
    # P79, P81
    offline, requested, mission, case, identified = flags
    made = decided(
        breakers=breakers, offline_model=offline, requested_by_person=requested, proposed_by_mission=mission,
        is_case=case, intents=intents, sender_identified=identified, score=score, rules=rules,
        matched_observations=matched, daily_count=count, gates=gates,
    )  # fmt: skip
    clean = breakers in (CLOSED, half_open(0)) and not any(flags[:4]) and intents < 2 and identified and score >= 0.90
    if made.outcome is Outcome.AUTO_APPROVE:
        assert clean and rules == (rule(),) and matched >= 3 and count < 3 and gates == SILENT
    if made.would_have_sent:
        assert clean and count < 3 and not any(verdict.objection for verdict in made.verdicts)
    assert made.outcome is Outcome.AUTO_APPROVE or made.reason != "all_clear"
