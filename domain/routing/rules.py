"""Autonomy is granted per category and taken back per sender. This module knows which rule governs and what it still
asks for; whether the reply itself is fit to leave is the gates' question (P80-P84)."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field, field_validator, model_validator

from contracts.base import Contract
from contracts.classification import Category
from domain.routing.working_hours import HoursOverride

# The only values a threshold may take; certificates are corrected over exactly these (P91a).
THRESHOLD_GRID = (0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.99)


class RuleMode(StrEnum):
    """off: a person decides; shadow: a person decides and we note what we would have done; on: automatic."""

    OFF = "off"
    SHADOW = "shadow"
    ON = "on"


class AutonomyRule(Contract):
    """One rule, for a category or for a sender (then of every category, or of the one it names)."""

    id: str
    mode: RuleMode
    category: Category | None = None
    sender: str | None = None
    auto_approve_threshold: float = 0.95
    max_daily_auto_actions: int = Field(default=0, ge=0)
    warmup_required: int = Field(default=3, ge=0)
    target_error_rate: float = Field(default=0.05, gt=0, lt=1)
    hours: HoursOverride | None = None
    audit_alert: bool = False
    version: int = Field(default=1, ge=1)

    @property
    def is_enabled(self) -> bool:
        """True unless the mode is off."""
        return self.mode is not RuleMode.OFF

    @field_validator("auto_approve_threshold")
    @classmethod
    def _on_grid(cls, value: float) -> float:
        if value not in THRESHOLD_GRID:
            steps = ", ".join(f"{step:.2f}" for step in THRESHOLD_GRID)
            raise ValueError(f"auto_approve_threshold must be one of {steps}")
        return value

    @model_validator(mode="after")
    def _about_something(self) -> "AutonomyRule":
        if self.category is None and self.sender is None:
            raise ValueError("a rule needs a category or a sender")
        return self


class GlobalFallback(Contract):
    """What holds while autonomy is off (P84); with autonomy on these three are ignored."""

    is_auto_reply_enabled: bool = False
    confidence_threshold: float = Field(default=0.80, ge=0, le=1)
    max_daily_auto_replies: int = Field(default=100, ge=0)


class RuleReason(StrEnum):
    """Why a rule or the fallback alone already means review."""

    NO_RULE = "no_rule"
    RULE_OFF = "rule_off"
    SHADOW = "shadow"
    SENDER_UNIDENTIFIED = "sender_unidentified"
    BELOW_THRESHOLD = "below_threshold"
    WARM_UP = "warm_up"
    DAILY_CAP = "daily_cap"
    AUTO_REPLY_OFF = "auto_reply_off"


class RuleFacts(Contract):
    """What rules are judged on. `daily_count` belongs to the governing rule or to the fallback, as read before
    charging; the cap itself is charged atomically later (P85). `matched_observations` counts for this category
    and sender."""

    category: Category
    sender: str
    sender_identified: bool
    score: float
    matched_observations: int = Field(default=0, ge=0)
    daily_count: int = Field(default=0, ge=0)


class RuleVerdict(Contract):
    """`unmet` lists every condition that fails, mode first; empty means the rule asks for nothing more."""

    rule: AutonomyRule | None
    unmet: tuple[RuleReason, ...]

    @property
    def observed(self) -> bool:
        """True if an observation is to be recorded: in shadow, and in mode on while warming up (P82)."""
        shadow = self.rule is not None and self.rule.mode is RuleMode.SHADOW
        return shadow or (self._is_on and RuleReason.WARM_UP in self.unmet)

    @property
    def would_pass(self) -> bool:
        """True if nothing but shadow mode or warm-up stands in the way (P82)."""
        return set(self.unmet) <= {RuleReason.SHADOW, RuleReason.WARM_UP}

    @property
    def _is_on(self) -> bool:
        return self.rule is not None and self.rule.mode is RuleMode.ON


def same_sender(left: str, right: str) -> bool:
    """Senders are compared in their case-folded identity form."""
    return left.strip().casefold() == right.strip().casefold()


def governing_rule(rules: Sequence[AutonomyRule], category: Category, sender: str) -> AutonomyRule | None:
    """The sender's rule if one exists, else the category's. Among a sender's rules `off` wins, then the narrower
    one."""
    own = [rule for rule in rules if rule.sender is not None and same_sender(rule.sender, sender)]
    fitting = [rule for rule in own if rule.category in (None, category)]
    if fitting:
        return min(fitting, key=lambda rule: (rule.is_enabled, rule.category is None, rule.id))
    return next((rule for rule in rules if rule.sender is None and rule.category is category), None)


def judge_rule(rules: Sequence[AutonomyRule], facts: RuleFacts) -> RuleVerdict:
    """The governing rule and everything it still asks for (P80-P82)."""
    rule = governing_rule(rules, facts.category, facts.sender)
    if rule is None:
        return RuleVerdict(rule=None, unmet=(RuleReason.NO_RULE,))
    if not rule.is_enabled:
        return RuleVerdict(rule=rule, unmet=(RuleReason.RULE_OFF,))
    asked = (
        (rule.mode is RuleMode.SHADOW, RuleReason.SHADOW),
        (not facts.sender_identified, RuleReason.SENDER_UNIDENTIFIED),
        (not facts.score >= rule.auto_approve_threshold, RuleReason.BELOW_THRESHOLD),
        (facts.daily_count >= rule.max_daily_auto_actions, RuleReason.DAILY_CAP),
        (facts.matched_observations < rule.warmup_required, RuleReason.WARM_UP),
    )
    return RuleVerdict(rule=rule, unmet=tuple(reason for fails, reason in asked if fails))


def judge_fallback(fallback: GlobalFallback, facts: RuleFacts) -> RuleVerdict:
    """What the global switch, its threshold and its cap still ask for (P84)."""
    asked = (
        (not fallback.is_auto_reply_enabled, RuleReason.AUTO_REPLY_OFF),
        (not facts.score >= fallback.confidence_threshold, RuleReason.BELOW_THRESHOLD),
        (facts.daily_count >= fallback.max_daily_auto_replies, RuleReason.DAILY_CAP),
    )
    return RuleVerdict(rule=None, unmet=tuple(reason for fails, reason in asked if fails))
