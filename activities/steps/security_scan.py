"""The first step: what in this mail tries to manipulate a model or a person, graded, on every form of its text (P53-P61)."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from activities.ports import Row
from activities.steps.bypasses import bypassed_of
from activities.steps.frame import StepContext
from activities.steps.scan_parts import Scanned, read_mails
from contracts.classification import GuardVerdict
from contracts.errors import PermanentFault, TransientFault
from contracts.llm import ModelTask, Tier
from contracts.outputs import ScanOutput
from contracts.security import SecurityFlags
from contracts.status import ArchiveReason, HoldReason, Status, StepKind
from contracts.steps import Route, StepInput, done, transition
from domain.detect.families import QUARANTINE_MIN
from domain.detect.scan import TextPart, scan
from domain.detect.verdict import judge
from domain.prompts.guard import GuardWindow, guard_prompt, guard_windows

KIND = StepKind.SECURITY_SCAN
TIER = Tier.FAST
OUTPUT = ScanOutput
GUARDS_AT_ONCE = 4
ARCHIVE_AT = 80


async def execute(context: StepContext, step: StepInput) -> ScanOutput:
    """Detectors always, the guard only with the agent on; siblings coalesced into this message count as its own (P51)."""
    mails = await read_mails(context)
    parts = [part for mail in mails for part in mail.parts]
    bypassed = await bypassed_of(context)
    found = await asyncio.to_thread(scan, parts, bypassed=bypassed)
    agent_on = bool(context.message["agent_on"])
    verdicts, complete = await _guard(context, parts) if agent_on else ((), False)
    flags = judge(
        found,
        guard=verdicts,
        guard_complete=complete,
        spam=_spam(mails),
        phishing=_phishing(mails),
        bypassed=bypassed,
        scanned_at=datetime.now(UTC),
    )
    return ScanOutput(flags=flags, agent_off=not agent_on)


def _spam(mails: Sequence[Scanned]) -> object:
    return max((mail.spam for mail in mails), key=lambda s: s.score)


def _phishing(mails: Sequence[Scanned]) -> object:
    return max((mail.phishing for mail in mails), key=lambda p: p.confidence)


async def _guard(context: StepContext, parts: Sequence[TextPart]) -> tuple[tuple[GuardVerdict, ...], bool]:
    """One verdict per window; a failed window or an unseen tail means the guard was not complete (P56)."""
    cut = guard_windows([(part.text, part.hidden) for part in parts])
    at_once = asyncio.Semaphore(GUARDS_AT_ONCE)
    answers = await asyncio.gather(*(_ask(context, window, at_once) for window in cut.windows))
    verdicts = tuple(answer for answer in answers if answer is not None)
    return verdicts, cut.all_seen and len(verdicts) == len(cut.windows)


async def _ask(context: StepContext, window: GuardWindow, at_once: asyncio.Semaphore) -> GuardVerdict | None:
    async with at_once:
        try:
            return await context.ask(ModelTask.GUARD, guard_prompt(window.text, window.hidden), GuardVerdict)
        except (TransientFault, PermanentFault):
            return None


def route(output: ScanOutput, step: StepInput, message: Row) -> Route:
    """Quarantine, spam, agent off, or on to context and classification, in this order (P59)."""
    flags = output.flags
    if flags.phishing_detected or flags.combined_score >= QUARANTINE_MIN:
        return transition(Status.QUARANTINED, _why(flags))
    if _is_spam(flags) and ArchiveReason.SPAM not in message["exempt_reasons"]:
        return transition(Status.ARCHIVED, ArchiveReason.SPAM)
    if output.agent_off:
        return done("agent_off", hold=HoldReason.AGENT_OFF)
    return transition(Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL)


def _why(flags: SecurityFlags) -> str:
    return "injection" if flags.combined_score >= QUARANTINE_MIN else "phishing"


def _is_spam(flags: SecurityFlags) -> bool:
    return flags.spam_score >= ARCHIVE_AT and flags.spam_may_archive
