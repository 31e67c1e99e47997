"""A step's end: its row closes, its output becomes fields of the message, the status moves, the next row begins (P15,
P19)."""

import re
from datetime import timedelta

from activities.lifecycle import approving, results
from activities.lifecycle.entering import ASKED_AGAIN, stop_for_model
from activities.lifecycle.others import supersede_older
from activities.lifecycle.steps_begin import STATUS_OF, begin_step, run_again
from activities.lifecycle.view import read_view
from activities.lifecycle.work import NOTHING, Answer, Change, Refused, Work
from contracts.lifecycle import EndStep, FailStep
from contracts.status import TERMINAL, ArchiveReason, HoldReason, Result, Status, StepKind

RUN_IN_CAUSE = re.compile(r"(\d+\.\d+):")
STEP_EDGES: frozenset[tuple[StepKind, Status]] = frozenset(
    {
        (StepKind.SECURITY_SCAN, Status.QUARANTINED),
        (StepKind.SECURITY_SCAN, Status.ARCHIVED),
        (StepKind.SECURITY_SCAN, Status.CLASSIFYING),
        (StepKind.CLASSIFY, Status.ARCHIVED),
        (StepKind.CLASSIFY, Status.DRAFT_READY),
        (StepKind.CLASSIFY, Status.DRAFTING),
        (StepKind.DRAFT, Status.QUARANTINED),
        (StepKind.ROUTE, Status.DRAFT_READY),
        (StepKind.ROUTE, Status.APPROVED),
    }
)


async def end_step(work: Work, act: EndStep) -> Answer:
    """Completes the row and interprets the route's shape; a step overtaken by a person changes nothing (P19)."""
    refused = await _refuse_step(work, act)
    if refused is not None:
        return refused
    if act.hold is not None:
        return await _stop_with_hold(work, act, act.hold)
    await _close_row(work, act)
    await results.take_over(work, act.step, act.to)
    if act.to is None:
        return await _stay(work, act)
    return await _transition(work, act, act.to)


def _of_another_run(work: Work) -> bool:
    """A cause `<run>.<restart>:<step>:…` that names another run or restart came late; it may touch nothing of this
    one."""
    named = RUN_IN_CAUSE.match(work.command.cause_key)
    return named is not None and named[1] != f"{work.run_no}.{work.message['restart_no']}"


async def _refuse_step(work: Work, act: EndStep) -> Refused | None:
    if _of_another_run(work):
        return _overtaken(work, f"The step {act.step} of an earlier run ended")
    target = act.to or STATUS_OF[act.step]
    if work.status is STATUS_OF[act.step] and work.message["current_step"] == act.step:
        if act.to is None or (act.step, act.to) in STEP_EDGES:
            return None
    refused = _overtaken(work, f"The step {act.step} ended")
    words = f"refused: {act.step} to {target} while {work.status} ({refused.result})"
    await work.tx.run("step_close_running", work.id, work.run_no, act.step, words)
    return refused


def _overtaken(work: Work, what: str) -> Refused:
    result = Result.TERMINAL if work.status in TERMINAL else Result.ILLEGAL_EDGE
    return Refused(result, f"{what}, but the message is {work.status} now.", reason="overtaken")


async def _stop_with_hold(work: Work, act: EndStep, hold: HoldReason) -> Answer:
    """`done` with a hold: what the step stored counts, and it runs again when the hold ends (P60).

    Not remembered under its cause, for the same step of the same run will end once more and must be heard then.
    """
    if act.step is StepKind.SECURITY_SCAN and hold not in ASKED_AGAIN:
        await _close_row(work, act)
        await results.take_over(work, act.step, None)
    else:
        await work.tx.run("step_pending", work.id, work.run_no, act.step)
    if hold is HoldReason.AGENT_OFF and await _turned_on_meanwhile(work):
        await run_again(work, act.step)
        return NOTHING
    if hold in ASKED_AGAIN:
        return await stop_for_model(work, act.step, hold)
    await work.hold(hold, None)
    return NOTHING


