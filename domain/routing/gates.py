"""The fifteen final gates in their order. A gate never says yes, it only fails to object; one that throws, timed out
or had nothing to read objects as well, because nobody knows what it would have seen (P86)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from contracts.base import Contract
from domain.routing import gate_checks
from domain.routing.gate_checks import Unreadable
from domain.routing.gate_facts import GateFacts

AUDIT_GATE = "audit_sample"
_EVIDENCE_CHARS = 400


class Gate(NamedTuple):
    """`check` returns the evidence of an objection, or None."""

    number: int
    name: str
    check: Callable[[GateFacts], str | None]


class Objection(Contract):
    """One gate's reason for review; `evidence` has at most 400 characters."""

    number: int
    gate: str
    evidence: str


class Verdict(Contract):
    """What one gate said by itself; `objection` None means it was silent."""

    number: int
    gate: str
    objection: Objection | None


GATES: tuple[Gate, ...] = tuple(
    Gate(number, check.__name__, check)
    for number, check in enumerate(
        (
            gate_checks.message_state,
            gate_checks.kill_switch,
            gate_checks.spend_budget,
            gate_checks.working_hours,
            gate_checks.complaint_or_urgent,
            gate_checks.inbound_guard,
            gate_checks.sender_auth,
            gate_checks.recipient_lock,
            gate_checks.loop_guard,
            gate_checks.thread_freshness,
            gate_checks.context_complete,
            gate_checks.outbound_injection,
            gate_checks.outbound_leak,
            gate_checks.handling_rules,
            gate_checks.audit_sample,
        ),
        1,
    )
)


def first_objection(facts: GateFacts, gates: Sequence[Gate] = GATES) -> Objection | None:
    """The objection with the lowest number, or None if every gate is silent; later gates are not asked."""
    return next((found for gate in gates if (found := ask(gate, facts))), None)


def all_verdicts(facts: GateFacts, gates: Sequence[Gate] = GATES) -> tuple[Verdict, ...]:
    """What each gate says by itself, in order; stored with every decision (P87)."""
    return tuple(Verdict(number=gate.number, gate=gate.name, objection=ask(gate, facts)) for gate in gates)


def ask(gate: Gate, facts: GateFacts) -> Objection | None:
    """One gate's objection. Whatever it raises is one: a gate that cannot finish must not let anything through."""
    unreadable = dict(facts.unreadable).get(gate.name)
    if unreadable is not None:
        return _objection(gate, f"input could not be read: {unreadable}")
    try:
        evidence = gate.check(facts)
    except Unreadable as missing:
        return _objection(gate, str(missing))
    except Exception as fault:
        return _objection(gate, f"the gate failed: {type(fault).__name__}")
    return None if evidence is None else _objection(gate, evidence)


def _objection(gate: Gate, evidence: str) -> Objection:
    return Objection(number=gate.number, gate=gate.name, evidence=evidence[:_EVIDENCE_CHARS])
