"""Each gate alone, in its order, and what happens when one cannot answer."""

from datetime import UTC, datetime, timedelta

import pytest
from gate_samples import BEGAN, MESSAGE, SILENT, changed, spoiled

from contracts.classification import Category, Priority
from contracts.status import Status
from domain.briefing import ContextTier, build_briefing
from domain.briefing.facts import BriefingFacts, CurrentMessageFacts
from domain.budget.spend import SpendLevel, SpendVerdict
from domain.draft.grounding import ground
from domain.routing.gate_facts import (
    AuthVerdict,
    FreshnessFacts,
    GateFacts,
    HandlingFacts,
    HoursFacts,
    SwitchThrow,
    context_facts,
)
from domain.routing.gates import GATES, Gate, all_verdicts, first_objection
from domain.routing.handling import HandlingKind, HandlingRule, Predicate
from domain.routing.working_hours import HoursOverride, WorkingHours

NAMES = (
    "message_state kill_switch spend_budget working_hours complaint_or_urgent inbound_guard sender_auth recipient_lock "
    "loop_guard thread_freshness context_complete outbound_injection outbound_leak handling_rules audit_sample"
).split()


def hours(zone: str = "Europe/Berlin", **fields: object) -> GateFacts:
    return changed(SILENT, hours=HoursFacts(mailbox=WorkingHours(zone=zone, enabled=True, **fields)))


def switch(seconds: int, lifted: bool = True) -> GateFacts:
    thrown = BEGAN + timedelta(seconds=seconds)
    return changed(SILENT, kill_switches=(SwitchThrow(thrown_at=thrown, lifted_at=thrown if lifted else None),))


def handled(kind: HandlingKind, predicate: Predicate, text: str = "") -> GateFacts:
    rule = HandlingRule(id="r-1", kind=kind, predicate=predicate, text=text)
    return changed(SILENT, handling=HandlingFacts(rules=(rule,), message=MESSAGE))


# One row for each clause of each line of the table in P86.
OBJECTIONS: list[tuple[str, GateFacts]] = [
    ("message_state", spoiled("message", exists=False)),
    ("message_state", spoiled("message", status=Status.DRAFT_READY)),
    ("message_state", spoiled("message", draft_text=" \n")),
    ("kill_switch", switch(0)),
    ("kill_switch", switch(30)),
    ("kill_switch", switch(-60, lifted=False)),
    ("spend_budget", changed(SILENT, spend=SpendVerdict(level=SpendLevel.HOLD, ceiling="daily"))),
    ("working_hours", changed(SILENT, now=datetime(2026, 5, 4, 15, 0, tzinfo=UTC))),
    ("working_hours", changed(SILENT, now=datetime(2026, 5, 3, 10, 0, tzinfo=UTC))),
    ("working_hours", changed(hours(holidays_region="DE"), now=datetime(2026, 5, 1, 10, 0, tzinfo=UTC))),
    ("working_hours", hours(zone="Mars/Olympus")),
    ("working_hours", hours(holidays_region="XX")),
    ("complaint_or_urgent", spoiled("classes", model_category=Category.COMPLAINT)),
    ("complaint_or_urgent", spoiled("classes", model_priority=Priority.URGENT)),
    ("complaint_or_urgent", spoiled("classes", reviewer_category=Category.COMPLAINT)),
    ("complaint_or_urgent", spoiled("classes", reviewer_priority=Priority.URGENT)),
    ("inbound_guard", spoiled("inbound", guard_unavailable=True)),
    ("inbound_guard", spoiled("inbound", combined_score=0.30)),
    ("inbound_guard", spoiled("inbound", combined_score=float("nan"))),
    ("inbound_guard", spoiled("inbound", bypass_used=True)),
    ("inbound_guard", spoiled("inbound", flags=("maybe_hidden",))),
    ("sender_auth", spoiled("sender", dmarc=AuthVerdict.FAIL)),
    ("sender_auth", spoiled("sender", dmarc=AuthVerdict.MISSING)),
    ("sender_auth", changed(spoiled("sender", dmarc=AuthVerdict.FAIL), require_sender_auth=False)),
    ("sender_auth", spoiled("sender", doubts=("display_name_spoof",))),
    ("recipient_lock", spoiled("sender", from_addresses=())),
    ("recipient_lock", spoiled("sender", from_count=2)),
    ("recipient_lock", spoiled("sender", reply_to=("mara@freemail.example.net",))),
    ("recipient_lock", spoiled("sender", recipients=("mara@example.org", "tom@example.org"))),
    ("recipient_lock", spoiled("sender", recipients=("tom@example.org",))),
    ("recipient_lock", spoiled("sender", recipients=())),
    ("loop_guard", spoiled("loop", class_b=True)),
    ("loop_guard", spoiled("loop", loop_suspected=True)),
    ("loop_guard", spoiled("loop", thread_cap_reached=True)),
    ("loop_guard", spoiled("loop", sender_cap_reached=True)),
    ("thread_freshness", changed(SILENT, freshness=FreshnessFacts(newer_by_person=("m-2",)))),
    ("thread_freshness", changed(SILENT, freshness=FreshnessFacts(colleagues=("Greta",)))),
    ("context_complete", spoiled("context", tier=ContextTier.EMERGENCY)),
    ("context_complete", spoiled("context", truncated=True)),
    ("context_complete", spoiled("context", gaps=("knowledge",))),
    ("context_complete", spoiled("context", anything_found=False)),
    ("context_complete", spoiled("context", ungrounded=("500 €",))),
    ("outbound_injection", changed(SILENT, outbound_score=0.70)),
    ("outbound_leak", changed(SILENT, leaks=("reset_link",))),
    ("handling_rules", handled(HandlingKind.NEVER_AUTOMATIC, Predicate(words=("my parcel",)))),
    ("handling_rules", handled(HandlingKind.MUST_MENTION, Predicate(), "Return Street 7")),
    ("audit_sample", spoiled("audit", draw=0.0499)),
    ("audit_sample", spoiled("audit", draw=-0.1)),
    ("audit_sample", spoiled("audit", draw=1.0)),
]

