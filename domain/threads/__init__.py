"""How a mail finds its conversation: subjects made comparable, and the cascade that decides which thread it joins."""

from domain.threads.cascade import decide_thread
from domain.threads.facts import (
    MessageParties,
    SkippedHit,
    ThreadCandidates,
    ThreadDecision,
    ThreadFacts,
    ThreadingFacts,
    ThreadRule,
    participants,
    threading_facts,
)
from domain.threads.subjects import has_reply_prefix, is_generic_subject, is_reply_like, normalized_subject

__all__ = [
    "MessageParties",
    "SkippedHit",
    "ThreadCandidates",
    "ThreadDecision",
    "ThreadFacts",
    "ThreadRule",
    "ThreadingFacts",
    "decide_thread",
    "has_reply_prefix",
    "is_generic_subject",
    "is_reply_like",
    "normalized_subject",
    "participants",
    "threading_facts",
]
