"""The separate things a sender wants: one per question or request sentence, named in neutral English words (P69)."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from offline.briefing import Mail
from offline.embedder import Embedder
from offline.features import cue_counts
from offline.sentences import message_sentences
from offline.words import cue_lists, folded, matches

MOST_INTENTS = 16
SAME_THING_COSINE = 0.85
_STATED, _IMPLIED = 0.8, 0.5
_LEAST_WORDS = 2
_MOST_COMPARED, _COMPARED_CHARS = 60, 300
_ACTS = "acts.json"
_KIND_OF_CATEGORY = {
    "complaint": "complaint", "feature_request": "request", "sales": "question", "support": "question",
    "billing": "request", "spam": "information", "internal": "information", "other": "information",
}  # fmt: skip
_TOPICS = {
    "trouble": "something that does not work", "howto": "how to do something", "delivery": "a delivery or exchange",
    "quote": "prices or an offer", "interest": "a possible purchase", "invoice": "an invoice or payment",
    "refund": "a refund", "wish": "a wish for something new", "anger": "dissatisfaction",
    "escalate": "a person in charge",
    "scam": "money or a prize", "advert": "an advertisement", "phish": "account data", "colleague": "work in the team",
    "apply": "a job, survey or invitation", "courtesy": "thanks or notice",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Want:
    """One thing the sender wants. `place` is the number of its sentence, from 1; `text` stays inside this process."""

    kind: str
    text: str
    place: int
    confidence: float

    @property
    def key(self) -> str:
        """The same key for the same words, wherever they stand."""
        return f"{self.kind}-{hashlib.blake2b(folded(self.text).encode(), digest_size=5).hexdigest()}"

    @property
    def label(self) -> str:
        """Neutral English words; never words of the mail, which may hold anything."""
        counts = cue_counts(self.text)
        topic = max(counts, key=lambda group: counts[group])
        about = f" about {_TOPICS[topic]}" if counts[topic] else ""
        return f"{self.kind}{about} (sentence {self.place})"


def kind_of(sentence: str) -> str:
    """`question`, `request`, `escalation`, or an empty string for a sentence that wants nothing."""
    words, cues = folded(sentence), cue_lists(_ACTS)
    if len(words.split()) < _LEAST_WORDS:
        return ""
    if matches(words, cues["escalation"]):
        return "escalation"
    if sentence.rstrip().endswith("?") or words.startswith(tuple(f" {cue}" for cue in cues["question"])):
        return "question"
    return "request" if matches(words, cues["request"]) else ""


def overall_kind(mail: Mail, category: str, wants: tuple[Want, ...]) -> str:
    """The intent of the message as a whole."""
    kinds = {want.kind for want in wants}
    if "escalation" in kinds:
        return "escalation"
    if category in ("complaint", "feature_request", "spam"):
        return _KIND_OF_CATEGORY[category]
    if wants and wants[0].confidence >= _STATED:
        return wants[0].kind
    thanks = matches(folded(mail.body), cue_lists(_ACTS)["acknowledgment"])
    return "acknowledgment" if thanks else _KIND_OF_CATEGORY[category]


def wants_of(mail: Mail, category: str, embedder: Embedder) -> tuple[Want, ...]:
    """1 to 16 wants in the order of the mail; sentences that ask for the same thing count once."""
    stated = list(islice(_stated(mail, category), _MOST_COMPARED))
    return tuple(_distinct(stated, embedder)[:MOST_INTENTS]) or (_implied(mail, category),)


def _stated(mail: Mail, category: str) -> Iterator[Want]:
    if category == "spam":
        return
    for place, sentence in enumerate(message_sentences(mail.body), 1):
        kind = kind_of(sentence)
        if kind:
            yield Want(kind, sentence, place, _STATED)


def _implied(mail: Mail, category: str) -> Want:
    """The mail as one want, where no sentence states any."""
    thanks = matches(folded(mail.body), cue_lists(_ACTS)["acknowledgment"])
    kind = "acknowledgment" if thanks and category == "other" else _KIND_OF_CATEGORY[category]
    return Want(kind, f"{mail.subject} {mail.body}".strip() or "-", 1, _IMPLIED)


def _distinct(wants: list[Want], embedder: Embedder) -> list[Want]:
    if len(wants) < 2:
        return wants
    rows = embedder.vectors([want.text[:_COMPARED_CHARS] for want in wants])
    near = rows @ rows.T
    kept: list[int] = []
    for place in range(len(wants)):
        if all(near[place, other] < SAME_THING_COSINE for other in kept):
            kept.append(place)
    return [wants[place] for place in kept]