SILENCES: list[GateFacts] = [
    SILENT,
    switch(-60),
    changed(SILENT, spend=SpendVerdict(level=SpendLevel.WARNING, ceiling="daily")),
    changed(SILENT, now=datetime(2026, 5, 4, 14, 59, 59, tzinfo=UTC)),
    changed(spoiled("sender", dmarc=AuthVerdict.MISSING), require_sender_auth=False),
    spoiled("sender", reply_to=("desk@mail.example.org",)),
    spoiled("sender", recipients=("Mara@Example.org",)),
    spoiled("inbound", combined_score=0.29),
    spoiled("context", tier=ContextTier.COMPACTED),
    changed(SILENT, outbound_score=0.69),
    handled(HandlingKind.NEVER_AUTOMATIC, Predicate(words=("lawyer",))),
    handled(HandlingKind.MUST_MENTION, Predicate(), "ON its way"),
    handled(HandlingKind.MUST_MENTION, Predicate(categories=(Category.BILLING,)), "VAT"),
    spoiled("audit", draw=0.05),
]


def test_the_table_is_the_one_of_the_specification() -> None:
    """Fifteen gates, numbered from 1, in the order of P86."""
    # P86
    assert [(gate.number, gate.name) for gate in GATES] == list(enumerate(NAMES, 1))
    assert {name for name, _ in OBJECTIONS} == set(NAMES)


@pytest.mark.parametrize(("name", "facts"), OBJECTIONS)
def test_each_gate_alone_stores_its_name(name: str, facts: GateFacts) -> None:
    """One spoiled fact means one objection, by the gate whose fact it is, with evidence."""
    # P86, A79
    objection = first_objection(facts)
    assert objection and objection.gate == name and objection.evidence
    assert [verdict.gate for verdict in all_verdicts(facts) if verdict.objection] == [name]


@pytest.mark.parametrize("facts", SILENCES)
def test_all_gates_are_silent_where_nothing_is_wrong(facts: GateFacts) -> None:
    """What is just inside each border is no objection."""
    # P86, A80
    assert first_objection(facts) is None


