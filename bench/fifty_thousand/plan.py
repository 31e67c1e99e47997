"""Which conversations there are and how each of their mails ends: the same for every run of one size, and no I/O."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

LENGTHS = ((1, 50), (2, 20), (3, 10), (5, 9), (8, 6), (20, 4), (60, 1))
LONGEST = 200
LONGEST_FROM = 2_000
SEED = 50_000


class Ending(StrEnum):
    """Where the story of one mail stops."""

    POISON = "poison"
    RECEIVED = "received"
    CLASSIFYING = "classifying"
    REVIEW = "review"
    QUARANTINED = "quarantined"
    FAILED = "failed"
    SENDING = "sending"
    AMBIGUOUS = "ambiguous"
    SENT = "sent"
    REJECTED = "rejected"
    DISMISSED = "dismissed"
    SPAM = "spam"


# Weights of the last mail of a conversation, and of those before it, which are over.
LAST = {
    Ending.POISON: 4, Ending.RECEIVED: 12, Ending.CLASSIFYING: 8, Ending.REVIEW: 90, Ending.QUARANTINED: 20,
    Ending.FAILED: 12, Ending.SENDING: 3, Ending.AMBIGUOUS: 1, Ending.SENT: 150, Ending.REJECTED: 30,
    Ending.DISMISSED: 580, Ending.SPAM: 90,
}  # fmt: skip
EARLIER = {Ending.SENT: 14, Ending.REJECTED: 3, Ending.DISMISSED: 75, Ending.SPAM: 8}


@dataclass(frozen=True)
class Conversation:
    """One customer's mails in order; `state` is what people made of it: "", assigned, snoozed, resolved or closed."""

    number: int
    endings: tuple[Ending, ...]
    state: str
    read: bool


def conversations(messages: int) -> Iterator[Conversation]:
    """As many as hold `messages` mails together."""
    rolls, left, number = random.Random(SEED), messages, 0
    while left > 0:
        number += 1
        length = min(left, _length(rolls, number, messages))
        yield Conversation(number, _endings(rolls, length), _state(rolls), rolls.random() < 0.6)
        left -= length


def _length(rolls: random.Random, number: int, messages: int) -> int:
    if number == 1 and messages >= LONGEST_FROM:
        return LONGEST
    return rolls.choices([n for n, _ in LENGTHS], [weight for _, weight in LENGTHS])[0]


def _endings(rolls: random.Random, length: int) -> tuple[Ending, ...]:
    earlier = rolls.choices(list(EARLIER), list(EARLIER.values()), k=length - 1)
    last = rolls.choices(list(LAST), list(LAST.values()))[0]
    return (*earlier, Ending.REVIEW if length == LONGEST else last)


def _state(rolls: random.Random) -> str:
    return rolls.choices(("", "assigned", "snoozed", "resolved", "closed"), (40, 20, 5, 15, 20))[0]
