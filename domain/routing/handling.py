"""Teams know exceptions no statistic does: never answer a lawyer automatically, always name the return address.
Such rules come from people, stand outside the model and can only hold a reply back (P86a)."""

import re
from collections.abc import Iterable
from enum import StrEnum

from pydantic import model_validator

from contracts.base import Contract
from contracts.classification import Category, IntentKind
from domain.routing.rules import same_sender

_WORD = re.compile(r"\w+")


class HandlingKind(StrEnum):
    """Both only restrict."""

    NEVER_AUTOMATIC = "never_automatic"
    MUST_MENTION = "must_mention"


class Predicate(Contract):
    """When a rule applies: every field that is set must match, one value of it is enough; an empty one always applies.

    `words` are words or phrases of subject and body, compared case-folded and whole.
    """

    categories: tuple[Category, ...] = ()
    intents: tuple[IntentKind, ...] = ()
    senders: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class HandlingRule(Contract):
    """One rule of the team. `text` is what a `must_mention` draft has to contain."""

    id: str
    kind: HandlingKind
    predicate: Predicate = Predicate()
    text: str = ""

    @model_validator(mode="after")
    def _restricts(self) -> "HandlingRule":
        if self.kind is HandlingKind.MUST_MENTION and not words_of(self.text):
            raise ValueError("a must_mention rule needs the text a draft has to mention")
        return self


class HandledMessage(Contract):
    """What a predicate looks at."""

    category: Category
    intents: tuple[IntentKind, ...]
    sender: str
    text: str


def applies(rule: HandlingRule, message: HandledMessage) -> bool:
    """Does the rule speak about this mail at all?"""
    return _applies(rule.predicate, message, words_of(message.text))


def handling_objection(rules: Iterable[HandlingRule], message: HandledMessage, draft: str) -> str | None:
    """The first rule that holds the draft back, in words, or None."""
    spoken, drafted = words_of(message.text), words_of(draft)
    for rule in rules:
        if not _applies(rule.predicate, message, spoken):
            continue
        if rule.kind is HandlingKind.NEVER_AUTOMATIC:
            return f"handling rule {rule.id}: never automatic"
        if not contains(drafted, words_of(rule.text)):
            return f"handling rule {rule.id}: the draft does not mention {rule.text.strip()[:80]!r}"
    return None


def _applies(predicate: Predicate, message: HandledMessage, spoken: str) -> bool:
    return all(
        (
            not predicate.categories or message.category in predicate.categories,
            not predicate.intents or not set(predicate.intents).isdisjoint(message.intents),
            not predicate.senders or any(same_sender(sender, message.sender) for sender in predicate.senders),
            not predicate.words or any(contains(spoken, words_of(phrase)) for phrase in predicate.words),
        )
    )


def words_of(text: str) -> str:
    """The case-folded words of a text with one blank around each, so that phrases are found whole."""
    words = _WORD.findall(text.casefold())
    return f" {' '.join(words)} " if words else ""


def contains(spoken: str, phrase: str) -> bool:
    """True if `phrase`, both as `words_of` gives them, stands whole in `spoken`."""
    return bool(phrase) and phrase in spoken
