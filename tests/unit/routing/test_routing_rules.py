"""Which rule governs, and what it still asks for."""

import pytest
from pydantic import ValidationError

from contracts.classification import Category
from domain.routing.rules import (
    THRESHOLD_GRID,
    AutonomyRule,
    GlobalFallback,
    RuleFacts,
    RuleMode,
    RuleReason,
    governing_rule,
    judge_fallback,
    judge_rule,
)

ON = AutonomyRule(
    id="cat", mode=RuleMode.ON, category=Category.SUPPORT, auto_approve_threshold=0.90, max_daily_auto_actions=3
)
SENDER = "mara@example.org"


def rule(**fields: object) -> AutonomyRule:
    return AutonomyRule.model_validate({**ON.model_dump(), **fields})


def facts(**fields: object) -> RuleFacts:
    given = {"category": Category.SUPPORT, "sender": SENDER, "sender_identified": True, "score": 0.90}
    return RuleFacts.model_validate({**given, "matched_observations": 3, **fields})


@pytest.mark.parametrize("value", [0.83, 0.0, 1.0, 0.98, 0.45])
def test_a_threshold_off_the_grid_is_refused(value: float) -> None:
    """0.83 is refused on save, and the field is named."""
    # P80, P91a, A83
    with pytest.raises(ValidationError, match="auto_approve_threshold must be one of 0.50, 0.55"):
        rule(auto_approve_threshold=value)


def test_the_grid_runs_in_steps_of_five_and_ends_at_ninety_nine() -> None:
    """Eleven values, all of them accepted."""
    # P91a
    assert THRESHOLD_GRID == tuple(step / 100 for step in (*range(50, 100, 5), 99))
    assert [rule(auto_approve_threshold=step).auto_approve_threshold for step in THRESHOLD_GRID] == list(THRESHOLD_GRID)


def test_the_senders_rule_stands_above_the_categorys() -> None:
    """A rule for this sender governs, in any writing of the address; another sender's does not."""
    # P80, A76
    own = rule(id="own", sender="MARA@example.org", category=None, mode=RuleMode.OFF)
    other = rule(id="other", sender="tom@example.org", category=None)
    assert governing_rule([ON, own, other], Category.SUPPORT, SENDER) == own
    assert judge_rule([ON, own], facts()).unmet == (RuleReason.RULE_OFF,)
    assert governing_rule([ON, other], Category.SUPPORT, SENDER) == ON
    assert governing_rule([ON, other], Category.BILLING, SENDER) is None


def test_among_a_senders_rules_off_wins_then_the_narrower() -> None:
    """Two rules of one sender: the one that blocks, else the one that names the category."""
    # P80
    wide = rule(id="wide", sender=SENDER, category=None)
    narrow = rule(id="narrow", sender=SENDER)
    blocked = rule(id="blocked", sender=SENDER, category=None, mode=RuleMode.OFF)
    elsewhere = rule(id="elsewhere", sender=SENDER, category=Category.BILLING)
    assert governing_rule([wide, narrow, elsewhere], Category.SUPPORT, SENDER) == narrow
    assert governing_rule([wide, narrow, blocked], Category.SUPPORT, SENDER) == blocked
    assert governing_rule([elsewhere, ON], Category.SUPPORT, SENDER) == ON


@pytest.mark.parametrize(
    ("rules", "given", "unmet"),
    [
        ([], {}, (RuleReason.NO_RULE,)),
        ([rule(mode=RuleMode.OFF)], {}, (RuleReason.RULE_OFF,)),
        ([rule(mode=RuleMode.SHADOW)], {}, (RuleReason.SHADOW,)),
        ([ON], {}, ()),
        ([ON], {"score": 0.8999}, (RuleReason.BELOW_THRESHOLD,)),
        ([ON], {"sender_identified": False}, (RuleReason.SENDER_UNIDENTIFIED,)),
        ([ON], {"matched_observations": 2}, (RuleReason.WARM_UP,)),
        ([ON], {"daily_count": 3}, (RuleReason.DAILY_CAP,)),
        ([ON], {"daily_count": 2}, ()),
        ([rule(max_daily_auto_actions=0)], {}, (RuleReason.DAILY_CAP,)),
        ([ON], {"score": 0.1, "matched_observations": 0}, (RuleReason.BELOW_THRESHOLD, RuleReason.WARM_UP)),
        ([rule(warmup_required=0)], {"matched_observations": 0}, ()),
        ([ON], {"score": float("nan")}, (RuleReason.BELOW_THRESHOLD,)),
    ],
)
def test_what_a_rule_still_asks_for(
    rules: list[AutonomyRule], given: dict[str, object], unmet: tuple[str, ...]
) -> None:
    """Mode, identified sender, threshold, cap and warm-up, each at its border; an absent rule is never automatic."""
    # P80, P81, A73, A74, A77
    assert judge_rule(rules, facts(**given)).unmet == unmet


@pytest.mark.parametrize(
    ("mode", "given", "observed", "would_pass"),
    [
        (RuleMode.SHADOW, {}, True, True),
        (RuleMode.SHADOW, {"matched_observations": 0}, True, True),
        (RuleMode.SHADOW, {"score": 0.5}, True, False),
        (RuleMode.ON, {"matched_observations": 0}, True, True),
        (RuleMode.ON, {"matched_observations": 0, "score": 0.5}, True, False),
        (RuleMode.ON, {}, False, True),
        (RuleMode.ON, {"score": 0.5}, False, False),
        (RuleMode.OFF, {}, False, False),
    ],
)
def test_what_is_observed(mode: RuleMode, given: dict[str, object], observed: bool, would_pass: bool) -> None:
    """Shadow and warming up are observed with every check but warm-up; a rule that is off observes nothing."""
    # P82
    verdict = judge_rule([rule(mode=mode)], facts(**given))
    assert (verdict.observed, verdict.would_pass) == (observed, would_pass)


def test_is_enabled_follows_the_mode() -> None:
    """True unless off."""
    # P80
    assert [rule(mode=mode).is_enabled for mode in RuleMode] == [False, True, True]


def test_a_rule_about_nothing_is_refused() -> None:
    """Neither a category nor a sender would be a rule for everybody."""
    # P80
    with pytest.raises(ValidationError, match="a category or a sender"):
        AutonomyRule(id="x", mode=RuleMode.ON)


@pytest.mark.parametrize(
    ("fallback", "given", "unmet"),
    [
        (GlobalFallback(), {}, (RuleReason.AUTO_REPLY_OFF,)),
        (GlobalFallback(is_auto_reply_enabled=True), {"score": 0.80}, ()),
        (GlobalFallback(is_auto_reply_enabled=True), {"score": 0.79}, (RuleReason.BELOW_THRESHOLD,)),
        (GlobalFallback(is_auto_reply_enabled=True), {"daily_count": 100}, (RuleReason.DAILY_CAP,)),
        (GlobalFallback(is_auto_reply_enabled=True, max_daily_auto_replies=0), {}, (RuleReason.DAILY_CAP,)),
    ],
)
def test_the_global_fallback(fallback: GlobalFallback, given: dict[str, object], unmet: tuple[str, ...]) -> None:
    """The switch, the threshold of 0.80 and the cap of 100 by default."""
    # P84, A77
    assert judge_fallback(fallback, facts(**given)).unmet == unmet
