"""Other ways to answer, for a reviewer who is offered a draft of low confidence (P77)."""

from contracts.llm import Prompt
from domain.prompts.draft import language_line, signature_line, tone_line
from domain.prompts.rules import GROUNDING_RULE, paragraphs

PURPOSE = (
    "You offer a reviewer other ways to answer the message under [CURRENT MESSAGE]. The block draft holds the reply "
    "already written. Give two complete replies that differ from it and from each other in what they do, for example "
    "asking back instead of answering, or answering only what is certain; not merely in wording. Each is plain text "
    "with greeting and closing, no subject line, no headers, no recipients, no quoted mail, no placeholders."
)


def options_prompt(
    context_text: str,
    draft: str,
    *,
    tone: str | None = None,
    signature: str | None = None,
    language: str | None = None,
) -> Prompt:
    """The options call; context and draft travel in blocks."""
    trusted = paragraphs(PURPOSE, GROUNDING_RULE, tone_line(tone), language_line(language), signature_line(signature))
    return Prompt(trusted=trusted, untrusted=(("context", context_text), ("draft", draft)))
