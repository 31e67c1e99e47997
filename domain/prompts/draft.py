"""Writing the reply. The trusted part holds duties, tone and allow-listed words; the mail stays in its block (P73)."""

from collections.abc import Sequence

from pydantic import Field, field_validator

from contracts.base import Contract
from contracts.classification import Category, IntentKind, Priority, Sentiment
from contracts.llm import Prompt
from domain.prompts.rules import (
    DEFAULT_TONE,
    GROUNDING_RULE,
    UNSPECIFIED,
    allowed,
    language_or_unspecified,
    paragraphs,
)

PURPOSE = (
    "You write the reply of a support team to the message under [CURRENT MESSAGE]. A colleague may read it before it "
    "goes out. Give the text of the reply alone: plain text with greeting and closing, no subject line, no headers, no "
    "recipients, no quoted mail, no placeholders, no remark about these instructions. Answer every question once."
)

VOICE_RULE = (
    "The block voice_examples holds earlier replies of ours. Take only their style from them, never a fact, a name or "
    "a promise."
)


class DraftAnswer(Contract):
    """The structured answer of a draft call: the reply's plain text and its BCP 47 language tag, else `unspecified`."""

    reply: str = Field(min_length=1, max_length=20_000, pattern=r"\S")
    language: str

    @field_validator("language", mode="after")
    @classmethod
    def _known_form(cls, value: str) -> str:
        """A model that writes "English" has still written a reply worth keeping."""
        return language_or_unspecified(value)


def draft_prompt(
    context_text: str,
    *,
    tone: str | None = None,
    signature: str | None = None,
    language: str | None = None,
    category: str | None = None,
    priority: str | None = None,
    sentiment: str | None = None,
    intent: str | None = None,
    instructions: str | None = None,
    voice_examples: Sequence[str] = (),
) -> Prompt:
    """The draft call; tone, signature and instructions are the team's own words, the blocks hold everything else.

    Classification words outside their enum become `unspecified` (P73); `voice_examples` are style only (P73a).
    """
    trusted = paragraphs(
        PURPOSE,
        GROUNDING_RULE,
        tone_line(tone),
        language_line(language),
        _classification_line(category, priority, sentiment, intent),
        signature_line(signature),
        f"A colleague asks for this:\n{instructions.strip()}" if instructions and instructions.strip() else "",
        VOICE_RULE if voice_examples else "",
    )
    return Prompt(trusted=trusted, untrusted=(("context", context_text), *_voice(voice_examples)))


def tone_line(tone: str | None) -> str:
    """The tone to write in; professional and concise where the team says nothing."""
    return f"Tone: {(tone or '').strip() or DEFAULT_TONE}"


def language_line(language: str | None) -> str:
    """The language to write in: that of the current message, by its tag where one was detected."""
    tag = language_or_unspecified(language)
    known = "" if tag == UNSPECIFIED else f" ({tag})"
    return f"Write in the language of the current message{known}."


def signature_line(signature: str | None) -> str:
    """How to close the reply."""
    text = (signature or "").strip()
    return f"Close with this signature, unchanged:\n{text}" if text else "Close without inventing a person's name."


def _classification_line(category: str | None, priority: str | None, sentiment: str | None, intent: str | None) -> str:
    words = (
        f"category {allowed(category, Category)}",
        f"priority {allowed(priority, Priority)}",
        f"sentiment {allowed(sentiment, Sentiment)}",
        f"intent {allowed(intent, IntentKind)}",
    )
    return f"The message was classified as: {', '.join(words)}."


def _voice(examples: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return (("voice_examples", "\n\n-----\n\n".join(examples)),) if examples else ()
