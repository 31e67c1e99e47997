"""Slots in time: nobody is dropped, nobody overtakes, and no rate is ever exceeded."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from domain.budget.gcra import Limits, Rate, charge, reserve

NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
SENDER, MAILBOX = Limits().sender, Limits().mailbox


def slots(arrivals: list[datetime], rate: Rate) -> list[datetime]:
    """The slots of one budget row in order of arrival."""
    row, given_slots = None, []
    for now in arrivals:
        made = reserve(row, now, rate)
        row = made.next_slot_at
        given_slots.append(made.slot_at)
    return given_slots


def test_defaults_are_those_of_the_settings() -> None:
    """10 a minute with a burst of 20 per sender, 60 with 120 per mailbox."""
    # P46
    assert (SENDER.per_minute, SENDER.burst, MAILBOX.per_minute, MAILBOX.burst) == (10, 20, 60, 120)


def test_a_burst_goes_at_once_and_then_one_slot_after_the_other() -> None:
    """Twenty mails at once go now; the next ones follow every six seconds."""
    # P46
    given_slots = slots([NOW] * 23, SENDER)
    assert given_slots[:20] == [NOW] * 20
    assert [(slot - NOW).total_seconds() for slot in given_slots[20:]] == [6, 12, 18]


def test_a_pause_refills_one_slot_per_interval() -> None:
    """After a full burst, twelve seconds bring back two slots, an hour brings back no more than the burst."""
    # P46
    late = NOW + timedelta(seconds=12)
    assert [slot <= late for slot in slots([NOW] * 20 + [late] * 3, SENDER)[20:]] == [True, True, False]
    much_later = NOW + timedelta(hours=1)
    assert sum(slot == much_later for slot in slots([NOW] * 20 + [much_later] * 40, SENDER)[20:]) == 20


@pytest.mark.parametrize("per_minute", [7, 13, 59, 99_999])
def test_rounding_never_exceeds_the_rate(per_minute: int) -> None:
    """An interval that is no whole number of microseconds is rounded up."""
    # P46
    rate = Rate(per_minute=per_minute, burst=1)
    assert rate.interval * per_minute >= timedelta(minutes=1) > (rate.interval - timedelta(microseconds=1)) * per_minute


@pytest.mark.parametrize("fields", [{"per_minute": 0}, {"per_minute": 100_001}, {"burst": 0}, {"burst": 100_001}])
def test_numbers_out_of_range_are_refused(fields: dict[str, int]) -> None:
    """1 to 100,000 each."""
    # P46, A106
    with pytest.raises(ValidationError):
        Rate.model_validate({"per_minute": 10, "burst": 20, **fields})


RATES = st.builds(Rate, per_minute=st.integers(1, 600), burst=st.integers(1, 30))
ARRIVALS = st.lists(st.integers(0, 30_000_000), max_size=80).map(
    lambda gaps: [NOW + timedelta(microseconds=sum(gaps[: at + 1])) for at in range(len(gaps))]
)


@given(ARRIVALS, RATES)
def test_slots_keep_the_order_of_arrival(arrivals: list[datetime], rate: Rate) -> None:
    """Nobody overtakes, nobody is early, nobody is left out."""
    # P46
    given_slots = slots(arrivals, rate)
    assert given_slots == sorted(given_slots) and len(given_slots) == len(arrivals)
    assert all(slot >= arrival for slot, arrival in zip(given_slots, arrivals, strict=True))


@given(ARRIVALS, RATES)
def test_the_rate_is_never_exceeded(arrivals: list[datetime], rate: Rate) -> None:
    """Between any two slots lie no more slots than the burst and what the time between them brings."""
    # P46
    given_slots = slots(arrivals, rate)
    for first in range(len(given_slots)):
        for last in range(first, len(given_slots)):
            allowed = rate.burst + (given_slots[last] - given_slots[first]) // rate.interval
            assert last - first + 1 <= allowed


@given(ARRIVALS, RATES)
def test_no_slot_is_later_than_it_must_be(arrivals: list[datetime], rate: Rate) -> None:
    """A slot in the future means that one slot earlier would break the rate: the burst before it is used up."""
    # P46
    given_slots = slots(arrivals, rate)
    for at, (slot, arrival) in enumerate(zip(given_slots, arrivals, strict=True)):
        if slot > arrival:
            assert at >= rate.burst and slot - given_slots[at - rate.burst] <= rate.interval * rate.burst


def test_a_run_within_both_budgets_calls_at_once() -> None:
    """Both rows are charged and nothing is held."""
    # P46
    made = charge(None, None, NOW, Limits())
    assert made.hold_until is None and made.sender_charged and made.mailbox_charged
    assert made.sender_next_slot_at == NOW + timedelta(seconds=6)
    assert made.mailbox_next_slot_at == NOW + timedelta(seconds=1)


def test_a_sender_over_budget_waits_without_touching_the_mailbox() -> None:
    """The own slot is the hold; the mailbox is charged when it has come, and the sender not a second time."""
    # P46
    full = NOW + timedelta(seconds=6 * 20)
    held = charge(full, None, NOW, Limits())
    assert held.hold_until == NOW + timedelta(seconds=6)
    assert held.mailbox_next_slot_at is None and not held.mailbox_charged
    woken = charge(held.sender_next_slot_at, None, held.hold_until, Limits(), sender_charged=True)
    assert woken.hold_until is None and woken.mailbox_charged
    assert woken.sender_next_slot_at == held.sender_next_slot_at


def test_a_full_mailbox_holds_a_quiet_sender() -> None:
    """The mailbox's slot is the hold when the sender's is free."""
    # P46
    made = charge(None, NOW + timedelta(seconds=121), NOW, Limits())
    assert made.hold_until == NOW + timedelta(seconds=2) and made.mailbox_charged


def test_a_flood_of_one_sender_leaves_the_mailbox_to_others() -> None:
    """After 10,000 mails of one sender a quiet sender is served at once."""
    # P46, HW10, HM-26
    sender, mailbox, held = None, None, 0
    for _ in range(10_000):
        made = charge(sender, mailbox, NOW, Limits())
        sender, mailbox, held = (
            made.sender_next_slot_at,
            made.mailbox_next_slot_at,
            held + (made.hold_until is not None),
        )
    assert held == 9_980
    assert charge(None, mailbox, NOW, Limits()).hold_until is None
