"""Too much context is worse than little: it costs money and hides the question. What has to go goes as whole entries in
a fixed order, so that nobody ever reads half a sentence of a policy (P65, P66)."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from contracts.base import Contract
from domain.briefing.facts import BriefingFacts
from domain.briefing.grounding_sources import Source
from domain.briefing.sections import Entry, Section, briefing_entries, render, section_gaps
from domain.briefing.tokens import count_tokens

DEFAULT_BUDGET_TOKENS = 4_000
EMERGENCY_FACTOR = 3
_PROTECTED = (Section.CONTACT, Section.CURRENT)
_HEAD_SHARE = 0.6
_WORD_CHARS = 64


class ContextTier(StrEnum):
    """How much of the context the drafter saw."""

    NORMAL = "normal"
    COMPACTED = "compacted"
    EMERGENCY = "emergency"


class Briefing(Contract):
    """The context as the model reads it. `dropped` holds the ids of entries that had to go, in that order.

    `seen_message_id` is the newest inbound mail of a person that stands in the text (gate 10). The three
    `*_found` flags speak of what is still present, never of what was dropped or withheld (gate 11).
    """

    text: str
    tier: ContextTier
    token_count: int
    context_gaps: tuple[str, ...]
    context_truncated: bool
    sources: tuple[Source, ...]
    dropped: tuple[str, ...]
    knowledge_found: bool
    files_found: bool
    history_found: bool
    seen_message_id: str


def build_briefing(facts: BriefingFacts) -> Briefing:
    """The context of one message within `facts.budget_tokens`, compacted as little as its size asks for."""
    entries = briefing_entries(facts)
    tier = _tier(count_tokens(render(entries)), facts.budget_tokens)
    kept, dropped = _reduce(entries, tier, facts.budget_tokens)
    truncated = tier is not ContextTier.NORMAL and _size(kept[-1:]) > facts.budget_tokens
    if truncated:
        kept = _truncate_current(kept, facts.budget_tokens)
    return _briefing(facts, kept, dropped, tier, truncated)


def _tier(tokens: int, budget: int) -> ContextTier:
    if tokens <= budget:
        return ContextTier.NORMAL
    return ContextTier.COMPACTED if tokens <= EMERGENCY_FACTOR * budget else ContextTier.EMERGENCY


def _size(entries: Iterable[Entry]) -> int:
    return count_tokens(render(entries))


def _reduce(entries: Sequence[Entry], tier: ContextTier, budget: int) -> tuple[list[Entry], list[Entry]]:
    """What stays and what goes, the latter in the order in which it went."""
    kept, dropped = list(entries), list[Entry]()
    for entry in _expendable(entries):
        if tier is not ContextTier.EMERGENCY and _size(kept) <= budget:
            break
        kept.remove(entry)
        dropped.append(entry)
    return kept, dropped


def _expendable(entries: Sequence[Entry]) -> list[Entry]:
    """Oldest history, files, lowest-ranked knowledge, oldest activity; mails answered together with this one go
    last."""

    def of(section: Section) -> list[Entry]:
        return [entry for entry in entries if entry.section is section and not entry.coalesced]

    siblings = [entry for entry in entries if entry.coalesced]
    files, knowledge, activity = (of(part)[::-1] for part in (Section.FILES, Section.KNOWLEDGE, Section.ACTIVITY))
    return [*of(Section.HISTORY), *files, *knowledge, *activity, *siblings]


def _truncate_current(kept: Sequence[Entry], budget: int) -> list[Entry]:
    """Beginning and end of the current message with a visible mark between, as much as fits beside the protected
    rest."""
    *rest, current = kept
    fits = _longest(len(current.text), lambda chars: _size((*rest, _shortened(current, chars))) <= budget)
    return [*rest, _shortened(current, fits)]


def _longest(upper: int, fits: Callable[[int], bool]) -> int:
    """The largest count of characters found to fit; 0 if not even the mark does. Token counts grow almost evenly."""
    low, high = 0, upper
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _shortened(entry: Entry, chars: int) -> Entry:
    text = _ends_of(entry.text, chars)
    source = entry.source and entry.source.model_copy(update={"text": text})
    return entry.model_copy(update={"text": text, "source": source})


def _ends_of(text: str, chars: int) -> str:
    head_end = _word_start(text, int(chars * _HEAD_SHARE))
    tail_start = _word_end(text, len(text) - (chars - int(chars * _HEAD_SHARE)))
    mark = f"[... {tail_start - head_end} characters left out here ...]"
    return f"{text[:head_end].rstrip()}\n\n{mark}\n\n{text[tail_start:].lstrip()}".strip()


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _word_start(text: str, at: int) -> int:
    """At most 64 characters back, so that a cut never leaves half an order number that looks like a whole one."""
    for position in range(at, max(at - _WORD_CHARS, 0), -1):
        if not _inside_word(text, position):
            return position
    return max(at - _WORD_CHARS, 0)


def _word_end(text: str, at: int) -> int:
    for position in range(at, min(at + _WORD_CHARS, len(text))):
        if not _inside_word(text, position):
            return position
    return min(at + _WORD_CHARS, len(text))


def _briefing(
    facts: BriefingFacts, kept: Sequence[Entry], dropped: Sequence[Entry], tier: ContextTier, truncated: bool
) -> Briefing:
    text = render(kept)
    gaps = section_gaps(facts) + (("coalesced_dropped",) if any(entry.coalesced for entry in dropped) else ())
    return Briefing(
        text=text,
        tier=tier,
        token_count=count_tokens(text),
        context_gaps=gaps,
        context_truncated=truncated,
        sources=tuple(entry.source for entry in kept if entry.source is not None),
        dropped=tuple(entry.id for entry in dropped),
        knowledge_found=_holds(kept, Section.KNOWLEDGE),
        files_found=_holds(kept, Section.FILES),
        history_found=_holds(kept, Section.HISTORY),
        seen_message_id=_seen(facts, {entry.id for entry in kept}),
    )


def _holds(kept: Iterable[Entry], section: Section) -> bool:
    return any(entry.section is section and entry.source is not None and not entry.coalesced for entry in kept)


def _seen(facts: BriefingFacts, present: set[str]) -> str:
    """The newest mail of a person in the text; equal times are told apart by id."""
    inbound = (item for item in facts.history if item.id in present and not item.sent_by_us)
    mails = [(item.at, item.id) for item in inbound if item.by_person]
    return max([*mails, (facts.current.received_at, facts.current.id)])[1]
