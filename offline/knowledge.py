"""Which of the team's own sentences answer what was asked: by nearness of meaning, with a measured least nearness."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offline.embedder import Embedder, Vectors
from offline.head import trained
from offline.sentences import sentences_of

MOST_ENTRIES = 3
WHOLE_ENTRY_CHARS = 400
_MOST_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class Support:
    """What knowledge gives: passages in the order of the questions, and which questions stay open."""

    passages: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()


def support_for(questions: Sequence[str], entries: Sequence[str], embedder: Embedder) -> Support:
    """The passages near each question; a question with nothing near it stays open."""
    if not questions or not entries:
        return Support(open_questions=tuple(questions))
    near = nearness(questions, entries, embedder)
    best = [(int(row.argmax()), float(row.max())) for row in near]
    sure = trained().knowledge_cosine
    used = list(dict.fromkeys(entry for entry, cosine in best if cosine >= sure))[:MOST_ENTRIES]
    left = tuple(q for q, (entry, cosine) in zip(questions, best, strict=True) if cosine < sure or entry not in used)
    asked = {entry: [q for q, (e, _) in zip(questions, best, strict=True) if e == entry] for entry in used}
    return Support(tuple(_passage(entries[entry], asked[entry], embedder) for entry in used), left)


def nearness(questions: Sequence[str], entries: Sequence[str], embedder: Embedder) -> Vectors:
    """One row per question, one column per entry: the mean of its cosine to the entry and to the entry's title."""
    asked, whole = embedder.vectors(questions), embedder.vectors(entries)
    titles = embedder.vectors([entry.removesuffix(without_title(entry)).strip() or entry for entry in entries])
    found: Vectors = asked @ ((whole + titles) * np.float32(0.5)).T
    return found


def _passage(entry: str, questions: list[str], embedder: Embedder) -> str:
    """The entry without its title, of a long one the sentences nearest to the questions, in the entry's order."""
    text = without_title(entry)
    if len(text) <= WHOLE_ENTRY_CHARS:
        return text
    sentences = sentences_of(text)
    near = (embedder.vectors(sentences) @ embedder.vectors(questions).T).max(axis=1)
    chosen = sorted(int(place) for place in near.argsort()[::-1][:_MOST_SENTENCES])
    return " ".join(sentences[place] for place in chosen)


def without_title(entry: str) -> str:
    """The text of an entry of the form `Title: text`; a title is short, on the first line and no sentence."""
    title, colon, text = entry.partition(": ")
    titled = colon and len(title) <= 80 and "\n" not in title and not any(sign in title for sign in ".!?")
    return text.strip() if titled and text.strip() else entry.strip()
