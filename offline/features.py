"""A mail as numbers: what the encoder makes of it as a whole and by sentence, and which cue words it holds."""

from collections.abc import Sequence

import numpy as np

from offline.briefing import Mail
from offline.embedder import Embedder, Vectors
from offline.sentences import message_sentences
from offline.words import cue_lists, folded, matches

CUES_FILE = "cues.json"
NOT_TOPICS = frozenset({"urgent", "unhurried", "glad"})
CUE_SCALE = 0.6
_CUES_COUNTED = 3
_FIRST_PIECES, _LAST_PIECES = 24, 6
_WHOLE_CHARS = 3000


def pieces_of(mail: Mail) -> list[str]:
    """Subject and sentences; of a long mail the beginning and the end. At least one piece."""
    found = message_sentences(mail.body)
    if len(found) > _FIRST_PIECES + _LAST_PIECES:
        found = found[:_FIRST_PIECES] + found[-_LAST_PIECES:]
    subject = mail.subject.strip()
    named = [] if subject.startswith("(") else [subject]
    return [piece for piece in [*named, *found] if piece] or ["-"]


def features_of(mails: Sequence[Mail], embedder: Embedder) -> Vectors:
    """One row per mail: whole text, mean of its pieces, and cue counts."""
    return np.stack([_row(pieces_of(mail), embedder) for mail in mails])


def cue_counts(text: str) -> dict[str, int]:
    """How many different cues of each topic a text holds."""
    words = folded(text)
    return {group: matches(words, cues) for group, cues in cue_lists(CUES_FILE).items() if group not in NOT_TOPICS}


def _row(pieces: list[str], embedder: Embedder) -> Vectors:
    whole = ". ".join(pieces)
    vectors = embedder.vectors([whole[:_WHOLE_CHARS], *pieces])
    counts = np.array([min(n, _CUES_COUNTED) for n in cue_counts(whole).values()], np.float32)
    return np.concatenate([vectors[0], vectors[1:].mean(0), counts * (CUE_SCALE / _CUES_COUNTED)])
