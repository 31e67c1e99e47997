"""What the message is about and whether it needs a person at once (P67-P71)."""

from activities.ports import Row
from activities.steps.frame import AgentOff, StepContext
from activities.steps.stored import context_of
from contracts.classification import Category, Classification, ClassifyAnswer, Priority
from contracts.llm import ModelTask, Tier
from contracts.outputs import ClassifyOutput
from contracts.status import ArchiveReason, Status, StepKind
from contracts.steps import Route, StepInput, transition
from domain.prompts.classify import classify_prompt

KIND = StepKind.CLASSIFY
TIER = Tier.FAST
OUTPUT = ClassifyOutput
MOST_INTENTS = 8


async def execute(context: StepContext, step: StepInput) -> ClassifyOutput:
    """One structured call over the stored briefing."""
    if not context.message["agent_on"]:
        raise AgentOff
    briefing = context_of(context)
    answer: ClassifyAnswer = await context.ask(ModelTask.CLASSIFY, classify_prompt(briefing.text), ClassifyAnswer)
    return ClassifyOutput(
        classification=Classification(**answer.model_dump(exclude={"intents"})),
        intents=answer.intents,
        flags=_flags(len(answer.intents)),
        offline=context.offline,
    )


def _flags(intents: int) -> tuple[str, ...]:
    flags = ("several_intents",) if intents > 1 else ()
    return (*flags, "too_many_intents") if intents > MOST_INTENTS else flags


def route(output: ClassifyOutput, step: StepInput, message: Row) -> Route:
    """Spam is archived, complaints and urgent mail go straight to a person, the rest is drafted (P70)."""
    c = output.classification
    if c.category is Category.SPAM and ArchiveReason.CLASSIFIER_SPAM not in message["exempt_reasons"]:
        return transition(Status.ARCHIVED, ArchiveReason.CLASSIFIER_SPAM)
    if "too_many_intents" in output.flags:
        return transition(Status.DRAFT_READY, "too_many_intents")
    if c.category is Category.COMPLAINT or c.priority is Priority.URGENT:
        return transition(Status.DRAFT_READY, "forced_review")
    return transition(Status.DRAFTING, next_step=StepKind.DRAFT)
