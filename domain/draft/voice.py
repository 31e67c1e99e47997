"""Which earlier replies show best how to answer this mail: those to mails that used the same words (P73a)."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

MOST_EXAMPLES: Final = 3
MOST_CHARS: Final = 1_500
_READ_CHARS: Final = 4_000
_WORD: Final = re.compile(r"\w{3,60}")


class PastReply(NamedTuple):
    """A reply a person approved, and the mail it answered."""

    asked: str
    reply: str
    sent_at: datetime


def best_examples(question: str, replies: Sequence[PastReply]) -> tuple[str, ...]:
    """At most three replies, nearest question first, the newer one of equals; each text once, long ones left out."""
    words = _words(question)
    ranked = sorted(replies, key=lambda past: (_likeness(words, _words(past.asked)), past.sent_at), reverse=True)
    texts = dict.fromkeys(past.reply.strip() for past in ranked)
    return tuple(text for text in texts if 0 < len(text) <= MOST_CHARS)[:MOST_EXAMPLES]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text[:_READ_CHARS].lower()))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of common words, in [0, 1]."""
    return len(one & other) / len(one | other) if one and other else 0.0
