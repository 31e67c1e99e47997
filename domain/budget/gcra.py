"""Nobody may make us call a model as fast as they can write mails, and no mail may be lost for it: every message gets
a slot in time. This is the arithmetic (GCRA) that one UPDATE per budget row repeats in SQL (P46).

A message over its sender's rate charges the mailbox only when its own slot has come. Otherwise one flooding
sender would book the mailbox's slots for hours ahead, and everybody else would wait behind mails that wait
themselves.
"""

from datetime import datetime, timedelta

from pydantic import AwareDatetime, Field

from contracts.base import Contract

_MINUTE_US = 60_000_000


class Rate(Contract):
    """`per_minute` slots a minute on average, `burst` of them at once; both 1 to 100,000 (§15)."""

    per_minute: int = Field(ge=1, le=100_000)
    burst: int = Field(ge=1, le=100_000)

    @property
    def interval(self) -> timedelta:
        """Time between two slots, rounded up to the microsecond so that rounding never exceeds the rate."""
        return timedelta(microseconds=-(-_MINUTE_US // self.per_minute))

    @property
    def tolerance(self) -> timedelta:
        """How far ahead of its turn a slot may be used: the burst without its first call."""
        return self.interval * (self.burst - 1)


class Limits(Contract):
    """The two budgets of one mailbox, with the defaults of `agent_config`."""

    sender: Rate = Rate(per_minute=10, burst=20)
    mailbox: Rate = Rate(per_minute=60, burst=120)


class Reservation(Contract):
    """One reserved slot. `slot_at` is never before the request; `next_slot_at` is the new value of the budget row."""

    slot_at: AwareDatetime
    next_slot_at: AwareDatetime


def reserve(next_slot_at: datetime | None, now: datetime, rate: Rate) -> Reservation:
    """Take the next slot of one budget row; None is a row that was never charged. A slot is always granted, maybe
    later.

    In SQL: base := greatest(coalesce(next_slot_at, now), now); slot := greatest(now, base - tolerance);
    next_slot_at := base + interval, with `Rate.interval` and `Rate.tolerance` passed in as they are.
    """
    base = now if next_slot_at is None else max(next_slot_at, now)
    return Reservation(slot_at=max(now, base - rate.tolerance), next_slot_at=base + rate.interval)


class Charge(Contract):
    """What charging a run came to. `hold_until` None: call the model now. The `*_next_slot_at` go back into their rows.

    `sender_charged` must be handed in again when the message wakes, so that its own slot is not paid twice.
    """

    hold_until: AwareDatetime | None
    sender_next_slot_at: AwareDatetime | None
    mailbox_next_slot_at: AwareDatetime | None
    sender_charged: bool
    mailbox_charged: bool


def charge(
    sender_next_slot_at: datetime | None,
    mailbox_next_slot_at: datetime | None,
    now: datetime,
    limits: Limits,
    sender_charged: bool = False,
) -> Charge:
    """Charge the sender's budget, then, once the sender's slot has come, the mailbox's."""
    sender_next, slot = sender_next_slot_at, now
    if not sender_charged:
        own = reserve(sender_next_slot_at, now, limits.sender)
        sender_next, slot = own.next_slot_at, own.slot_at
    if slot > now:
        return _charge(slot, sender_next, mailbox_next_slot_at, mailbox_charged=False)
    shared = reserve(mailbox_next_slot_at, now, limits.mailbox)
    hold = shared.slot_at if shared.slot_at > now else None
    return _charge(hold, sender_next, shared.next_slot_at, mailbox_charged=True)


def _charge(hold: datetime | None, sender: datetime | None, mailbox: datetime | None, mailbox_charged: bool) -> Charge:
    return Charge(
        hold_until=hold,
        sender_next_slot_at=sender,
        mailbox_next_slot_at=mailbox,
        sender_charged=True,
        mailbox_charged=mailbox_charged,
    )
