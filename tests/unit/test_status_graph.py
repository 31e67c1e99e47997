"""The status graph in code, in the database and in the specification's numbers are one graph."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.lifecycle.stepping import STEP_EDGES
from contracts.status import TERMINAL, Status
from domain.status_graph import EDGES, PAIRS, account, allowed

SCHEMA = (Path(__file__).resolve().parents[2] / "schema.sql").read_text()
S = Status
EXPECTED: dict[Status, set[Status]] = {
    S.RECEIVED: {S.SECURITY_CHECK, S.CLASSIFYING, S.DRAFTING, S.ARCHIVED, S.FAILED, S.DRAFT_READY},
    S.SECURITY_CHECK: {S.QUARANTINED, S.ARCHIVED, S.CLASSIFYING, S.FAILED, S.DRAFT_READY},
    S.QUARANTINED: {S.RECEIVED, S.ARCHIVED, S.DRAFT_READY},
    S.CLASSIFYING: {S.ARCHIVED, S.DRAFT_READY, S.DRAFTING, S.FAILED},
    S.DRAFTING: {S.DRAFT_READY, S.APPROVED, S.QUARANTINED, S.FAILED, S.ARCHIVED},
    S.DRAFT_READY: {S.APPROVED, S.REJECTED, S.DRAFTING, S.ARCHIVED},
    S.APPROVED: {S.SENT, S.DRAFT_READY, S.FAILED, S.ARCHIVED},
    S.SENT: set(),
    S.REJECTED: set(),
    S.ARCHIVED: {S.RECEIVED},
    S.FAILED: {S.RECEIVED, S.DRAFT_READY, S.ARCHIVED},
}


@pytest.mark.parametrize(("from_", "to"), list(itertools.product(Status, Status)))
def test_all_121_pairs(from_: Status, to: Status) -> None:
    """A2, P32: a pair is allowed exactly if the specification lists it."""
    assert allowed(from_, to) == (to in EXPECTED[from_])


def test_the_database_holds_the_same_pairs() -> None:
    """P32: the trigger's table and the code's table are equal."""
    block = SCHEMA[SCHEMA.index("INSERT INTO status_edges") :]
    rows = re.findall(r"\('(\w*)', '(\w+)'\)", block[: block.index(";")])
    assert {(a or None, b) for a, b in rows} == {(str(a) if a else None, str(b)) for a, b in PAIRS}


def test_every_edge_has_its_number() -> None:
    """The table of P3.1 has 28 rows."""
    assert list(EDGES) == [f"E{n}" for n in range(1, 29)]


@given(st.lists(st.sampled_from(list(Status)), min_size=1, max_size=30))
def test_no_walk_leaves_a_terminal_status_except_by_restore(wishes: list[Status]) -> None:
    """P7: whatever is asked in whatever order, sent and rejected stay, and archived leads to received only."""
    at: Status | None = None
    for wish in wishes:
        before = at
        if allowed(at, wish):
            at = wish
        if before in (S.SENT, S.REJECTED):
            assert at is before
        if before is S.ARCHIVED:
            assert at in (S.ARCHIVED, S.RECEIVED)


def test_steps_use_only_edges_of_the_graph() -> None:
    """P32: security_check -> draft_ready is a person's edge, never a step's."""
    working = {"security_scan": S.SECURITY_CHECK, "classify": S.CLASSIFYING, "draft": S.DRAFTING, "route": S.DRAFTING}
    assert all(allowed(working[step], to) for step, to in STEP_EDGES)
    assert not any(step == "security_scan" and to is S.DRAFT_READY for step, to in STEP_EDGES)


@pytest.mark.parametrize("status", list(Status))
def test_every_status_has_an_account(status: Status) -> None:
    """GL1: a status without an account would be mail without an owner."""
    assert account(status, None, "dismissed", "ready")


def test_terminal_statuses() -> None:
    """P7: failed is not terminal."""
    assert {S.SENT, S.REJECTED, S.ARCHIVED} == TERMINAL
