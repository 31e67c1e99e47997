"""A reply that says only what the briefing supports, judged before anyone sees it (P72-P78)."""

from activities.ports import Row
from activities.steps.bypasses import second_look
from activities.steps.frame import AgentOff, StepContext
from activities.steps.stored import classification_of, context_of
from activities.steps.voice import voice_examples
from contracts.classification import DraftOptions, SelfCheck
from contracts.errors import PermanentFault, TransientFault
from contracts.llm import ModelTask, Tier
from contracts.outputs import ClassifyOutput, ContextOutput, DraftFinding, DraftOutput, GroundedFact
from contracts.status import Status, StepKind
from contracts.steps import Route, StepInput, in_state, transition
from domain.briefing.grounding_sources import Source
from domain.draft.confidence import confidence_score, needs_options, options_with_draft
from domain.draft.grounding import Grounding, ground
from domain.draft.subject import draft_subject
from domain.outbound.findings import outbound_findings
from domain.prompts import OUR_TEXTS
from domain.prompts.draft import DraftAnswer, draft_prompt
from domain.prompts.options import options_prompt
from domain.prompts.self_check import self_check_prompt

KIND = StepKind.DRAFT
TIER = Tier.CAPABLE
OUTPUT = DraftOutput
QUARANTINE_AT = 0.70
INJECTION = "context_injection"


async def execute(context: StepContext, step: StepInput) -> DraftOutput:
    """Second look at the context, then draft, self-check, grounding, options and the outgoing scan."""
    m = context.message
    if not m["agent_on"] and not m["requested_by_person"]:
        raise AgentOff
    briefing = context_of(context)
    hit = await second_look(context, briefing.text)
    if hit.combined_score >= QUARANTINE_AT:
        return DraftOutput(text="", subject="", flags=(INJECTION,), evidence=hit.evidence)
    return await _draft(context, briefing, classification_of(context))


async def _draft(context: StepContext, briefing: ContextOutput, classified: ClassifyOutput) -> DraftOutput:
    answer: DraftAnswer = await context.ask(ModelTask.DRAFT, await _prompt(context, briefing, classified), DraftAnswer)
    quality = await _self_check(context, briefing, answer.reply)
    grounding = ground(answer.reply, [Source(**s.model_dump()) for s in briefing.sources], context.message["text_body"])
    score = confidence_score(classified.classification.confidence, quality.score if quality else None, grounding.score)
    return DraftOutput(
        text=answer.reply,
        subject=draft_subject(context.message["subject"]),
        language=answer.language,
        options=await _options(context, briefing, answer.reply, score),
        quality=quality,
        grounding_score=grounding.score,
        facts=_facts(grounding),
        confidence=score,
        findings=findings_in(context.message, answer.reply),
        flags=_flags(context.message, answer),
        offline=context.offline or classified.offline,
    )


async def _prompt(context: StepContext, briefing: ContextOutput, classified: ClassifyOutput):  # type: ignore[no-untyped-def]
    m, c = context.message, classified.classification
    return draft_prompt(
        briefing.text,
        tone=m["tone_description"],
        signature=m["signature_template"],
        language=m["language"],
        category=c.category,
        priority=c.priority,
        sentiment=c.sentiment,
        intent=c.intent,
        instructions=await _instructions(context),
        voice_examples=await voice_examples(context),
    )


async def _instructions(context: StepContext) -> str | None:
    note = context.message["instructions_id"]
    if note is None:
        return None
    async with context.tools.database.transaction(context.run.mailbox_id) as tx:
        row = await tx.one("review_note", note, context.run.message_id)
    return row["text"] if row else None


async def _self_check(context: StepContext, briefing: ContextOutput, reply: str) -> SelfCheck | None:
    """A failed check leaves its score unknown and keeps the draft (P75)."""
    try:
        return await context.ask(ModelTask.SELF_CHECK, self_check_prompt(briefing.text, reply), SelfCheck)
    except (TransientFault, PermanentFault):
        return None


async def _options(context: StepContext, briefing: ContextOutput, reply: str, score: float) -> tuple[str, ...]:
    """Two or three texts to choose from, the draft first; if they fail, the draft stands alone (P77)."""
    if not needs_options(score):
        return ()
    m = context.message
    prompt = options_prompt(
        briefing.text, reply, tone=m["tone_description"], signature=m["signature_template"], language=m["language"]
    )
    try:
        answer: DraftOptions = await context.ask(ModelTask.DRAFT, prompt, DraftOptions)
    except (TransientFault, PermanentFault):
        return ()
    return options_with_draft(reply, answer.options)


def _facts(grounding: Grounding) -> tuple[GroundedFact, ...]:
    return tuple(
        GroundedFact(text=i.text, kind=i.kind, start=i.start, end=i.end, grounded=i.grounded, source_id=i.source_id)
        for i in grounding.items
    )


def findings_in(message: Row, text: str) -> tuple[DraftFinding, ...]:
    """What the scan of outgoing text finds, shown before approval (P98a)."""
    participants = frozenset({message["mailbox_address"], message["from_identity"], *message["reply_recipients"]})
    found = outbound_findings(text, allow_links=(), participants=participants, prompts=OUR_TEXTS)
    return tuple(
        DraftFinding(
            finding_id=f.id,
            detector=f.detector,
            evidence_hash=f.id,
            start=f.start,
            end=f.end,
            snippet=f.snippet[:200],
            confirmable=f.confirmable,
        )
        for f in found
    )


def _flags(message: Row, answer: DraftAnswer) -> tuple[str, ...]:
    wanted = (message["language"] or "")[:2].lower()
    written = answer.language[:2].lower() if answer.language != "unspecified" else wanted
    return ("other_language",) if wanted and written != wanted else ()


def route(output: DraftOutput, step: StepInput, message: Row) -> Route:
    """On to route, or into quarantine when the context itself carried orders (E14)."""
    if INJECTION in output.flags:
        return transition(Status.QUARANTINED, INJECTION)
    return in_state(StepKind.ROUTE)
