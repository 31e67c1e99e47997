"""How much a draft asks of its reviewer, in three words (P116)."""

from collections.abc import Mapping
from typing import Any, Final

READY: Final = "ready"
LOOK: Final = "worth a look"
NEEDS_YOU: Final = "needs you"
READY_FROM: Final = 0.80
LOOK_FROM: Final = 0.60
AUTOMATIC: Final = {"A": "automatic mail", "B": "maybe automatic mail"}


def trust_word(confidence: float | None, flagged: bool, has_draft: bool) -> str:
    """0.80 and more without a flag is ready, 0.60 and more is worth a look; the rest, and no draft, needs a person."""
    if not has_draft or confidence is None or confidence < LOOK_FROM:
        return NEEDS_YOU
    return READY if confidence >= READY_FROM and not flagged else LOOK


def flags_of(detail: Mapping[str, Any]) -> tuple[str, ...]:
    """Everything the API flags about a message and its current draft, each once."""
    draft, work, flags = detail["draft"] or {}, detail["work"] or {}, detail["flags"]
    found = [
        *(flags.get("content_flags") or ()),
        *(AUTOMATIC[each] for each in (flags.get("automatic_class"),) if each in AUTOMATIC),
        *((draft.get("quality") or {}).get("flags") or ()),
        *(f"without {gap}" for gap in work.get("context_gaps") or ()),
        *((detail["recipients"] or {}).get("confirm") or ()),
        *(each["detector"] for each in current_findings(detail)),
    ]
    return tuple(dict.fromkeys(found))


def current_findings(detail: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What the scan of outgoing text found in the current draft (P98a)."""
    revision = (detail["draft"] or {}).get("revision")
    return [each for each in detail["findings"] if each["revision"] == revision]


def word_of(detail: Mapping[str, Any]) -> str:
    """The trust word of a message as the API shows it."""
    draft = detail["draft"] or {}
    return trust_word(draft.get("confidence"), bool(flags_of(detail)), draft.get("text") is not None)
