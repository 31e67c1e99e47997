"""The graded scan: every part in every form, each hit as evidence, and one score over the families (P53-P55)."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from contracts.classification import GuardVerdict
from contracts.security import Evidence
from domain.detect.families import (
    FLAGGED_CHARACTERS_MAX,
    GUARD_CONFIDENCE_MIN,
    HIDDEN_CONTENT_WEIGHT,
    SNIPPET_CHARACTERS_MAX,
    WEIGHTS,
    Band,
    Family,
    combined,
    one_lower,
)
from domain.detect.parts import TextPart
from domain.detect.patterns import Detector, matcher, phrase_words
from domain.detect.phrases import GAP_CHARACTERS
from domain.detect.quoting import code_fences, is_quoted
from domain.text.characters import IN_WORD_MIN, has_tag_characters, without_surrogates, zero_widths_in_words
from domain.text.normalise import DECODED, JOINED, RAW, Form, forms_of

SCAN_CHARACTERS_MAX = 1024 * 1024
EVIDENCE_MAX = 200
HITS_PER_DETECTOR_MAX = 16
MATCHES_MAX = 2_000
CONTEXT_CHARACTERS = 60

Bypasses = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of evidence with its character offsets in the part named by `evidence.place` (HD6)."""

    evidence: Evidence
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The outcome of a scan. `complete` is False if some text went unread; `bypassed` names overruled detectors."""

    evidence: tuple[Evidence, ...] = ()
    combined_score: float = 0.0
    injection_type: str = ""
    confidence: float = 0.0
    flagged_content: str = ""
    bypassed: tuple[str, ...] = ()
    complete: bool = True
    hits: tuple[Hit, ...] = ()


def scan(parts: Sequence[TextPart], *, bypassed: Bypasses = frozenset()) -> ScanResult:
    """Runs all detectors over `parts`, at most 1 MiB; `bypassed` holds (detector, evidence hash) pairs (P61)."""
    hits: list[Hit] = []
    room, complete = SCAN_CHARACTERS_MAX, True
    for part in parts:
        text, room = without_surrogates(part.text[:room]), max(0, room - len(part.text))
        complete = complete and len(text) == len(part.text)
        complete = _scan_part(part, text, hits) and complete
    unique = {(hit.evidence.detector, hit.evidence.place, hit.start): hit for hit in reversed(hits)}
    kept = tuple(sorted(reversed(unique.values()), key=lambda hit: -hit.evidence.weight))[:EVIDENCE_MAX]
    return combine([hit.evidence for hit in kept], bypassed=bypassed, complete=complete, hits=kept)


def combine(
    evidence: Iterable[Evidence],
    guard: Sequence[tuple[str, GuardVerdict]] = (),
    *,
    bypassed: Bypasses = frozenset(),
    complete: bool = True,
    hits: tuple[Hit, ...] = (),
) -> ScanResult:
    """One result from detector evidence and guard verdicts, each with the place of its window (P55, P56)."""
    found = (*evidence, *guard_evidence(guard))
    overruled = [bool(bypassed) and (item.detector, evidence_hash(item)) in bypassed for item in found]
    counted = [item for item, out in zip(found, overruled, strict=True) if not out]
    weights: dict[str, float] = {}
    for item in counted:
        weights[item.family] = max(weights.get(item.family, 0.0), item.weight)
    return ScanResult(
        evidence=found,
        combined_score=combined(weights),
        injection_type=injection_type(weights),
        confidence=max(weights.values(), default=0.0),
        flagged_content=_flagged(counted),
        bypassed=tuple(sorted({item.detector for item, out in zip(found, overruled, strict=True) if out})),
        complete=complete,
        hits=hits,
    )


def guard_evidence(guard: Sequence[tuple[str, GuardVerdict]]) -> tuple[Evidence, ...]:
    """The highest injecting window as evidence, if it is sure enough to count (P56, HD5)."""
    sure = [(verdict.confidence, place, verdict.reason) for place, verdict in guard
            if verdict.is_injection and verdict.confidence >= GUARD_CONFIDENCE_MIN]
    if not sure:
        return ()
    confidence, place, reason = max(sure)
    return (Evidence(detector="guard_llm", family=Family.GUARD_LLM, weight=confidence, place=place,
                     snippet=reason[:SNIPPET_CHARACTERS_MAX]),)


def evidence_hash(evidence: Evidence) -> str:
    """A stable name for one hit on one mail; the guard words its reason anew each time, so only its place counts."""
    snippet = "" if evidence.family == Family.GUARD_LLM else evidence.snippet
    parts = (evidence.detector, evidence.place, evidence.source_message_id or "", snippet)
    return hashlib.sha256("\x1f".join(parts).encode(errors="replace")).hexdigest()[:32]


def injection_type(weights: dict[str, float]) -> str:
    """The family that names the whole: hidden_content, then the heaviest pattern family, then the guard (P57)."""
    if Family.HIDDEN_CONTENT in weights:
        return Family.HIDDEN_CONTENT
    patterns = {family: weight for family, weight in weights.items() if family != Family.GUARD_LLM}
    if patterns:
        return max(patterns, key=lambda family: patterns[family])
    return Family.GUARD_LLM if weights else ""


def _flagged(evidence: list[Evidence]) -> str:
    heaviest = sorted(evidence, key=lambda item: -item.weight)
    return " \u2026 ".join(dict.fromkeys(item.snippet for item in heaviest))[:FLAGGED_CHARACTERS_MAX]


def _scan_part(part: TextPart, text: str, hits: list[Hit]) -> bool:
    """Adds the hits of one part; False if some of its encoded runs went unread."""
    forms = forms_of(text, phrase_words())
    hits += _character_hits(part, text)
    complete = forms.complete
    for form in forms.forms:
        found, graded = _form_hits(part, text, form)
        hits += found
        complete = complete and graded
    return complete


def _character_hits(part: TextPart, text: str) -> Iterator[Hit]:
    """Invisible characters that are a hit by themselves, whatever they spell (P54)."""
    names = {
        "zero_width": zero_widths_in_words(text) >= IN_WORD_MIN,
        "tag_characters": has_tag_characters(text) or (part.reason == "characters" and "tag characters" in part.place),
    }
    for name, present in names.items():
        if present:
            snippet = _cut(text, 0, 0)
            yield Hit(_hidden_content(part, f"characters.{name}", snippet, RAW), 0, 0)


class _FormText:
    """One form as detectors need it: encoded, with offsets led back from bytes to characters in passing."""

    def __init__(self, form: Form) -> None:
        self.form, self.text = form, form.text
        self.encoded = form.text.encode(errors="replace")
        self.fences = code_fences(form.text)
        self._byte = self._character = 0

    def characters(self, offset: int) -> int:
        """The character offset of a byte offset; cheap as long as offsets mostly grow."""
        if len(self.encoded) == len(self.text):
            return offset
        if offset < self._byte:
            self._byte = self._character = 0
        self._character += len(self.encoded[self._byte:offset].decode(errors="replace"))
        self._byte = offset
        return self._character


def _form_hits(part: TextPart, text: str, form: Form) -> tuple[list[Hit], bool]:
    """The heaviest hits of each detector; False if there were too many matches to grade them all."""
    reading = _FormText(form)
    found: list[Hit] = []
    complete = True
    for detector, spans in matcher(joined=form.name == JOINED).matches(reading.encoded):
        graded: list[Hit] = []
        for first, last in islice(spans, MATCHES_MAX):
            start = reading.characters(first)
            end = start + _length(detector, reading.encoded[first:last])
            graded += _graded(part, text, reading, detector, start, end)
        complete = complete and next(spans, None) is None
        # Light hits in front must not crowd out a heavy one behind them.
        found += sorted(graded, key=lambda hit: -hit.evidence.weight)[:HITS_PER_DETECTOR_MAX]
    return found, complete


def _length(detector: Detector, encoded: bytes) -> int:
    """Characters of a match without the blanks and marks that a phrase takes in behind its last word."""
    match = encoded.decode(errors="replace")
    return len(match if detector.phrase.raw else match.rstrip(GAP_CHARACTERS))


def _graded(
    part: TextPart, text: str, reading: _FormText, detector: Detector, start: int, end: int
) -> Iterator[Hit]:
    """The evidence of one match: its own family, and hidden_content if no reader would have seen it."""
    form = reading.form
    unseen = part.hidden or form.name == DECODED
    quoted = not unseen and (part.quoted or is_quoted(form.text, start, end, reading.fences))
    band = _band(detector, form.text, start, end, quoted)
    if band is None:
        return
    origin_start, origin_end = form.origin(start, end)
    snippet = _cut(form.text, start, end) if form.base is not None else _cut(text, origin_start, origin_end)
    evidence = Evidence(
        detector=detector.id, family=detector.phrase.family, weight=WEIGHTS[band], place=part.place, snippet=snippet,
        language=detector.language, form=form.name, quoted=quoted, source_message_id=part.source_message_id,
    )
    yield Hit(evidence, origin_start, origin_end)
    if unseen and not detector.phrase.everyday:
        how = "decoded" if form.name == DECODED else "hidden"
        yield Hit(_hidden_content(part, f"hidden_content.{how}", snippet, form.name), origin_start, origin_end)


def _band(detector: Detector, text: str, start: int, end: int, quoted: bool) -> Band | None:
    before = text[max(0, start - 60):start].encode(errors="replace")
    after = text[end:end + 120].encode(errors="replace")
    if detector.not_before is not None and detector.not_before.search(before):
        return None
    if detector.not_after is not None and detector.not_after.search(after):
        return None
    band: Band | None = detector.phrase.band
    if detector.softened_by is not None and detector.softened_by.search(after):
        band = one_lower(detector.phrase.band)
    return one_lower(band) if quoted and band is not None else band


def _hidden_content(part: TextPart, detector: str, snippet: str, form: str) -> Evidence:
    return Evidence(
        detector=detector, family=Family.HIDDEN_CONTENT, weight=HIDDEN_CONTENT_WEIGHT, place=part.place,
        snippet=snippet, form=form, source_message_id=part.source_message_id,
    )


def _cut(text: str, start: int, end: int) -> str:
    """The hit with some text around it, on one line, at most 200 characters."""
    room = max(0, SNIPPET_CHARACTERS_MAX - (end - start)) // 2
    lead = min(room, CONTEXT_CHARACTERS)
    return " ".join(text[max(0, start - lead):end + lead].split())[:SNIPPET_CHARACTERS_MAX]
