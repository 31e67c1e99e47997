"""How much a person changed before sending, in words, is what the whole autonomy statistic rests on (P83, P88)."""

import re
import unicodedata

from rapidfuzz.distance import Levenshtein

MATCHED_SIMILARITY = 0.95

# Scripts written without blanks are compared letter by letter; everything else by what stands between blanks.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\s{_UNSPACED}]+")


def word_similarity(drafted: str, sent: str) -> float:
    """1 minus the share of words that were added, removed or replaced, in [0, 1]; differences in blanks do not
    count."""
    return Levenshtein.normalized_similarity(_words(drafted), _words(sent))


def is_materially_edited(drafted: str, sent: str) -> bool:
    """True if the sent text is less than 0.95 similar to the draft: the feedback `edited` (P88, A86)."""
    return word_similarity(drafted, sent) < MATCHED_SIMILARITY


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text))
