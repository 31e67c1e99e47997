"""All phrases of all packs as one linear-time matcher: a filter says which may hit, their patterns say where (HX5)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import re2

from domain.detect.packs import PACKS
from domain.detect.phrases import GAP, Pack, Phrase, pattern_of, vocabulary
from domain.text.fold import fold

PATTERN_MEMORY_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Detector:
    """One compiled phrase of one language; `id` is stable and names language and phrase."""

    id: str
    language: str
    phrase: Phrase
    pattern: "re2._Regexp"
    not_before: "re2._Regexp | None"
    not_after: "re2._Regexp | None"
    softened_by: "re2._Regexp | None"


@dataclass(frozen=True, slots=True)
class Matcher:
    """Detectors with the filter that tells, by the words they need, which of them are worth asking for a place."""

    detectors: tuple[Detector, ...]
    prefilter: re2.Filter

    def matches(self, text: bytes) -> Iterator[tuple[Detector, Iterator[tuple[int, int]]]]:
        """Each detector that may hit, with the byte spans of its matches in UTF-8 `text`, in order."""
        for index in sorted(self.prefilter.Match(text, potential=True) or ()):
            detector = self.detectors[index]
            yield detector, ((match.start(), match.end()) for match in detector.pattern.finditer(text))


@cache
def matcher(*, joined: bool = False) -> Matcher:
    """The matcher over all packs; `joined` for letters that lost their blanks."""
    detectors = tuple(_detector(pack, phrase, joined) for pack in PACKS for phrase in pack.phrases
                      if not (joined and phrase.raw))
    prefilter = re2.Filter()
    for detector in detectors:
        prefilter.Add(detector.pattern.pattern, _options())
    prefilter.Compile()
    return Matcher(detectors, prefilter)


@cache
def reporting() -> "re2._Regexp":
    """Words of telling, quoting and warning in any language, within the sentence that leads up to a hit."""
    words = [re2.escape(fold(word)) for pack in PACKS for word in pack.reporting]
    return _compiled(rf"\b(?:{'|'.join(words)})\b[^.!?\n]*$")


@cache
def phrase_words() -> frozenset[str]:
    """The words of all packs, for undoing digit-for-letter swaps."""
    return vocabulary(PACKS)


def _detector(pack: Pack, phrase: Phrase, joined: bool) -> Detector:
    forms = phrase.forms if phrase.raw else [pattern_of(form, pack.words, joined=joined) for form in phrase.forms]
    return Detector(
        id=f"{pack.language or 'any'}.{phrase.id}", language=pack.language, phrase=phrase,
        pattern=_compiled("(?:" + "|".join(forms) + ")"),
        not_before=_compiled(f"(?:{phrase.not_before})$") if phrase.not_before else None,
        not_after=_compiled(rf"^{GAP}(?:{phrase.not_after})") if phrase.not_after else None,
        softened_by=_compiled(rf"^{GAP}(?:{phrase.softened_by})") if phrase.softened_by else None,
    )


def _compiled(pattern: str) -> "re2._Regexp":
    return re2.compile(pattern.encode(), _options())


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    options.max_mem = PATTERN_MEMORY_BYTES
    return options
