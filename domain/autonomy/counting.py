"""From a routing decision to an observation, in one place for the simulation and for what is stored: which decisions
belong to the mails a rule could ever answer alone, and how small the chance of a review could have been (P82, P91a)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime

from contracts.base import Contract
from domain.autonomy.observation import Observation
from domain.routing.decision import RouteDecision, Stage
from domain.routing.gates import AUDIT_GATE
from domain.routing.rules import RuleReason

# The lowest rate an audit sample may have; stands in where none was stored, because a lower floor is always valid.
LOWEST_AUDIT_RATE = 0.05
_NEVER_AUTOMATIC = frozenset({RuleReason.NO_RULE, RuleReason.RULE_OFF, RuleReason.SENDER_UNIDENTIFIED})


class Judged(Contract):
    """What counting has to know of one decision. `unmet` are the conditions the rule still asked for, empty where gates
    decided; `audit_rate` is the one in force then; `observed` marks shadow, warm-up and audit sample (P91)."""

    stage: str
    unmet: tuple[str, ...]
    gate: str
    score: float
    gates_silent: bool
    observed: bool
    audit_rate: float
    at: AwareDatetime

    @property
    def audited(self) -> bool:
        """True if the draw alone asked for a person."""
        return self.stage == Stage.GATES and self.gate == AUDIT_GATE

    @property
    def counts(self) -> bool:
        """True if it belongs to the record: reviewed for what a rule asked for, or for a gate.

        What the rules left to be sent was sent, or held for something that happened meanwhile; neither is evidence.
        """
        if self.stage == Stage.RULES:
            return bool(self.unmet) and not _NEVER_AUTOMATIC.intersection(self.unmet)
        return self.stage == Stage.GATES

    @property
    def floor(self) -> float:
        """The lowest probability of a review any mail had under the rule as it then was: all are seen in shadow."""
        return 1.0 if RuleReason.SHADOW in self.unmet else self.audit_rate


def judged(decision: RouteDecision, at: datetime) -> Judged:
    """A decision as the router made it."""
    return Judged(
        stage=decision.stage,
        unmet=_unmet(decision.stage, decision.evidence),
        gate=decision.gate,
        score=decision.score,
        gates_silent=all(verdict.objection is None for verdict in decision.verdicts),
        observed=decision.observation,
        audit_rate=decision.audit_rate,
        at=at,
    )


def stored(row: Mapping[str, Any]) -> Judged:
    """One row of `autonomy_observations`; one from before rates were stored has its draw's own, or the lowest."""
    audited = row["gate"] == AUDIT_GATE
    known = row["audit_rate"] or (row["propensity"] if audited else None) or LOWEST_AUDIT_RATE
    return Judged(
        stage=row["stage"],
        unmet=_unmet(row["stage"], row["evidence"]),
        gate=row["gate"] or "",
        score=float(row["score"]),
        gates_silent=bool(row["gates_silent"]),
        observed=bool(row["observed"]),
        audit_rate=float(known),
        at=row["at"],
    )


def observation_of(one: Judged, clean: bool | None) -> Observation | None:
    """What a reviewed decision adds to its rule's record; None if it adds nothing."""
    if not one.counts:
        return None
    return Observation(
        score=one.score,
        clean=clean,
        propensity=one.audit_rate if one.audited else 1.0,
        floor=one.floor,
        gates_silent=one.gates_silent,
        is_shown=one.observed,
        at=one.at,
    )


def _unmet(stage: str, evidence: str) -> tuple[str, ...]:
    return tuple(evidence.split(", ")) if stage == Stage.RULES and evidence else ()