async def _turned_on_meanwhile(work: Work) -> bool:
    """Whoever turns the flag on wakes what is held already; the lock makes sure that one of the two sees the other."""
    await work.tx.one("claim_switch_lock", work.mailbox_id)
    view = await read_view(work.tx, work.id)
    return view is not None and view.agent_on


async def _close_row(work: Work, act: EndStep) -> None:
    if act.step is StepKind.DRAFT and act.to is Status.QUARANTINED:
        await work.tx.run("step_close", work.id, work.run_no, act.step, "failed", act.reason, 1)
        return
    await work.tx.run("step_complete", work.id, work.run_no, act.step)


async def _stay(work: Work, act: EndStep) -> Answer:
    if act.next_step is not None:
        await work.tx.run("lifecycle_set_step", work.id, act.next_step)
        await begin_step(work, act.next_step)
    return Change(reason=act.reason)


async def _transition(work: Work, act: EndStep, to: Status) -> Answer:
    if act.step is StepKind.ROUTE:
        return await _end_route(work, act)
    archived = ArchiveReason(act.reason) if to is Status.ARCHIVED else None
    await work.move(to, step=act.next_step, archived=archived)
    if act.next_step is not None:
        await begin_step(work, act.next_step)
    if to is Status.DRAFT_READY:
        skipped = [StepKind.DRAFT, StepKind.ROUTE]
        await work.tx.run("step_skip", work.id, work.mailbox_id, work.run_no, skipped)
        await supersede_older(work)
    return Change(to, act.reason)


async def _end_route(work: Work, act: EndStep) -> Answer:
    """E12 or E13; a cap or a switch that closed meanwhile turns E13 into E12 in the same transaction (P85)."""
    reason = act.reason
    if act.to is Status.APPROVED:
        objection = await approving.automatic_objection(work)
        if objection is None:
            await approving.approve_automatically(work)
            await supersede_older(work)
            return Change(Status.APPROVED, "auto")
        await results.revise_decision(work, objection)
        reason = objection
    await work.move(Status.DRAFT_READY)
    await supersede_older(work)
    return Change(Status.DRAFT_READY, reason)


async def fail_step(work: Work, act: FailStep) -> Answer:
    """E26: the row closes as failed; transient faults get a retry timer while the budget lasts (P35, P36)."""
    refused = await _refuse_failure(work, act)
    if refused is not None:
        return refused
    resuming = work.status is Status.RECEIVED
    detail = None if resuming else await work.tx.one("step_error_detail", work.id, act.step, work.run_no)
    words = detail["detail"] if detail else act.error_type
    attempts = detail["attempt"] if detail else 1
    await work.tx.run("step_close", work.id, work.run_no, act.step, "failed", words, attempts)
    await work.move(Status.FAILED)
    hold, until = await _retry_hold(work, act)
    await work.tx.run("step_set_failure", work.id, act.step, act.error_type, words, hold, until)
    return Change(Status.FAILED, act.error_type)


async def _refuse_failure(work: Work, act: FailStep) -> Refused | None:
    if _of_another_run(work):
        return _overtaken(work, f"The step {act.step} of an earlier run failed")
    if work.status in STATUS_OF.values() and work.message["current_step"] == act.step:
        return None
    if work.status is Status.RECEIVED and work.message["failed_step"] == act.step:
        return None
    refused = _overtaken(work, f"The step {act.step} failed")
    words = f"failed with {act.error_type} while {work.status} ({refused.result})"
    await work.tx.run("step_close_running", work.id, work.run_no, act.step, words)
    return refused


async def _retry_hold(work: Work, act: FailStep) -> tuple[str | None, object]:
    if act.permanent or work.message["retry_count"] >= work.config["max_retries"]:
        return None, None
    now = await work.tx.value("clock")
    return HoldReason.RETRY_TIMER, now + timedelta(seconds=work.config["retry_after_s"])
