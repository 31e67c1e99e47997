"""What a mail says of its sender, in its own words: whole sentences in the first person, never a guess."""

import re
from typing import Any

from offline.sentences import message_sentences

_MOST = 4
_LEAST_CHARS, _MOST_CHARS = 20, 300
_CONFIDENCE = 0.5
# Blanks around it: `my`, `wir` and `mon` as words of their own.
_OWN_VOICE = re.compile(
    r"\b(?:i|i'm|i've|we|we're|we've|my|our|ich|wir|mein|meine|meinen|unser|unsere|je|j'ai|nous|mon|ma|mes|notre|nos|"
    r"mi|mis|nuestro|nuestra|yo|nosotros|tengo|tenemos|vivo|compré|compramos)\b",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"\b(?:please|could you|can you|would you|want you|bitte|können sie|könnten sie|s'il vous plaît|pourriez|pouvez|"
    r"por favor|podría|puede)\b",
    re.IGNORECASE,
)


def claims_in(mail: str) -> list[dict[str, Any]]:
    """At most four claims, each a sentence of the mail; questions and requests are none."""
    found = [" ".join(sentence.split()) for sentence in message_sentences(mail)]
    return [
        {"type": "fact", "title": "", "content": sentence, "confidence": _CONFIDENCE}
        for sentence in dict.fromkeys(found)
        if _LEAST_CHARS <= len(sentence) <= _MOST_CHARS and _is_claim(sentence)
    ][:_MOST]


def _is_claim(sentence: str) -> bool:
    if sentence.rstrip().endswith("?") or _WANTS.search(sentence):
        return False
    return _OWN_VOICE.search(sentence) is not None
