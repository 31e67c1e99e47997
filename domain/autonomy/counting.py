"""From a stored routing decision to an observation, in one place: which decisions belong to the mails a rule could ever
answer alone, and how small the chance of a review could have been (P82, P91a)."""

from collections.abc import Collection
from datetime import datetime

from domain.autonomy.observation import Observation
from domain.routing.decision import RouteDecision, Stage
from domain.routing.gates import AUDIT_GATE
from domain.routing.rules import RuleReason

_NEVER_AUTOMATIC = frozenset({RuleReason.NO_RULE, RuleReason.RULE_OFF, RuleReason.SENDER_UNIDENTIFIED})


def counts(stage: str, unmet: Collection[str]) -> bool:
    """True if a decision belongs to the record of its rule: judged by rules, and by nothing that always means review.

    `unmet` are the conditions the rule still asked for, empty where gates decided.
    """
    return stage in (Stage.RULES, Stage.GATES) and not _NEVER_AUTOMATIC.intersection(unmet)


def review_floor(unmet: Collection[str], audit_rate: float) -> float:
    """The lowest probability of a review that any mail had under the rule as it then was: all are seen in shadow."""
    return 1.0 if RuleReason.SHADOW in unmet else audit_rate


def observation_of(decision: RouteDecision, clean: bool | None, audit_rate: float, at: datetime) -> Observation | None:
    """What a reviewed decision adds to its rule's record; None if it adds nothing. `audit_rate` is the one of then."""
    unmet = decision.evidence.split(", ") if decision.stage is Stage.RULES and decision.evidence else []
    if not counts(decision.stage, unmet):
        return None
    audited = decision.gate == AUDIT_GATE
    return Observation(
        score=decision.score,
        clean=clean,
        propensity=audit_rate if audited else 1.0,
        floor=review_floor(unmet, audit_rate),
        gates_silent=all(verdict.objection is None for verdict in decision.verdicts),
        at=at,
    )
