"""The tables of missions as functions: stages, ledger, gates, authority, capacity, pacing, results."""

import json
import re
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.missions import (
    Capability,
    EffectKind,
    EffectState,
    GateReason,
    GateState,
    MissionKind,
    MissionStatus,
    Mode,
    Pool,
    ResultStatus,
    Stage,
    TurnEnd,
    TurnKind,
)
from contracts.missions_agent import Entry, Input, Role, Seat
from domain.missions import authority, capacity, ledger, pacing, scripted, stages
from domain.missions.children import Child, ChildState, Delegations
from domain.missions.gates import Gates, input_objection
from domain.missions.results import NoResult, canonical, digest_of, incomplete_document, read_result

SCHEMA = (Path(__file__).resolve().parents[3] / "schema.sql").read_text()
STATES = st.sampled_from(EffectState)


def test_stages_in_schema_and_code_are_the_same() -> None:
    """The database lets through exactly the pairs of the table."""
    # M18
    block = SCHEMA.split("INSERT INTO task_stage_edges VALUES")[1].split(";")[0]
    assert set(re.findall(r"\('(\w+)', '(\w+)'\)", block)) == {(str(a), str(b)) for a, b in stages.EDGES}


def test_no_stage_of_the_way_can_be_skipped() -> None:
    """From each stage of M18 only the next one follows on the way, and nothing leads out of retired."""
    # M18 M24
    way = stages.WAY
    for place, stage in enumerate(way):
        later = {after for after in way[place + 1 :] if stages.allowed(stage, after)}
        assert later <= {*way[place + 1 : place + 2], Stage.RECORDED}
    assert not any(stages.allowed(Stage.RETIRED, stage) for stage in Stage)
    assert not stages.allowed(Stage.READ, Stage.RETIRED)


@pytest.mark.parametrize(
    ("stage", "word"),
    [
        (Stage.WORKING, "not_final"), (Stage.RECORDED, "not_delivered"), (Stage.QUEUED, "not_delivered"),
        (Stage.DELIVERED, "not_read"), (Stage.READ, None), (Stage.ACKNOWLEDGED, "already_acknowledged"),
        (Stage.RETIRED, "already_acknowledged"), (Stage.CANCELLED, "given_up"), (Stage.FENCED, "given_up"),
    ],
)  # fmt: skip
def test_each_refused_acknowledgement_has_its_word(stage: Stage, word: str | None) -> None:
    """What may not be acknowledged yet or any more says why."""
    # M96 M102 T11 T13
    same = {"of_parent": "p", "parent": "p", "digest": "d", "given": "d", "parent_open": True}
    assert stages.acknowledge_objection(stage, **same) == word  # type: ignore[arg-type]
    other = same | {"of_parent": "q"}
    assert stages.acknowledge_objection(stage, **other) == "not_your_task"  # type: ignore[arg-type]
    closed = same | {"parent_open": False}
    assert stages.acknowledge_objection(stage, **closed) == "mission_not_open"  # type: ignore[arg-type]


def test_a_further_attempt_needs_the_last_one_spent() -> None:
    """A complete result is used, not replaced; an incomplete, fenced or cancelled attempt allows the next."""
    # M97 M123 T53
    assert stages.replacement_objection(Stage.READ, incomplete=False) == "earlier_result"
    assert stages.replacement_objection(Stage.WORKING, incomplete=False) == "already_delegated"
    assert stages.replacement_objection(Stage.ACKNOWLEDGED, incomplete=True) is None
    assert stages.replacement_objection(Stage.FENCED, incomplete=False) is None


@given(STATES, STATES)
def test_settled_effects_are_never_claimed_again(before: EffectState, after: EffectState) -> None:
    """Nothing leads out of completed, rejected and indeterminate; only proof of not done allows a new claim."""
    # M116 M129
    if before in (EffectState.COMPLETED, EffectState.REJECTED, EffectState.INDETERMINATE):
        assert not ledger.allowed(before, after)
    assert ledger.may_claim(before) == (before is EffectState.NOT_ADMITTED)
    assert ledger.may_claim(EffectState.INDETERMINATE, "proved_not_done")
    assert ledger.standing(EffectState.INDETERMINATE, "proved_done") is EffectState.COMPLETED


@given(st.lists(STATES, min_size=1))
def test_the_strongest_fence_wins(states: list[EffectState]) -> None:
    """Completed before claimed or indeterminate before rejected before not admitted."""
    # M116
    best = ledger.strongest(states)
    if EffectState.COMPLETED in states:
        assert best is EffectState.COMPLETED
    elif {EffectState.CLAIMED, EffectState.INDETERMINATE} & set(states):
        assert best in (EffectState.CLAIMED, EffectState.INDETERMINATE)


