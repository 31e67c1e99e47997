"""A reply that promises what nobody decided is the dearest mistake of all. A clause that binds us is a statement
like any other: it must stand, with the same sign, in a source we trust (HW9, P105)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from domain.draft.commitment_words import (
    ACKNOWLEDGEMENT,
    BASE_FORMS,
    BINDING,
    COMMITMENTS,
    COURTESY,
    HANDED_OUT,
    HANDING_OUT,
    HARMLESS_NEGATIONS,
    NEGATORS,
    PRE_NEGATORS,
    PROMISE_MARKERS,
    RECEIPT,
    REQUEST,
    REQUESTED,
    STOP_WORDS,
    TRAILING_NEGATORS,
)
from domain.draft.loose_figures import LOOSE_FIGURES
from domain.draft.mentions import ItemKind, Key, Keys, Mention

# A clause ends at punctuation that a blank follows, or at a line break; the lookahead keeps `1,234.56` whole.
_CLAUSE_END = re.compile(
    r"[.!?;:,]+(?=\s)|[\n\r]+| [–—-] |"
    r" (?:but|once|when|as soon as|aber|jedoch|sobald|mais|dès que|pero|cuando|en cuanto) "
)
_WORD = re.compile(r"[\w'-]+")
_WORDS_BEFORE = 5
_WORDS_AFTER = 4
_UNUSUAL = 3
_REACH_CHARS = 100
_FAR = 99
_STEM_CHARS = 5
_MAX_CLAUSE_CHARS = 600
_BINDING_WORDS = {**COMMITMENTS, **LOOSE_FIGURES}
OVERLAP = 0.6


class Clause(NamedTuple):
    """One clause in comparable form: `low` is case-folded, `stems` are its content words cut to five letters."""

    text: str
    start: int
    low: str
    stems: frozenset[str]
    negated: bool


def clauses_of(text: str) -> Iterator[Clause]:
    """The clauses of a text with their offsets; empty ones left out, overlong ones cut at 600 characters."""
    start = 0
    for match in _CLAUSE_END.finditer(text + "\n"):
        piece = text[start : match.start()]
        stripped = piece.strip()
        if stripped:
            yield _clause(stripped[:_MAX_CLAUSE_CHARS], start + len(piece) - len(piece.lstrip()))
        start = match.end()


def _clause(text: str, start: int) -> Clause:
    low = HARMLESS_NEGATIONS.sub(" ", text.lower().replace("’", "'"))
    words = _WORD.findall(low)
    stems = frozenset(BASE_FORMS.get(word, word)[:_STEM_CHARS] for word in words if _is_content(word))
    return Clause(text, start, low, stems, any(map(_negates, words)))


def _is_content(word: str) -> bool:
    """Numbers are statements of their own and looked up by themselves."""
    return word not in STOP_WORDS and not _negates(word) and not word[0].isdecimal()


def _negates(word: str) -> bool:
    return word in NEGATORS or word.endswith("n't") or word.startswith("n'")


def promises_in(text: str) -> Iterator[Mention]:
    """Every binding statement of a draft: one mention for each commitment in a clause, kind PROMISE."""
    for clause in clauses_of(text):
        keys = commitment_keys(clause)
        for key in sorted(keys, key=str):
            if not _only_talks_about(clause.low, str(key[1])):
                yield _mention(clause, key)
        if not keys and is_open_promise(clause.low):
            yield _mention(clause, ("clause", clause.negated, clause.stems))


def _mention(clause: Clause, key: Key) -> Mention:
    keys: Keys = frozenset({key})
    return Mention(ItemKind.PROMISE, clause.text, clause.start, clause.start + len(clause.text), keys, keys)


def commitment_keys(clause: Clause) -> Keys:
    """The commitments of a clause as (promise, name, negated); each negation denies the commitment nearest to it."""
    found = ((name, pattern.search(clause.low)) for name, pattern in _BINDING_WORDS.items())
    spans = {name: match.span() for name, match in found if match}
    denied = {_nearest(spans, word.span(), clause.low) for word in _WORD.finditer(clause.low) if _denies(word.group())}
    hands_out = HANDING_OUT.search(clause.low) is not None
    return frozenset(("promise", _deed(name, hands_out), name in denied) for name in spans)


def _deed(name: str, hands_out: bool) -> str:
    return f"{name} handed out" if hands_out and name in HANDED_OUT else name


def offered_by(clause: Clause) -> Keys:
    """What a clause of a source proves: its commitments, and whoever hands something out has also named it."""
    keys = commitment_keys(clause)
    return keys | {("promise", str(key[1]).removesuffix(" handed out"), key[2]) for key in keys}


def _denies(word: str) -> bool:
    return _negates(word) or word in PRE_NEGATORS


def _nearest(spans: dict[str, tuple[int, int]], word: tuple[int, int], low: str) -> str | None:
    """The commitment a negation belongs to: at most five words after it, or four before it, whichever is nearer."""
    distances = {name: _distance(span, word, low) for name, span in spans.items()}
    near = {name: distance for name, distance in distances.items() if distance is not None}
    return min(near, key=lambda name: near[name]) if near else None


def _distance(span: tuple[int, int], word: tuple[int, int], low: str) -> int | None:
    """Words between a negation and a commitment, more where the language would not put it there; None if too far."""
    trails = low[slice(*word)] in TRAILING_NEGATORS
    if word[1] <= span[0]:
        between = _words_in(low, word[1], span[0])
        return None if between >= _WORDS_BEFORE else between + (_UNUSUAL if trails else 0)
    if word[0] < span[1] or low[slice(*word)] in PRE_NEGATORS:
        return None
    # What is left of the commitment's own word after the stem is no word between.
    between = _words_in(low, span[1], word[0]) - low[span[1] : span[1] + 1].isalpha()
    return None if between >= _WORDS_AFTER else between + (0 if trails else _UNUSUAL)


def _words_in(low: str, start: int, end: int) -> int:
    return _FAR if end - start > _REACH_CHARS else len(_WORD.findall(low[start:end]))


def is_open_promise(low: str) -> bool:
    """True for a clause that says what we will do with any other verb; courtesy alone promises nothing."""
    return PROMISE_MARKERS.search(low) is not None and COURTESY.search(low) is None


def supports(clause: Clause, negated: object, stems: object) -> bool:
    """True if a clause of a trusted source says the same: same sign, and at least 60 % of the content words."""
    if clause.negated != negated or not isinstance(stems, frozenset) or not stems:
        return False
    return len(stems & clause.stems) / len(stems) >= OVERLAP


def _only_talks_about(low: str, commitment: str) -> bool:
    """`Thank you for your question about a refund` names a refund and promises none; nor does a request to the
    reader."""
    if BINDING.search(RECEIPT.sub(" ", low)):
        return False
    return bool(ACKNOWLEDGEMENT.search(low)) or (commitment in REQUESTED and bool(REQUEST.search(low)))
