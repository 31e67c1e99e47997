"""What a message is about, in closed enums; unknown words from a model become `unspecified` before they reach a
prompt."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract


class Category(StrEnum):
    SUPPORT = "support"
    SALES = "sales"
    BILLING = "billing"
    FEATURE_REQUEST = "feature_request"
    COMPLAINT = "complaint"
    SPAM = "spam"
    INTERNAL = "internal"
    OTHER = "other"


class Priority(StrEnum):
    URGENT = "urgent"
    NORMAL = "normal"
    LOW = "low"


class Sentiment(StrEnum):
    POSITIVE = "positive"
    NEUTRAL = "neutral"
    NEGATIVE = "negative"


class IntentKind(StrEnum):
    QUESTION = "question"
    COMPLAINT = "complaint"
    REQUEST = "request"
    INFORMATION = "information"
    ESCALATION = "escalation"
    ACKNOWLEDGMENT = "acknowledgment"


class Intent(Contract):
    """One thing the sender wants; `key` is stable within the message, `label` at most 120 characters."""

    key: str = Field(max_length=40, pattern=r"^[a-z0-9_-]+$")
    intent: IntentKind
    confidence: float = Field(ge=0, le=1)
    label: str = Field(max_length=120)


class Classification(Contract):
    """Exactly one per message (P68)."""

    category: Category
    priority: Priority
    sentiment: Sentiment
    intent: IntentKind
    confidence: float = Field(ge=0, le=1)


class ClassifyAnswer(Contract):
    """The structured answer a classify call must give; 17 intents are invalid (P69)."""

    category: Category
    priority: Priority
    sentiment: Sentiment
    intent: IntentKind
    confidence: float = Field(ge=0, le=1)
    intents: tuple[Intent, ...] = Field(min_length=1, max_length=16)


class GuardVerdict(Contract):
    """The structured answer of one guard window (P56). `reason` is shown to people and goes nowhere else."""

    is_injection: bool
    confidence: float = Field(ge=0, le=1)
    reason: str = Field(max_length=400)


class SelfCheck(Contract):
    """The structured answer of the self-check (P75)."""

    score: float = Field(ge=0, le=1)
    complete: bool
    flags: tuple[str, ...] = Field(default=(), max_length=12)


class DraftOptions(Contract):
    """Alternative reply texts for a low-confidence draft (P77)."""

    options: tuple[str, ...] = Field(min_length=1, max_length=3)
