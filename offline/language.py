"""Which of our four languages a text is in, by its small words; a model for this would cost 80 MiB more."""

import re
from functools import cache

from offline.words import cue_lists, folded

LANGUAGES = ("en", "de", "fr", "es")
_SIGNS = {"de": re.compile("[äöüß]"), "fr": re.compile("[çœêèàùîôû]"), "es": re.compile("[ñ¿¡áíóú]")}
_SIGN_WEIGHT = 0.5
_SIGNS_COUNTED = 6
_CHARS_READ = 4000
LEAST_EVIDENCE = 1.0


def language_of(text: str, fallback: str = "en") -> str:
    """`en`, `de`, `fr` or `es`; the fallback where the text gives too little to go by."""
    scores = _scores(text[:_CHARS_READ])
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] >= LEAST_EVIDENCE else fallback


def _scores(text: str) -> dict[str, float]:
    words, low, small = folded(text).split(), text.casefold(), _small_words()
    return {
        language: sum(word in small[language] for word in words) + _signs(low, language) for language in LANGUAGES
    }


@cache
def _small_words() -> dict[str, frozenset[str]]:
    return {language: frozenset(cues) for language, cues in cue_lists("small_words.json").items()}


def _signs(low: str, language: str) -> float:
    """Letters only this language has; a few of them say enough."""
    pattern = _SIGNS.get(language)
    found = len(pattern.findall(low)) if pattern else 0
    return min(found, _SIGNS_COUNTED) * _SIGN_WEIGHT
