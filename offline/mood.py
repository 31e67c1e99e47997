"""Priority and sentiment from cue words. Both are weak: they follow the strong words of four languages and no more."""

from offline.briefing import Mail
from offline.features import CUES_FILE, cue_counts
from offline.words import cue_lists, folded, matches


def priority_of(mail: Mail, category: str) -> str:
    """`urgent` only on strong cues, never for spam, whose own hurry is a trick; `low` if the sender says so."""
    if category == "spam":
        return "low"
    words, cues = folded(f"{mail.subject} {mail.body}"), cue_lists(CUES_FILE)
    if matches(words, cues["unhurried"]):
        return "low"
    return "urgent" if matches(_unconditional(words), cues["urgent"]) else "normal"


def _unconditional(words: str) -> str:
    """The words without phrases that name a hurry only to set it aside, as every out-of-office reply does."""
    for phrase in cue_lists("acts.json")["conditional_hurry"]:
        words = words.replace(f" {phrase} ", " | ")
    return words


def sentiment_of(mail: Mail, category: str) -> str:
    """`negative` for complaints and angry words, `positive` where glad words stand alone, else `neutral`."""
    text = f"{mail.subject} {mail.body}"
    anger = cue_counts(text)["anger"]
    glad = matches(folded(text), cue_lists(CUES_FILE)["glad"])
    if category == "complaint" or anger > glad:
        return "negative"
    return "positive" if glad and not anger else "neutral"
