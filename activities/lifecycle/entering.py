"""Leaving a hold: budgets and ceilings first, then the step that is due (E2-E5, E23, P46, P60, P111)."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from activities.lifecycle.steps_begin import STATUS_OF, begin_step, outputs_missing, run_again
from activities.lifecycle.view import read_view
from activities.lifecycle.work import NOTHING, Answer, Change, Refused, Work
from activities.model_turns import turn_wait
from contracts.lifecycle import Due, Enter
from contracts.status import ArchiveReason, HoldReason, Result, Status, StepKind
from domain.budget.calendar_day import day_start, month_start, next_midnight
from domain.budget.gcra import Limits, Rate, charge
from domain.budget.spend import Ceilings, SpendLevel, Spent, judge_spend

EARLY = timedelta(seconds=1)
WAITING_FOR_A_PERSON = frozenset({HoldReason.AUTOMATIC, HoldReason.MISSION})
# Holds whose reason may be gone before their time; a wake has them looked at again (P96, P111).
ASKED_AGAIN = frozenset({HoldReason.LLM_BREAKER, HoldReason.SPEND_CEILING})
ASK_AGAIN_AFTER = timedelta(minutes=5)


async def enter(work: Work, act: Enter) -> Answer:
    """Goes on if nothing holds; otherwise sets or keeps the hold and leaves the status alone."""
    now = await _now(work)
    hold = work.message["hold_reason"]
    if work.status not in (*STATUS_OF.values(), Status.RECEIVED) or _still_held(work, hold, now):
        return NOTHING
    if work.status is not Status.RECEIVED and hold is None:
        return NOTHING
    view = await read_view(work.tx, work.id)
    agent_on = (view is not None and view.agent_on) or _drafts_for_a_person(work)
    if not agent_on and work.status is not Status.RECEIVED:
        return await _wait_for_the_agent(work, hold)
    if agent_on and (await _held_by_breaker(work, hold, now) or await _held_by_budget(work, hold, now)):
        return Change()
    return await _go(work)


async def _held_by_breaker(work: Work, hold: str | None, now: datetime) -> bool:
    until = await turn_wait(work.tx, work.mailbox_id, work.id, now) if hold == HoldReason.LLM_BREAKER else None
    if until is not None:
        await work.hold(HoldReason.LLM_BREAKER, until)
    return until is not None


async def stop_for_model(work: Work, step: StepKind, hold: HoldReason) -> Answer:
    """A step that may not ask a model now: held with the time at which it asks again, or run again if it may by now."""
    now = await _now(work)
    if hold is HoldReason.LLM_BREAKER:
        until = await turn_wait(work.tx, work.mailbox_id, work.id, now)
    else:
        until = await _spend_hold(work, now) or now + ASK_AGAIN_AFTER
    if until is None:
        await run_again(work, step)
    else:
        await work.hold(hold, until)
    return NOTHING


def _drafts_for_a_person(work: Work) -> bool:
    """A draft a person asked for is written with the agent off too (E17); it waits for its slot like any other."""
    return work.status is Status.DRAFTING and bool(work.message["requested_by_person"])


async def _wait_for_the_agent(work: Work, hold: str | None) -> Answer:
    """A slot that came while the agent is off: held until the flag is on, not asked for again and again (P60)."""
    if hold != HoldReason.AGENT_OFF:
        await work.hold(HoldReason.AGENT_OFF, None)
    return NOTHING


def _still_held(work: Work, hold: str | None, now: datetime) -> bool:
    until = work.message["hold_until"]
    if hold in WAITING_FOR_A_PERSON:
        return True
    if hold in ASKED_AGAIN:
        return False
    return hold is not None and until is not None and until > now + EARLY


async def _held_by_budget(work: Work, hold: str | None, now: datetime) -> bool:
    until = await _spend_hold(work, now)
    if until is not None:
        await work.hold(HoldReason.SPEND_CEILING, until)
        return True
    if hold in ASKED_AGAIN and work.status is not Status.RECEIVED:
        return False
    return await held_by_rate(work, now)


async def held_by_rate(work: Work, now: datetime) -> bool:
    """Charges the rate budgets of a run that is about to make its first model call; over them it waits for its slot
    (P46)."""
    slot = await _charge_rate(work, now)
    if slot is not None:
        await work.hold(HoldReason.RATE_BUDGET, slot)
    return slot is not None


async def _charge_rate(work: Work, now: datetime) -> datetime | None:
    """The sender's slot, then the mailbox's; None means go on. What was paid is not paid again on waking (P46)."""
    paid, sender = work.message["budget_charged"], work.message["from_identity"] or "unknown"
    if paid == "both":
        return None
    await work.tx.run("enter_budget_rows", work.mailbox_id, [sender, ""])
    rows = await work.tx.rows("enter_budget", work.mailbox_id, [sender, ""])
    known = {row["sender"]: row["next_slot_at"] for row in rows}
    result = charge(known.get(sender), known.get(""), now, _limits(work), sender_charged=paid == "sender")
    for name, following in ((sender, result.sender_next_slot_at), ("", result.mailbox_next_slot_at)):
        if following is not None and following != known.get(name):
            await work.tx.run("enter_charge", work.mailbox_id, name, following)
    await work.tx.run("enter_paid", work.id, "both" if result.mailbox_charged else "sender")
    return result.hold_until


def _limits(work: Work) -> Limits:
    c = work.config
    return Limits(
        sender=Rate(per_minute=c["sender_rate_per_min"], burst=c["sender_burst"]),
        mailbox=Rate(per_minute=c["mailbox_rate_per_min"], burst=c["mailbox_burst"]),
    )


async def _spend_hold(work: Work, now: datetime) -> datetime | None:
    """When the ceiling that is reached opens again; senders we never answered stop at 80 % of it (P111, HW10)."""
    daily, monthly = work.config["daily_budget_usd"], work.config["monthly_budget_usd"]
    if daily is None and monthly is None:
        return None
    zone = ZoneInfo(work.config["timezone"])
    spent = await work.tx.must("enter_spent", work.mailbox_id, day_start(now, zone), month_start(now, zone))
    answered = await work.tx.value("enter_answered", work.message["contact_id"])
    verdict = judge_spend(
        Spent(day_usd=spent["today"], month_usd=spent["month"]),
        Ceilings(daily_usd=daily, monthly_usd=monthly),
        answered_before=bool(answered),
    )
    if verdict.level is not SpendLevel.HOLD:
        return None
    if verdict.ceiling == "monthly":
        return month_start(month_start(now, zone) + timedelta(days=32), zone)
    return next_midnight(now, zone)


async def _go(work: Work) -> Answer:
    if work.status is not Status.RECEIVED:
        await work.tx.run("step_forget_failed_step", work.id)
        await run_again(work, StepKind(work.message["current_step"]))
        return Change()
    step = StepKind(work.message["failed_step"] or StepKind.SECURITY_SCAN)
    missing = await outputs_missing(work, step)
    if missing:
        return Refused(Result.ILLEGAL_EDGE, f"Cannot resume at {step}: no stored output of {', '.join(missing)}.")
    await work.move(STATUS_OF[step], step=step)
    await work.tx.run("step_forget_failed_step", work.id)
    await begin_step(work, step)
    return Change(STATUS_OF[step], reason="resumed" if work.message["failed_step"] else "")


async def due(work: Work, act: Due) -> Answer:
    """A timer of the workflow ended; what the row says now decides, not what the timer was set for."""
    handler = {"retry": _retry_due, "automatic": _automatic_due, "review": _review_due}[act.what]
    return await handler(work, await _now(work))


async def _retry_due(work: Work, now: datetime) -> Answer:
    if work.status is not Status.FAILED or work.message["hold_reason"] != HoldReason.RETRY_TIMER:
        return NOTHING
    if work.message["hold_until"] > now + EARLY:
        return NOTHING
    return await restart(work, work.message["retry_count"] + 1, "retry_timer")


async def restart(work: Work, retry_count: int, reason: str) -> Answer:
    """E23: the failed row is pending again and the workflow enters at the failed step."""
    await work.tx.run("step_pending", work.id, work.run_no, work.message["failed_step"])
    await work.tx.run("step_clear_failure", work.id, retry_count)
    await work.move(Status.RECEIVED)
    return Change(Status.RECEIVED, reason)


async def _automatic_due(work: Work, now: datetime) -> Answer:
    held = work.status is Status.RECEIVED and work.message["hold_reason"] == HoldReason.AUTOMATIC
    if not held or work.message["hold_until"] > now + EARLY:
        return NOTHING
    await work.move(Status.ARCHIVED, archived=ArchiveReason.AUTOMATIC)
    return Change(Status.ARCHIVED, ArchiveReason.AUTOMATIC)


async def _review_due(work: Work, now: datetime) -> Answer:
    if work.status is Status.DRAFT_READY:
        await work.tx.run("review_mark_overdue", work.id)
    return Change()


async def flag_changed(work: Work, act: Any) -> Answer:
    """Held for the agent flag: the same as entering, because the flag itself is read there."""
    return await enter(work, Enter())


async def _now(work: Work) -> datetime:
    return await work.tx.value("clock")
