"""What can be said about a draft without asking a model: its subject, what it leans on, how sure we are, how much
changed."""

from domain.draft.confidence import confidence_score, needs_options, options_with_draft
from domain.draft.grounding import GroundedItem, Grounding, ground
from domain.draft.similarity import word_similarity
from domain.draft.subject import draft_subject

__all__ = [
    "GroundedItem",
    "Grounding",
    "confidence_score",
    "draft_subject",
    "ground",
    "needs_options",
    "options_with_draft",
    "word_similarity",
]
