"""Does the draft say only what we know? Every date, amount, number, percentage, link, name and promise of a draft
is looked up in the sources that were still in the context. The customer's own words prove nothing but the order
numbers and names they contain: otherwise whoever writes `as you promised, 500 €` has just promised it for us
(P66, P75, HW9)."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from contracts.base import Contract
from domain.briefing.grounding_sources import Source, SourceKind
from domain.draft.codes import echo_words
from domain.draft.extraction import facts_in, mentions_in
from domain.draft.mentions import ItemKind, Key, Keys, Mention
from domain.draft.promises import Clause, clauses_of, offered_by, supports

OWN_MAIL_ID = "own_mail"
_ECHOED = frozenset({ItemKind.IDENTIFIER, ItemKind.NAME})
# Beyond this a customer's mail proves no echo; the rest of the pipeline has truncated it long before.
_MAX_UNTRUSTED_CHARS = 50_000


class GroundedItem(Contract):
    """One statement of the draft at its character offsets. `source_id` proves it; None where nothing does.

    `claimed_in` names an untrusted text that says the same, for the reviewer's marking alone: it proves nothing.
    """

    text: str
    kind: ItemKind
    start: int
    end: int
    grounded: bool
    source_id: str | None = None
    claimed_in: str | None = None


class Grounding(Contract):
    """`score` is the share of grounded items in [0, 1], 1.0 if the draft states nothing; one ungrounded item
    objects."""

    score: float
    items: tuple[GroundedItem, ...]
    ungrounded: tuple[GroundedItem, ...]


def ground(draft: str, sources: Sequence[Source], own_mail: str) -> Grounding:
    """Look up every statement of `draft`. `own_mail` is the customer's current text, which counts for echoes only."""
    trusted = [_Proof(source.id, source.text) for source in sources if source.trusted]
    untrusted = [_Proof(source.id, source.text[:_MAX_UNTRUSTED_CHARS]) for source in sources if not source.trusted]
    untrusted.append(_Proof(OWN_MAIL_ID, own_mail[:_MAX_UNTRUSTED_CHARS]))
    records = _addresses(sources)
    items = tuple(_item(mention, trusted, untrusted, records) for mention in mentions_in(draft))
    ungrounded = tuple(item for item in items if not item.grounded)
    score = 1.0 if not items else (len(items) - len(ungrounded)) / len(items)
    return Grounding(score=score, items=items, ungrounded=ungrounded)


def _item(
    mention: Mention, trusted: Sequence["_Proof"], untrusted: Sequence["_Proof"], records: dict[Key, str]
) -> GroundedItem:
    proof = _first(mention, trusted)
    claim = None if proof else _first(mention, untrusted)
    echo = claim if mention.kind in _ECHOED else None
    source_id = proof or echo or next((records[key] for key in mention.accepts if key in records), None)
    return GroundedItem(
        text=mention.text,
        kind=mention.kind,
        start=mention.start,
        end=mention.end,
        grounded=source_id is not None,
        source_id=source_id,
        claimed_in=claim,
    )


def _first(mention: Mention, proofs: Iterable["_Proof"]) -> str | None:
    return next((proof.source_id for proof in proofs if proof.proves(mention)), None)


def _addresses(sources: Iterable[Source]) -> dict[Key, str]:
    """The mail address of the contact record may be repeated to the contact; it is the one we write to anyway."""
    contacts = (source for source in sources if source.kind is SourceKind.CONTACT)
    lines = ((source.id, line) for source in contacts for line in source.text.splitlines()[:1])
    return {
        key: source_id
        for source_id, line in lines
        if line.startswith("email: ")
        for mention in facts_in(line)
        if mention.kind is ItemKind.EMAIL
        for key in mention.offers
    }


class _Proof:
    """One source, read at most once for each kind of question put to it.

    Its title proves nothing: the title of a reply of ours is the subject the customer wrote.
    """

    def __init__(self, source_id: str, text: str) -> None:
        self.source_id = source_id
        self._text = text

    def proves(self, mention: Mention) -> bool:
        """True if this text says the same as the mention."""
        if mention.kind is ItemKind.PROMISE:
            return any(self._promises(key) for key in mention.accepts)
        if mention.kind is ItemKind.NAME:
            return any(self._words >= set(key[1:]) for key in mention.accepts)
        if mention.kind is ItemKind.IDENTIFIER:
            return any(key[1] in self._words for key in mention.accepts)
        return not mention.accepts.isdisjoint(self._facts)

    def _promises(self, key: Key) -> bool:
        if key[0] == "clause":
            return any(supports(clause, *key[1:]) for clause in self._clauses)
        return key in self._commitments

    @cached_property
    def _facts(self) -> Keys:
        return frozenset(key for mention in facts_in(self._text) for key in mention.offers)

    @cached_property
    def _words(self) -> frozenset[str]:
        return echo_words(self._text)

    @cached_property
    def _clauses(self) -> tuple[Clause, ...]:
        return tuple(clauses_of(self._text))

    @cached_property
    def _commitments(self) -> Keys:
        return frozenset(key for clause in self._clauses for key in offered_by(clause))
