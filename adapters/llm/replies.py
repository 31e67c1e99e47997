"""Reading a completion without trusting its shape: endpoints differ, and a proxy may answer in HTML."""

from dataclasses import dataclass
from typing import Any

from adapters.llm.blocks import encodable
from adapters.llm.faults import MalformedCompletion
from adapters.llm.ledger import OFFLINE_FINGERPRINT, Tokens, estimated_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back with status 200; `cut` means the answer hit its length limit."""

    text: str
    refused: bool
    cut: bool
    tokens: Tokens
    offline: bool


def reply_of(completion: object, sent_text: str) -> Reply:
    """The reply in a completion, its tokens estimated where the endpoint reports none. Raises MalformedCompletion."""
    choice = _first_choice(completion)
    message = getattr(choice, "message", None)
    if message is None:
        raise MalformedCompletion
    text = encodable(_text(getattr(message, "content", None)))
    finish = getattr(choice, "finish_reason", None)
    return Reply(
        text=text,
        refused=bool(getattr(message, "refusal", None)) or finish == "content_filter",
        cut=finish == "length",
        tokens=_tokens(getattr(completion, "usage", None), sent_text, text),
        offline=getattr(completion, "system_fingerprint", None) == OFFLINE_FINGERPRINT,
    )


def _first_choice(completion: object) -> object:
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise MalformedCompletion
    return choices[0]


def _text(content: Any) -> str:
    """Content as text; some endpoints send a list of parts, of which those that hold thinking have no `text`."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _tokens(usage: object, sent_text: str, text: str) -> Tokens:
    reported_in, reported_out = count_of(usage, "prompt_tokens"), count_of(usage, "completion_tokens")
    if reported_in is None or reported_out is None:
        return Tokens(estimated_tokens(sent_text), estimated_tokens(text), estimated=True)
    return Tokens(reported_in, reported_out)


def count_of(usage: object, name: str) -> int | None:
    """A token count the endpoint reported, None if it is missing or no count."""
    count = getattr(usage, name, None)
    return count if isinstance(count, int) and count >= 0 else None
