"""Whether a person must see the reply before it leaves; stored with reason, gate and evidence (P79-P87)."""

import random
from decimal import Decimal
from uuid import UUID

from activities.ports import Row
from activities.steps.frame import StepContext
from activities.steps.route_facts import read_facts
from contracts.outputs import RouteOutput
from contracts.status import Status, StepKind
from contracts.steps import Route, StepInput, transition
from domain.routing.decision import Outcome, RouteDecision, decide

KIND = StepKind.ROUTE
TIER = None
OUTPUT = RouteOutput


async def execute(context: StepContext, step: StepInput) -> RouteOutput:
    """Reads every fact, draws the audit number, decides; only the cap is left to the lifecycle (P85)."""
    facts = await read_facts(context, draw=random.random())
    return _output(decide(facts))


def _output(d: RouteDecision) -> RouteOutput:
    return RouteOutput(
        outcome=d.outcome,
        stage=d.stage,
        reason=d.reason,
        gate=d.gate,
        evidence={"text": d.evidence, "probed": list(d.probed)},
        verdicts={v.gate: v.objection.evidence if v.objection else "" for v in d.verdicts},
        score=Decimal(str(round(d.score, 4))),
        rule_id=UUID(d.rule_id) if d.rule_id else None,
        rule_version=d.rule_version,
        would_have_sent=d.would_have_sent,
        observed=d.observation,
        propensity=Decimal(str(round(d.audit_propensity, 5))),
        audit_rate=Decimal(str(round(d.audit_rate, 5))),
        charge="" if d.rule_id else "global",
    )


def route(output: RouteOutput, step: StepInput, message: Row) -> Route:
    """To a person, or approved."""
    if output.outcome == Outcome.AUTO_APPROVE and message["answered_by"] is None:
        return transition(Status.APPROVED, "auto")
    return transition(Status.DRAFT_READY, output.gate or output.reason)