def test_gate_reasons_hold_no_excuse() -> None:
    """Slow work, failed checks, ended turns and low confidence are no reasons; owner missions have no `send`."""
    # M50 M51 T32
    why = ("a", "b", "c", "d", "e")
    for excuse in ("slow", "check_failed", "turn_ended", "low_confidence", "idle_guard", "fault"):
        assert authority.gate_objection(excuse, MissionKind.OWNER, why) == "not_an_owner_decision"
    assert authority.gate_objection("send", MissionKind.OWNER, why) == "owner_missions_never_send"
    assert authority.gate_objection("payment", MissionKind.OWNER, why) is None
    assert authority.gate_objection("payment", MissionKind.OWNER, (*why[:4], " ")) == "gate_not_explained"


@given(st.sets(st.sampled_from(Capability)), st.sets(st.sampled_from(Capability)))
def test_a_child_never_holds_more_than_its_parent(asked: set[Capability], parent: set[Capability]) -> None:
    """What is passed on is a subset, and saving drafts is never among it."""
    # M14 M120
    held = authority.for_child(asked, parent)
    if held is None:
        assert not asked <= parent
    else:
        assert set(held) <= parent and Capability.SAVE_DRAFT not in held


def test_who_may_do_what() -> None:
    """Tasks neither gate, complete nor propose; reviewers cannot let tasks delegate; nobody can send."""
    # M14 M120 T5
    everything = list(Capability)
    for kind in (EffectKind.GATE, EffectKind.COMPLETE, EffectKind.PROPOSE_DRAFT):
        assert authority.effect_objection(kind, everything, is_task=True) == "not_for_tasks"
    assert authority.effect_objection(EffectKind.PROPOSE_DRAFT, [Capability.READ], is_task=False) == "no_capability"
    assert not authority.grantable([Capability.DELEGATE], "reviewer")
    assert authority.grantable([Capability.DELEGATE], "admin") and not authority.grantable([], "viewer")
    assert not any("send" in capability for capability in Capability)


def test_gates_open_when_they_may() -> None:
    """A gate that can wait lets work go first, one that cannot opens at once and takes its place."""
    # M52 T33
    gates = Gates()
    asked = gates.request(GateReason.PAYMENT, 0)
    assert not gates.may_open(live_children=True, queued_turns=False)
    assert not gates.may_open(live_children=False, queued_turns=True)
    assert gates.may_open(live_children=False, queued_turns=False)
    gates.request(GateReason.FAULT, 0)
    assert asked.state is GateState.WITHDRAWN and gates.may_open(live_children=True, queued_turns=True)


def test_an_answer_is_used_by_its_own_turn_only() -> None:
    """Another item consumes nothing; the second use finds nothing."""
    # M54 M55
    gates, item = Gates(), uuid4()
    gate = gates.request(GateReason.PAYMENT, 0)
    gates.answer(gate, "request-1", item)
    assert gates.consume([uuid4()]) is None
    assert gates.consume([item]) is gate and gates.consume([item]) is None


def test_inputs_name_the_gate_they_answer() -> None:
    """Closed, missing and old each have their word; an open mission takes words that name no gate."""
    # M53 T23
    gate = Gates().request(GateReason.PAYMENT, 0)
    assert input_objection(MissionStatus.COMPLETED, None, "") == "closed"
    assert input_objection(MissionStatus.OWNER_GATE, gate, "") == "gate_required"
    assert input_objection(MissionStatus.OWNER_GATE, gate, "7.7") == "old_gate"
    assert input_objection(MissionStatus.OPEN, None, "7.7") == "old_gate"
    assert input_objection(MissionStatus.OPEN, None, "") is None
    assert input_objection(MissionStatus.OWNER_GATE, gate, gate.gate_id) is None


@given(st.lists(st.sampled_from(["launch", "end", "ack", "gate", "cancel"]), max_size=40))
def test_the_barrier_falls_only_by_acknowledging_or_giving_up(events: list[str]) -> None:
    """It is the number of attempts neither acknowledged nor given up, and never negative."""
    # M101 M76
    tasks, barrier = Delegations(), 0
    for event in events:
        first = tasks.children[0].attempt_id if tasks.children else uuid4()
        if event == "launch":
            tasks.launched(Child(attempt_id=uuid4(), task_key="t", attempt_no=1, mode=Mode.ASSIGN, workflow_id="w"))
            barrier += 1
        elif event == "end":
            tasks.ended(first, ResultStatus.INCOMPLETE)
        elif event == "ack":
            barrier -= tasks.acknowledge(first)
        else:
            barrier -= len(tasks.give_up(keep_ended=event == "gate"))
        assert tasks.barrier == barrier >= 0


def test_results_survive_a_gate_and_not_a_cancel() -> None:
    """D1: what is recorded is kept at a gate; what works is cancelled; a close gives up both."""
    # M60 M72
    tasks = Delegations()
    done, works = (Child(attempt_id=uuid4(), task_key=k, attempt_no=1, mode=Mode.ASSIGN, workflow_id=k) for k in "ab")
    tasks.launched(done)
    tasks.launched(works)
    tasks.ended(done.attempt_id, ResultStatus.COMPLETE)
    assert tasks.give_up(keep_ended=True) == [works.attempt_id]
    assert done.state is ChildState.ENDED and not tasks.ended(works.attempt_id, ResultStatus.COMPLETE)
    assert tasks.give_up(keep_ended=False) == [done.attempt_id]


