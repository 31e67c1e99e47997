"""One mail into the closed words of a classification, with a confidence that means what it says (P68, P69)."""

from typing import Any

import numpy as np

from offline.briefing import Mail
from offline.embedder import Embedder
from offline.features import features_of
from offline.head import trained
from offline.intents import overall_kind, wants_of
from offline.mood import priority_of, sentiment_of

ABSTAINED, SPAM = "other", "spam"
_MOST_DOUBT = 0.49
_DIGITS = 3


class Classifier:
    """Answers classify calls. `margin` is the lead the first category must have, by default the measured one."""

    def __init__(self, embedder: Embedder, margin: float | None = None) -> None:
        self._embedder = embedder
        self._margin = margin

    def answer(self, mail: Mail) -> dict[str, Any]:
        """The fields of a classify answer; what the mail says about itself counts like any other of its words."""
        category, confidence = self.category(mail)
        wants = wants_of(mail, category, self._embedder)
        return {
            "category": category,
            "priority": priority_of(mail, category),
            "sentiment": sentiment_of(mail, category),
            "intent": overall_kind(mail, category, wants),
            "confidence": confidence,
            "intents": [
                {"key": want.key, "intent": want.kind, "confidence": want.confidence, "label": want.label}
                for want in wants
            ],
        }

    def category(self, mail: Mail) -> tuple[str, float]:
        """The category and its probability; without a clear winner `other` below 0.5.

        Spam is archived unread, so it must be surer than anything else.
        """
        head = trained().category
        shares = head.probabilities(features_of([mail], self._embedder))[0]
        second, first = np.argsort(shares)[-2:]
        margin = head.margin if self._margin is None else self._margin
        doubtful = head.names[first] == SPAM and shares[first] < trained().spam_least
        if shares[first] - shares[second] < margin or (doubtful and self._margin is None):
            return ABSTAINED, round(min(float(shares[first]), _MOST_DOUBT), _DIGITS)
        return head.names[first], round(float(shares[first]), _DIGITS)
