"""What the steps of the filled-in messages are said to have found."""

from contracts.classification import Category, Classification, Intent, IntentKind, Priority, Sentiment
from contracts.outputs import ClassifyOutput, ContextOutput, DraftOutput, GroundingSource, RouteOutput, ScanOutput
from contracts.security import Evidence, SecurityFlags

PASSAGE = "Parcels take three to five days. A damaged item is replaced at no cost within thirty days of its arrival."
CONTEXT = ContextOutput(
    text="[CURRENT MESSAGE]\nsee the mail", tier="normal", token_count=120,
    sources=(GroundingSource(id="K1", kind="knowledge", title="Parcels and damage", text=PASSAGE),),
)  # fmt: skip
CLASSIFIED = ClassifyOutput(
    classification=Classification(
        category=Category.SUPPORT, priority=Priority.NORMAL, sentiment=Sentiment.NEUTRAL, intent=IntentKind.QUESTION,
        confidence=0.9,
    ),
    intents=(Intent(key="main", intent=IntentKind.QUESTION, confidence=0.9, label="a question about an order"),),
)  # fmt: skip


def scanned() -> ScanOutput:
    """Nothing found."""
    return ScanOutput(flags=SecurityFlags())


def quarantined() -> ScanOutput:
    """One strong sign of an injected instruction."""
    hit = Evidence(detector="en.override", family="override", weight=0.85, place="text", snippet="ignore all rules")
    return ScanOutput(
        flags=SecurityFlags(injection_detected=True, injection_type="override", confidence=0.85, evidence=(hit,))
    )


def draft(number: int) -> DraftOutput:
    """A reply, with a confidence from 0.50 to 0.95."""
    text = f"Hello,\n\nthank you for your mail about order {100_000 + number}. {PASSAGE}\n\nKind regards\nSupport"
    return DraftOutput(text=text, subject="Re: your order", confidence=0.50 + number % 10 * 0.05)


def routed() -> RouteOutput:
    """To a person."""
    return RouteOutput(outcome="human_review", stage="fallback", reason="auto_reply_off")