def test_of_two_objections_the_lower_number_wins() -> None:
    """Every pair of different gates names the earlier one, and both verdicts are stored."""
    # P86, A79
    for first, one in OBJECTIONS:
        for second, other in OBJECTIONS:
            both = changed(one, unreadable=((second, "timed out"),)) if first != second else other
            named = min((first, second), key=NAMES.index)
            objection = first_objection(both)
            assert objection and objection.gate == named
            assert {verdict.gate for verdict in all_verdicts(both) if verdict.objection} == {first, second}


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("message", "message_state"),
        ("kill_switches", "kill_switch"),
        ("spend", "spend_budget"),
        ("hours", "working_hours"),
        ("classes", "complaint_or_urgent"),
        ("inbound", "inbound_guard"),
        ("sender", "sender_auth"),
        ("loop", "loop_guard"),
        ("freshness", "thread_freshness"),
        ("context", "context_complete"),
        ("outbound_score", "outbound_injection"),
        ("leaks", "outbound_leak"),
        ("handling", "handling_rules"),
        ("audit", "audit_sample"),
    ],
)
def test_a_gate_without_its_input_objects(part: str, name: str) -> None:
    """An unreadable ledger, verdict or scan is an objection, never a silence."""
    # P86
    objection = first_objection(changed(SILENT, **{part: None}))
    assert objection and objection.gate == name and "could not be read" in objection.evidence


@pytest.mark.parametrize("name", NAMES)
def test_a_gate_that_timed_out_objects(name: str) -> None:
    """What the gatherer could not finish stands for an objection of that gate."""
    # P86
    objection = first_objection(changed(SILENT, unreadable=((name, "timed out after 2 s"),)))
    assert objection and objection.gate == name and "timed out" in objection.evidence


@pytest.mark.parametrize("number", range(1, 16))
def test_a_gate_that_throws_objects_without_leaking_its_input(number: int) -> None:
    """An exception is an objection that names its type and not its text, which may hold mail."""
    # P86, A79, P23

    def broken(_: GateFacts) -> str | None:
        raise ZeroDivisionError("text of a mail")

    gates = tuple(Gate(gate.number, gate.name, broken if gate.number == number else gate.check) for gate in GATES)
    objection = first_objection(SILENT, gates)
    assert objection and objection.number == number
    assert objection.evidence == "the gate failed: ZeroDivisionError"


def test_later_gates_are_not_asked_after_an_objection() -> None:
    """The first objection ends the questions, so the audit draw is looked at last."""
    # P86
    asked: list[int] = []

    def spy(gate: Gate) -> Gate:
        return Gate(gate.number, gate.name, lambda facts: asked.append(gate.number) or gate.check(facts))

    first_objection(spoiled("inbound", bypass_used=True), tuple(map(spy, GATES)))
    assert asked == [1, 2, 3, 4, 5, 6]


def test_rule_hours_replace_the_mailboxs_and_unset_ones_inherit() -> None:
    """A rule open at night lets a reply out at night; a rule without hours keeps the mailbox's; its holidays count."""
    # P80, A79a, A114
    night = changed(SILENT, now=datetime(2026, 5, 4, 22, 0, tzinfo=UTC))
    mailbox = WorkingHours(zone="Europe/Berlin", enabled=True)
    evening = HoursOverride.model_validate({"start": "20:00", "end": "02:00"})
    assert first_objection(changed(night, hours=HoursFacts(mailbox=mailbox, rule=evening))) is None
    inherited = first_objection(changed(night, hours=HoursFacts(mailbox=mailbox, rule=HoursOverride())))
    assert inherited and inherited.gate == "working_hours"
    holiday = changed(SILENT, now=datetime(2026, 5, 1, 10, 0, tzinfo=UTC))
    of_rule = HoursFacts(mailbox=mailbox, rule=HoursOverride(holidays_region="DE"))
    assert first_objection(changed(holiday, hours=HoursFacts(mailbox=mailbox))) is None
    objection = first_objection(changed(holiday, hours=of_rule))
    assert objection and objection.gate == "working_hours" and "public holiday in DE" in objection.evidence


def test_gate_eleven_reads_the_briefing_and_the_grounding() -> None:
    """A promise out of the customer's own mail, and a context with nothing in it, both reach gate 11."""
    # P86, HM-24, A70
    mail = CurrentMessageFacts(
        id="m", sender="a@example.org", received_at=BEGAN, body="You said 500 €", pattern_score=0
    )
    briefing = build_briefing(BriefingFacts(current=mail))
    facts = context_facts(briefing, ground("We refund 500 €.", briefing.sources, mail.body))
    objection = first_objection(changed(SILENT, context=facts))
    assert objection and objection.gate == "context_complete"
    assert "500 €" in objection.evidence and "neither knowledge, file nor history" in objection.evidence


def test_evidence_is_bounded() -> None:
    """A thousand findings make a short line."""
    # P87
    objection = first_objection(
        changed(SILENT, leaks=tuple(f"finding {number} " + "x" * 90 for number in range(1_000)))
    )
    assert objection and len(objection.evidence) <= 400
