"""From a prompt in two voices to chat messages: ours as system, third parties' as user, in blocks (HW1)."""

from dataclasses import dataclass

from adapters.llm.blocks import encodable, new_marker, wrap_all
from contracts.llm import Prompt
from domain.prompts.rules import DATA_RULE, paragraphs

_GO = "Give your answer now."


@dataclass(frozen=True, slots=True)
class Messages:
    """The two messages of one call."""

    system: str
    user: str

    def as_chat(self) -> list[dict[str, str]]:
        """The `messages` of a chat completion."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]


def messages_for(prompt: Prompt, *notes: str) -> Messages:
    """The messages of one call under a fresh marker; `notes` are further sentences of ours, such as a schema."""
    if not prompt.untrusted:
        return Messages(encodable(paragraphs(prompt.trusted, *notes)), _GO)
    marker = new_marker()
    rule = DATA_RULE.format(marker=marker)
    system = encodable(paragraphs(prompt.trusted, rule, *notes))
    return Messages(system, wrap_all(prompt.untrusted, marker))
