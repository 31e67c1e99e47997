"""A few sentences on what a file holds, for whoever looks for it later (P62)."""

from contracts.llm import Prompt

PURPOSE = (
    "You summarize the block file, which a customer sent to a support team, in at most three sentences in its own "
    "language. Say what it is and what it states; add nothing, judge nothing. Plain text alone."
)


def summarize_prompt(text: str) -> Prompt:
    """The summary call; the file travels in a block."""
    return Prompt(trusted=PURPOSE, untrusted=(("file", text),))
