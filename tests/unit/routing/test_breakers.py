"""Breakers trip strictly above, open a crack after the cool-down, and close on evidence alone."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from domain.breakers import (
    Breaker,
    BreakerKind,
    BreakerState,
    CallOutcome,
    Sample,
    blocks_automation,
    calls_sample,
    confidence_sample,
    default_breakers,
    evaluate,
    reset,
    sample_since,
    serialises_model_steps,
    take_probe,
)

NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
LLM, CONFIDENCE, REJECTION = default_breakers()
COOL_DOWN = timedelta(seconds=900)


def sample(bad: int, total: int) -> Sample:
    return Sample(bad=bad, total=total)


def opened(at: datetime = NOW) -> Breaker:
    return evaluate(LLM, sample(3, 10), at)


def half_opened(at: datetime = NOW) -> Breaker:
    return evaluate(opened(at - COOL_DOWN), sample(0, 0), at)


@pytest.mark.parametrize(
    ("breaker", "bad", "total", "state"),
    [
        (LLM, 1, 1, BreakerState.CLOSED),
        (LLM, 9, 9, BreakerState.CLOSED),
        (LLM, 2, 10, BreakerState.CLOSED),
        (LLM, 3, 10, BreakerState.OPEN),
        (LLM, 3, 15, BreakerState.CLOSED),
        (CONFIDENCE, 3, 10, BreakerState.CLOSED),
        (CONFIDENCE, 4, 10, BreakerState.OPEN),
        (REJECTION, 2, 5, BreakerState.CLOSED),
        (REJECTION, 3, 5, BreakerState.OPEN),
        (REJECTION, 4, 4, BreakerState.CLOSED),
    ],
)
def test_trips_strictly_above_with_a_minimum_sample(
    breaker: Breaker, bad: int, total: int, state: BreakerState
) -> None:
    """2 of 10 failures are exactly 0.20 and stay closed; 3 of 10 open; below the minimum nothing happens."""
    # P93, P94, A90
    assert evaluate(breaker, sample(bad, total), NOW).state is state


def test_tripping_is_stamped_and_explained() -> None:
    """The time and the numbers are kept for the page."""
    # P95
    assert (opened().tripped_at, opened().reason) == (NOW, "3 of 10 bad (0.30) is above 0.20")


def test_values_of_the_row_are_the_ones_used() -> None:
    """Threshold, sample and cool-down stored on the row, not the defaults, decide."""
    # P93, A93
    own = LLM.model_copy(update={"threshold": 0.5, "min_sample": 4, "cool_down": timedelta(seconds=60)})
    assert evaluate(own, sample(5, 10), NOW) is own
    tripped = evaluate(own, sample(3, 4), NOW)
    assert tripped.state is BreakerState.OPEN
    assert evaluate(tripped, sample(0, 0), NOW + timedelta(seconds=59)).state is BreakerState.OPEN
    assert evaluate(tripped, sample(0, 0), NOW + timedelta(seconds=60)).state is BreakerState.HALF_OPEN


def test_an_open_breaker_waits_for_its_cool_down_whatever_the_sample() -> None:
    """Good calls do not close an open breaker, and bad ones do not restart its clock."""
    # P95
    early = NOW + COOL_DOWN - timedelta(microseconds=1)
    assert evaluate(opened(), sample(0, 100), early).state is BreakerState.OPEN
    assert evaluate(opened(), sample(100, 100), early).tripped_at == NOW
    assert evaluate(opened(), sample(100, 100), NOW + COOL_DOWN).state is BreakerState.HALF_OPEN


def test_idle_time_recovers_nothing() -> None:
    """Open and idle past the cool-down: half-open with three probes, and still half-open after an idle hour."""
    # P94, A91
    waiting = half_opened()
    later = evaluate(waiting, sample(0, 0), NOW + timedelta(hours=1))
    assert later is waiting and later.state is BreakerState.HALF_OPEN
    probes = 0
    while (next_one := take_probe(waiting)) is not None:
        waiting, probes = next_one, probes + 1
    assert probes == 3 and blocks_automation(waiting)


def test_a_good_sample_closes_and_a_bad_one_opens_again() -> None:
    """Ten good calls close with `recovered_at`; three bad of ten open again with a new `tripped_at`; nine change
    nothing."""
    # P95, A92
    waiting, later = half_opened(), NOW + timedelta(minutes=5)
    closed = evaluate(waiting, sample(0, 10), later)
    assert (closed.state, closed.recovered_at, closed.probes_used) == (BreakerState.CLOSED, later, 0)
    assert evaluate(waiting, sample(2, 10), later).state is BreakerState.CLOSED
    again = evaluate(waiting, sample(3, 10), later)
    assert (again.state, again.tripped_at, again.recovered_at) == (BreakerState.OPEN, later, None)
    assert evaluate(waiting, sample(9, 9), later) is waiting


def test_a_second_half_open_period_has_its_probes_again() -> None:
    """Probes of an earlier attempt are not counted against a later one."""
    # P95
    used = half_opened().model_copy(update={"probes_used": 3})
    again = evaluate(used, sample(10, 10), NOW)
    assert evaluate(again, sample(0, 0), NOW + COOL_DOWN).probes_used == 0


def test_the_sample_of_a_half_open_breaker_starts_with_it() -> None:
    """What failed before the cool-down ended is no evidence about now; otherwise the window of the row counts."""
    # P95, P93
    later = NOW + timedelta(minutes=5)
    assert sample_since(half_opened(), later) == NOW
    assert sample_since(LLM, later) == later - timedelta(minutes=15)


def test_refusals_and_cancellations_are_no_failures() -> None:
    """Only finished calls count, and of those only the failed ones are bad."""
    # P94
    outcomes = [CallOutcome.OK] * 7 + [CallOutcome.FAILED] * 2
    outcomes += [CallOutcome.REFUSED_TRANSITION] * 20 + [CallOutcome.CANCELLED] * 20
    assert calls_sample(outcomes) == sample(2, 9)


def test_low_confidence_is_below_a_half() -> None:
    """0.5 itself is not low; not a number is."""
    # P93
    assert confidence_sample([0.5, 0.49, 0.9, float("nan")]) == sample(2, 4)


def test_only_an_open_llm_breaker_slows_model_steps() -> None:
    """One step at a time while it is open, not while half-open, and not for the other breakers."""
    # P96
    assert serialises_model_steps(opened())
    assert not serialises_model_steps(half_opened())
    assert not serialises_model_steps(evaluate(REJECTION, sample(5, 5), NOW))


def test_a_reset_needs_a_name_and_a_note() -> None:
    """Both are kept; without one of them nothing is reset."""
    # P96
    closed = reset(opened(), "greta", "provider fixed", NOW)
    assert (closed.state, closed.reason) == (BreakerState.CLOSED, "reset by greta: provider fixed")
    for admin, note in (("greta", " "), ("", "note")):
        with pytest.raises(ValueError, match="name and a note"):
            reset(opened(), admin, note, NOW)


@pytest.mark.parametrize("fields", [{"state": "open"}, {"state": "half_open"}])
def test_a_state_without_its_time_is_refused(fields: dict[str, str]) -> None:
    """A row that lost its stamp cannot be read as a breaker, so the registry counts as unreadable."""
    # P79, P95
    with pytest.raises(ValidationError, match="needs the time"):
        Breaker.model_validate({**LLM.model_dump(), **fields})


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 2_000)), max_size=30))
def test_no_path_closes_a_breaker_without_evidence(steps: list[tuple[int, int, int]]) -> None:
    """Over any run of samples: it closes from half-open only, on a full sample at or below, and opens only above."""
    # P93-P95
    breaker, now = LLM, NOW
    for bad, good, pause_s in steps:
        now += timedelta(seconds=pause_s)
        seen = sample(bad, bad + good)
        after = evaluate(breaker, seen, now)
        enough = seen.total >= breaker.min_sample
        if after.state is not breaker.state:
            expected = {
                BreakerState.OPEN: breaker.state is not BreakerState.OPEN and enough and seen.share > breaker.threshold,
                BreakerState.CLOSED: breaker.state is BreakerState.HALF_OPEN
                and enough
                and seen.share <= breaker.threshold,
                BreakerState.HALF_OPEN: breaker.state is BreakerState.OPEN and now - breaker.tripped_at >= COOL_DOWN,
            }
            assert expected[after.state]
        assert BreakerKind(after.kind) is BreakerKind.LLM_FAILURE
        breaker = after
