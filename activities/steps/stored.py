"""Earlier outputs of the same run, by kind; a missing one is a fault of ours, not of the mail (P14)."""

from typing import TypeVar

from activities.steps.frame import StepContext
from contracts.base import Contract
from contracts.errors import MalformedMessage
from contracts.outputs import ClassifyOutput, ContextOutput, DraftOutput
from contracts.status import StepKind

C = TypeVar("C", bound=Contract)


def _stored(context: StepContext, kind: StepKind, model: type[C]) -> C:
    row = context.earlier.get(str(kind))
    if row is None:
        raise MalformedMessage(f"run {context.run.run_no} has no stored output of {kind}")
    return model.model_validate(row["output"])


def context_of(context: StepContext) -> ContextOutput:
    """The briefing of this run."""
    return _stored(context, StepKind.CONTEXT_RETRIEVAL, ContextOutput)


def classification_of(context: StepContext) -> ClassifyOutput:
    """The classification of this run."""
    return _stored(context, StepKind.CLASSIFY, ClassifyOutput)


def draft_of(context: StepContext) -> DraftOutput:
    """The draft of this run."""
    return _stored(context, StepKind.DRAFT, DraftOutput)
