"""The language of what the sender wrote anew, chosen among the languages of the mailbox only (MI18)."""

import re
from functools import lru_cache

from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]
from py3langid.modelio import load_model  # type: ignore[import-untyped]

SAMPLE_CHARS = 10_000
MIN_LETTERS = 3
_NOT_WORDS = re.compile(r"\S{0,80}(?:://|@)\S{0,200}|[0-9_]+")


@lru_cache(maxsize=1)
def _model() -> tuple:  # type: ignore[type-arg]
    return load_model(MODEL_DIR / MODEL_FILE)


@lru_cache(maxsize=32)
def _identifier(languages: tuple[str, ...]) -> LanguageIdentifier | None:
    features, priors, classes, moves, rows, outputs = _model()
    found = LanguageIdentifier(features, priors, classes, moves, outputs, norm_probs=True, tk_row=rows)
    known = [language for language in languages if language in found.labels]
    if not known:
        return None
    found.set_languages(known)
    return found


def detect_language(text: str, languages: tuple[str, ...]) -> str:
    """The ISO 639-1 code of `text` among `languages`, or "" if it holds too little to tell. Deterministic."""
    words = " ".join(_NOT_WORDS.sub(" ", text[:SAMPLE_CHARS]).split())
    identifier = _identifier(languages)
    if identifier is None or sum(map(str.isalpha, words)) < MIN_LETTERS:
        return ""
    ranked = identifier.rank(words)
    tied = len(ranked) > 1 and ranked[0][1] <= ranked[1][1]
    return "" if tied else str(ranked[0][0])
