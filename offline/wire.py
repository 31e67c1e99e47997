"""The request bodies of the protocol, as far as this endpoint reads them, and the bodies of its answers."""

import time
import uuid
from typing import Any, Literal, TypeVar

import orjson
from pydantic import BaseModel, Field, ValidationError

from offline.faults import EndpointError, malformed
from offline.tokens import token_count

FINGERPRINT = "deskhand-offline"
MOST_CHARACTERS = 400_000
_MOST_MESSAGES = 200
_MOST_INPUTS = 2048

M = TypeVar("M", bound=BaseModel)


class TextPart(BaseModel):
    """A content part; only text can be read."""

    type: Literal["text"]
    text: str


class Message(BaseModel):
    """One chat message."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[TextPart] | None = None

    @property
    def text(self) -> str:
        """The content as one text."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class JsonSchema(BaseModel):
    """A named schema of a response format."""

    name: str = ""
    schema_: dict[str, Any] = Field(default_factory=dict, alias="schema")


class ResponseFormat(BaseModel):
    """The wanted form of the answer."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StreamOptions(BaseModel):
    """What a stream carries besides text."""

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A chat completion request. Sampling parameters are accepted and change nothing: the answers are deterministic."""

    model: str
    messages: list[Message] = Field(min_length=1, max_length=_MOST_MESSAGES)
    response_format: ResponseFormat | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    n: int | None = Field(default=None, ge=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    tools: list[dict[str, Any]] | None = None

    @property
    def system(self) -> str:
        """The trusted text: system and developer messages."""
        return "\n\n".join(message.text for message in self.messages if message.role in ("system", "developer"))

    @property
    def user(self) -> str:
        """The text of the user messages, one after the other."""
        return "\n".join(message.text for message in self.messages if message.role == "user")

    @property
    def limit_tokens(self) -> int | None:
        """The most tokens the answer may have."""
        return self.max_completion_tokens or self.max_tokens


class EmbeddingsRequest(BaseModel):
    """An embeddings request."""

    model: str
    input: str | list[str] = Field(min_length=1)
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None

    @property
    def texts(self) -> list[str]:
        """The texts in order."""
        return [self.input] if isinstance(self.input, str) else self.input[: _MOST_INPUTS + 1]


def read(body: bytes, form: type[M]) -> M:
    """A request body as its model. Raises EndpointError 400, naming the field and never its content."""
    try:
        return form.model_validate(orjson.loads(body))
    except orjson.JSONDecodeError:
        raise malformed("The body is no JSON.") from None
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"][:6])
        raise malformed("A field is missing or has the wrong form.", place[:100] or None) from None


def check_inputs(request: EmbeddingsRequest, dimensions: int) -> None:
    """Raises EndpointError for too many or empty texts and for another number of dimensions."""
    if len(request.texts) > _MOST_INPUTS or not all(request.texts):
        raise malformed(f"Give 1 to {_MOST_INPUTS} texts, none of them empty.", "input")
    if request.dimensions not in (None, dimensions):
        raise EndpointError(422, "unsupported", f"This model has {dimensions} dimensions.", "dimensions")


def usage_of(prompt: int, completion: int) -> dict[str, int]:
    """Token counts of one call."""
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def completion_of(request: ChatRequest, text: str) -> dict[str, Any]:
    """The body of a chat completion; a text beyond the token limit is cut and says so."""
    kept, cut = cut_to(text, request.limit_tokens)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": kept, "refusal": None},
        "logprobs": None,
        "finish_reason": "length" if cut else "stop",
    }
    prompt = sum(token_count(message.text) for message in request.messages)
    usage = usage_of(prompt, token_count(kept))
    return {**_head("chat.completion", request.model), "choices": [choice], "usage": usage}


def chunks_of(request: ChatRequest, completion: dict[str, Any]) -> list[dict[str, Any]]:
    """The same completion as stream chunks: the text, its end, and the usage where it was asked for."""
    head = {**completion, "object": "chat.completion.chunk", "usage": None}
    choice = completion["choices"][0]
    said = {"index": 0, "delta": {"role": "assistant", "content": choice["message"]["content"]}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks = [{**head, "choices": [said]}, {**head, "choices": [end]}]
    wants_usage = request.stream_options is not None and request.stream_options.include_usage
    return [*chunks, {**head, "choices": [], "usage": completion["usage"]}] if wants_usage else chunks


def cut_to(text: str, limit_tokens: int | None) -> tuple[str, bool]:
    """The text within a token limit, and whether it was cut; found by halving."""
    if limit_tokens is None or token_count(text) <= limit_tokens:
        return text, False
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if token_count(text[:middle]) <= limit_tokens else (low, middle - 1)
    return text[:low], True


def _head(kind: str, model: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
        "system_fingerprint": FINGERPRINT,
    }
