"""Rules AU11-AU13: two machines that answer each other give themselves away by count, by repetition and by speed,
even if no header admits anything."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from contracts.base import Contract
from contracts.mail import AutomaticClass, AutomaticHit
from domain.automatic_mail.facts import hit

THREAD_CAP = 2
SENDER_CAP = 5
GRAM_CHARS = 5
MAX_COMPARED_CHARS = 20_000
NEAR_SAME = 0.9
REFLEX_WITHIN = timedelta(seconds=60)
REFLEX_COUNT = 3


class LoopFacts(Contract):
    """What the store counts around one mail.

    `thread_automatic_replies`: automatic replies in the thread since the last human action;
    `sender_automatic_replies_24h`: to this sender in 24 hours; a cap of 0 allows none.
    `answer_delays`: for this sender's mails of the last 24 hours that follow a send of ours, the time between the two.
    """

    thread_automatic_replies: int = 0
    sender_automatic_replies_24h: int = 0
    thread_cap: int = THREAD_CAP
    sender_cap: int = SENDER_CAP
    new_text: str = ""
    sender_previous_text: str = ""
    draft_text: str = ""
    last_automatic_reply_text: str = ""
    answer_delays: tuple[timedelta, ...] = ()


def loop_hits(facts: LoopFacts) -> tuple[AutomaticHit, ...]:
    """The loop rules that hit, all class B; any of them makes the thread `loop_suspected` (LO2)."""
    return (*_caps(facts), *_near_same(facts), *_reflex(facts))


def gram_similarity(left: str, right: str) -> float:
    """Dice coefficient of the two texts' 5-character grams, 0 to 1; letter case and spacing do not count."""
    left, right = _comparable(left), _comparable(right)
    if not left or not right:
        return 0.0
    if min(len(left), len(right)) < GRAM_CHARS:
        return float(left == right)
    grams, others = _grams(left), _grams(right)
    return 2 * (grams & others).total() / (grams.total() + others.total())


def _caps(facts: LoopFacts) -> Iterator[AutomaticHit]:
    if facts.thread_automatic_replies >= facts.thread_cap:
        yield hit("thread_cap", AutomaticClass.B, f"{facts.thread_automatic_replies} of {facts.thread_cap} in thread")
    if facts.sender_automatic_replies_24h >= facts.sender_cap:
        sent = facts.sender_automatic_replies_24h
        yield hit("sender_cap", AutomaticClass.B, f"{sent} of {facts.sender_cap} to sender in 24 h")


def _near_same(facts: LoopFacts) -> Iterator[AutomaticHit]:
    mail = gram_similarity(facts.new_text, facts.sender_previous_text)
    draft = gram_similarity(facts.draft_text, facts.last_automatic_reply_text)
    if max(mail, draft) >= NEAR_SAME:
        compared = "mail and previous mail" if mail >= draft else "draft and last automatic reply"
        yield hit("near_same", AutomaticClass.B, f"{compared} are {max(mail, draft):.2f} similar")


def _reflex(facts: LoopFacts) -> Iterator[AutomaticHit]:
    quick = sum(timedelta(0) <= delay <= REFLEX_WITHIN for delay in facts.answer_delays)
    if quick >= REFLEX_COUNT:
        yield hit("reflex", AutomaticClass.B, f"{quick} mails within {REFLEX_WITHIN.seconds} s after a send of ours")


def _comparable(text: str) -> str:
    return " ".join(text[:MAX_COMPARED_CHARS].casefold().split())


def _grams(text: str) -> Counter[str]:
    return Counter(text[place : place + GRAM_CHARS] for place in range(len(text) - GRAM_CHARS + 1))
