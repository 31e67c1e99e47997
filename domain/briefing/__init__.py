"""What a drafter gets to read about one message: labelled sections within a token budget, and the sources they hold."""

from domain.briefing.compaction import DEFAULT_BUDGET_TOKENS, Briefing, ContextTier, build_briefing
from domain.briefing.grounding_sources import Source, SourceKind
from domain.briefing.sections import BriefingFacts
from domain.briefing.tokens import count_tokens

__all__ = [
    "DEFAULT_BUDGET_TOKENS",
    "Briefing",
    "BriefingFacts",
    "ContextTier",
    "Source",
    "SourceKind",
    "build_briefing",
    "count_tokens",
]
