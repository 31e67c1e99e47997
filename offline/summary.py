"""A summary by picking: the sentences nearest to the middle of a text, in their order and their own words."""

from offline.embedder import Embedder
from offline.sentences import sentences_of

_SENTENCES = 3
_LEAST_CHARS = 20


def summary_of(text: str, embedder: Embedder) -> str:
    """At most three sentences of the text; the text itself if it has no more."""
    sentences = list(dict.fromkeys(s for s in sentences_of(text) if len(s) >= _LEAST_CHARS)) or sentences_of(text)
    if len(sentences) <= _SENTENCES:
        return " ".join(sentences)
    rows = embedder.vectors(sentences)
    near = rows @ rows.mean(axis=0)
    chosen = sorted(int(place) for place in near.argsort()[::-1][:_SENTENCES])
    return " ".join(sentences[place] for place in chosen)
