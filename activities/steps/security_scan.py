"""The first step: what in this mail tries to manipulate a model or a person, graded, on every form of its text
(P53-P61)."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from activities.ports import Row
from activities.steps.bypasses import bypassed_of
from activities.steps.frame import StepContext
from activities.steps.scan_parts import read_mails
from contracts.classification import GuardVerdict
from contracts.errors import PermanentFault, TransientFault
from contracts.llm import ModelTask, Tier
from contracts.outputs import ScanOutput
from contracts.status import ArchiveReason, HoldReason, Status, StepKind
from contracts.steps import Route, StepInput, done, transition
from domain.detect.families import QUARANTINE_MIN
from domain.detect.parts import GuardWindow, TextPart, guard_windows
from domain.detect.scan import combine, scan
from domain.detect.verdict import verdict
from domain.prompts.guard import guard_prompt

KIND = StepKind.SECURITY_SCAN
TIER = Tier.FAST
OUTPUT = ScanOutput
GUARDS_AT_ONCE = 4
Placed = tuple[str, GuardVerdict]


async def execute(context: StepContext, step: StepInput) -> ScanOutput:
    """Detectors always, the guard only with the agent on; siblings coalesced into this message count as its own
    (P51)."""
    bypassed = await bypassed_of(context)
    mails = await read_mails(context, bypassed)
    parts = [part for mail in mails for part in mail.parts]
    found = await asyncio.to_thread(scan, parts, bypassed=bypassed)
    agent_on = bool(context.message["agent_on"])
    verdicts, complete = await _guard(context, parts) if agent_on else ([], False)
    judged = combine(found.evidence, verdicts, bypassed=bypassed, complete=found.complete, hits=found.hits)
    spam = max((mail.spam for mail in mails), key=lambda s: (s[2], s[0]))
    flags = verdict(
        judged,
        spam=spam[:2],
        phishing=max((mail.phishing for mail in mails), key=lambda p: p.confidence),
        guard_unavailable=not complete,
        scanned_at=datetime.now(UTC),
    )
    released = tuple(sorted({*flags.bypassed, *(detector for detector, _ in bypassed)}))
    update = {"spam_may_archive": spam[2], "bypassed": released}
    return ScanOutput(flags=flags.model_copy(update=update), agent_off=not agent_on)


async def _guard(context: StepContext, parts: Sequence[TextPart]) -> tuple[list[Placed], bool]:
    """One verdict per window; a failed window or an unseen tail means the guard was not complete (P56)."""
    windows, all_seen = guard_windows(parts)
    at_once = asyncio.Semaphore(GUARDS_AT_ONCE)
    answers = await asyncio.gather(*(_ask(context, window, at_once) for window in windows))
    verdicts = [answer for answer in answers if answer is not None]
    return verdicts, all_seen and len(verdicts) == len(windows)


async def _ask(context: StepContext, window: GuardWindow, at_once: asyncio.Semaphore) -> Placed | None:
    async with at_once:
        try:
            answer: GuardVerdict = await context.ask(
                ModelTask.GUARD, guard_prompt(window.text, window.hidden), GuardVerdict
            )
        except (TransientFault, PermanentFault):
            return None
        return window.place, answer


def route(output: ScanOutput, step: StepInput, message: Row) -> Route:
    """Quarantine, spam, agent off, or on to context and classification, in this order (P59)."""
    flags = output.flags
    if flags.combined_score >= QUARANTINE_MIN:
        return transition(Status.QUARANTINED, "injection")
    if flags.phishing_detected:
        return transition(Status.QUARANTINED, "phishing")
    if flags.spam_may_archive and ArchiveReason.SPAM not in message["exempt_reasons"]:
        return transition(Status.ARCHIVED, ArchiveReason.SPAM)
    if output.agent_off:
        return done("agent_off", hold=HoldReason.AGENT_OFF)
    return transition(Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL)
