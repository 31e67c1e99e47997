"""Does a text try to steer a language model? Cue words and a trained head must agree before the answer is sure (P56).

The endpoint itself obeys no text; the verdict protects whoever reads the mail next. A text that a person cannot see
has no business addressing a machine, so there one of the two is enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from offline.embedder import Embedder
from offline.head import trained
from offline.sentences import sentences_of
from offline.words import cue_lists, folded, matches, visible

_CUES = "guard_cues.json"
_LIKELY, _ALONE = 0.5, 0.9
_SURE, _FORGED_SURE, _HALF_SURE, _HEAD_ONLY_MOST = 0.92, 0.93, 0.65, 0.75
_QUOTED_MOST = 0.6
_HARMLESS_FLOOR = 0.55
_INJECTION_FROM = 0.5
_FEWEST_WORDS, _SHORT_WORDS, _LONGEST_RUN = 2, 6, 20
_STRETCH_WORDS, _STRETCH_STEP = 10, 5
_STOPS = ".!?;:… "
_QUOTE_PAIRS = (("“", "”"), ("„", "“"), ("«", "»"), ("‹", "›"), ('"', '"'))
_WORDS_FOR = {
    "forged": "forges the marks of a conversation with a model",
    "override": "asks a reader to set its rules aside",
    "exfiltration": "asks a reader to disclose its instructions or other people's data",
    "re_role": "gives a reader a new role",
    "verdict": "dictates a verdict to a machine",
}
# What stands together in one sentence makes a family; a weak family also needs the trained head's word.
_WEAK = {"re_role", "verdict"}
_FAMILIES = {
    "override": ("set_aside", "orders"),
    "exfiltration": ("reveal", "secrets"),
    "re_role": ("new_role",),
    "verdict": ("machine", "verdict"),
}


@dataclass(frozen=True, slots=True)
class _Finding:
    confidence: float
    family: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of text; `reported` if it stands in a sentence that quotes."""

    text: str
    reported: bool = False


def verdict_on(text: str, embedder: Embedder, *, hidden: bool = False) -> dict[str, Any]:
    """The fields of a guard verdict; the reason is ours and repeats no word of the text."""
    found = max(_findings(text, embedder, hidden), key=lambda item: item.confidence, default=_Finding(0.0, ""))
    if found.confidence < _INJECTION_FROM:
        doubt = max(1 - found.confidence, _HARMLESS_FLOOR)
        return {"is_injection": False, "confidence": round(doubt, 3), "reason": "No order to a machine was found."}
    reason = _WORDS_FOR.get(found.family, "reads like an order to a language model")
    where = "Text hidden from people" if hidden else "A sentence"
    return {"is_injection": True, "confidence": round(found.confidence, 3), "reason": f"{where} {reason}."}


def _findings(text: str, embedder: Embedder, hidden: bool) -> list[_Finding]:
    pieces = list(_pieces(text))
    forged = [_Finding(_FORGED_SURE, "forged")] if _forged(text) else []
    if not pieces:
        return forged
    likely = trained().order.probabilities(embedder.vectors([piece.text for piece in pieces]))[:, 1]
    return [*forged, *(_judged(piece, float(p), hidden) for piece, p in zip(pieces, likely, strict=True))]


def _pieces(text: str) -> Iterator[_Piece]:
    """Every sentence, long ones in overlapping stretches, short ones in runs: no length and no break hides an order."""
    run: list[str] = []
    for sentence in sentences_of(visible(text), most=None):
        words = sentence.split()
        yield from _stretches(sentence, words)
        if len(words) < _SHORT_WORDS:
            run.append(sentence.rstrip(_STOPS))
        if run and (len(words) >= _SHORT_WORDS or len(run) == _LONGEST_RUN):
            yield _Piece(" ".join(run))
            run = []
    if run:
        yield _Piece(" ".join(run))


def _stretches(sentence: str, words: list[str]) -> Iterator[_Piece]:
    reported = _reports(sentence)
    if len(words) > _FEWEST_WORDS:
        yield _Piece(sentence, reported)
    if len(words) > _STRETCH_WORDS:
        for start in range(0, len(words) - _STRETCH_STEP, _STRETCH_STEP):
            yield _Piece(" ".join(words[start : start + _STRETCH_WORDS]), reported)


def _judged(piece: _Piece, likely: float, hidden: bool) -> _Finding:
    family = _family(folded(piece.text))
    if not family or (family in _WEAK and likely < _LIKELY):
        sure = _SURE if hidden and likely >= _ALONE else likely * _HEAD_ONLY_MOST
        return _Finding(sure, "")
    confidence = _SURE if hidden or likely >= _LIKELY else _HALF_SURE
    return _Finding(min(confidence, _QUOTED_MOST) if piece.reported and not hidden else confidence, family)


def _family(words: str) -> str:
    cues = cue_lists(_CUES)
    return next((name for name, groups in _FAMILIES.items() if all(matches(words, cues[g]) for g in groups)), "")


def _forged(text: str) -> bool:
    low = text.casefold()
    return any(mark in low for mark in cue_lists(_CUES)["forged"])


def _reports(sentence: str) -> bool:
    """A report has words between quotation marks and words of its own outside of them."""
    for opening, closing in _QUOTE_PAIRS:
        before, found, rest = sentence.partition(opening)
        inside, closed, after = rest.partition(closing)
        if found and closed and len(inside) > 10 and len((before + after).split()) >= 4:
            return True
    return False