@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 50))
def test_no_pool_is_ever_overfilled(granted: int, waiting: int, limit: int) -> None:
    """Neither a new wish nor a release grants beyond the limit, and the line is kept."""
    # M127 M128 T62
    line = [str(n) for n in range(waiting)]
    served = capacity.next_in_line(limit, granted, line)
    assert len(served) + min(granted, limit) <= limit and list(served) == line[: len(served)]
    if granted + waiting >= limit:
        assert capacity.refusal(limit, "normal", granted, waiting) == "pool_full"
    assert capacity.refusal(None, None, 0, 0) == "pool_unknown"
    assert capacity.in_range(Pool.RESIDENT_MISSIONS, 1) is False


def test_waits_and_budgets_are_those_of_the_decisions() -> None:
    """0, 1, 2, 4, 8, 16, 30, 30; 65; delivery 1 s, 2 s, spent; two recoveries; debounce 3 s and 30 s."""
    # M41 M47 M113 M114 M115 M122 T24
    assert [pacing.continuation_wait(n).seconds for n in range(1, 9)] == [0, 1, 2, 4, 8, 16, 30, 30]
    assert (pacing.guard_trips(64), pacing.guard_trips(65)) == (False, True)
    assert [pacing.delivery_wait(n) for n in (1, 2, 3)] == [timedelta(seconds=1), timedelta(seconds=2), None]
    assert [pacing.may_recover(n) for n in (0, 1, 2)] == [True, True, False]
    assert (pacing.debounce(True).seconds, pacing.debounce(False).seconds) == (3, 30)


def test_idle_is_a_candidate_until_seen_twice() -> None:
    """Idle, in progress, idle, idle: one final; a cut stream is never one."""
    # M43 M44 T29
    candidate, ends = False, []
    for seen in (TurnEnd.IDLE, TurnEnd.IN_PROGRESS, TurnEnd.IDLE, TurnEnd.IDLE):
        candidate, end = pacing.settle_idle(candidate, seen)
        ends.append(end)
    assert ends == [None, None, None, TurnEnd.FINAL]
    assert pacing.settle_idle(True, TurnEnd.CUT) == (False, TurnEnd.CUT)


@pytest.mark.parametrize(
    ("given_", "reason"),
    [
        ({"summary": "x", "other": 1}, "unknown_field"), ({"summary": "a\x00"}, "nul_character"),
        ({"summary": " "}, "empty"), ({"summary": "Still working."}, "progress_only"),
        ({"summary": "The list: a, b,"}, "truncated"), ({"summary": "ok", "records": ["x"] * 1025}, "too_large"),
        ({"summary": "x", "fragments": [{"text": "```code"}]}, "truncated"), ({}, "wrong_shape"),
        ({"summary": "x" * 300_000}, "too_large"),
    ],
)  # fmt: skip
def test_what_is_no_result(given_: dict[str, object], reason: str) -> None:
    """Each fault of a document has its own word."""
    # M104 M105 T17a
    with pytest.raises(NoResult) as fault:
        read_result(given_)
    assert fault.value.reason == reason


@given(st.dictionaries(st.sampled_from(["summary", "records", "risks"]), st.lists(st.text(max_size=9), max_size=3)))
def test_the_digest_does_not_depend_on_the_order_of_keys(body: dict[str, list[str]]) -> None:
    """One canonical form, one identity."""
    # M23 M103
    document = {**body, "summary": "Found it."}
    try:
        one = read_result(document)
        other = read_result(json.loads(json.dumps(dict(reversed(document.items())))))
    except NoResult:
        return
    assert digest_of(canonical(one)) == digest_of(canonical(other))


def test_a_missing_result_claims_nothing() -> None:
    """The stand-in has no fragments, no checks and says that there is none."""
    # M66 M69
    document = incomplete_document("recovery_spent")
    assert not (document.fragments or document.checks) and document.summary.startswith("No result")


def test_the_scripted_supervisor_begins_again_where_it_was_cut_off() -> None:
    """A resumed goal turn delegates; a call that was cut off with its turn does not count as made."""
    # M73
    goal = Input(kind="goal", text="Prepare replies.", from_owner=True)
    cut = Entry(kind="call", call_id="c1", tool="search_threads", body="{}")
    seat = Seat(
        role=Role.SUPERVISOR, mission_id=uuid4(), mailbox_id=uuid4(), scope="m", turn_no=2, turn_kind=TurnKind.RESUME,
        trusted="", goal="Prepare replies.", inputs=(goal,), entries=(cut,),
    )  # fmt: skip
    assert [call.tool for call in scripted.decide(seat).calls] == ["search_threads"]
