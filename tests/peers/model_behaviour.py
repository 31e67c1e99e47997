"""What a scripted model endpoint can do to one call; each behaviour turns a call into the bytes of an HTTP response."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

OFFLINE_FINGERPRINT = "deskhand-offline"


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it arrived; `schema_name` is empty for free text."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    schema_name: str = ""

    def message(self, role: str) -> str:
        """The text of the messages of one role."""
        return "\n".join(m["content"] for m in self.body.get("messages", ()) if m["role"] == role)

    @property
    def structured(self) -> str:
        """The kind of response format asked for, `none` without one."""
        return str(self.body.get("response_format", {}).get("type", "none"))


class Behaviour(Protocol):
    """What to do with one call: bytes to send, None to stay silent; `closes` hangs up afterwards."""

    @property
    def closes(self) -> bool: ...

    def respond(self, call: Call, fingerprint: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class Says:
    """An assistant message; every part of the completion that matters to a client can be set."""

    content: Any
    finish_reason: str = "stop"
    refusal: str | None = None
    fingerprint: str | None = None
    usage: Any = field(default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120})
    closes: bool = False

    def respond(self, call: Call, fingerprint: str) -> bytes | None:
        """A chat completion."""
        message = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        completion = {
            "id": "chatcmpl-peer",
            "object": "chat.completion",
            "created": 1,
            "model": call.body.get("model", ""),
            "system_fingerprint": self.fingerprint or fingerprint,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
            "usage": self.usage,
        }
        return http_response(200, orjson.dumps(completion))


@dataclass(frozen=True, slots=True)
class Fails:
    """An HTTP error in the form OpenAI gives it."""

    status: int
    message: str = "no"
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    closes: bool = False

    def respond(self, call: Call, fingerprint: str) -> bytes | None:
        """An error body under the status."""
        error = {"message": self.message, "type": "error", "code": self.code, "param": self.param}
        return http_response(self.status, orjson.dumps({"error": error}), self.headers)


@dataclass(frozen=True, slots=True)
class Sends:
    """Any body at all, such as the HTML of a proxy or JSON that ends too soon."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200
    closes: bool = False

    def respond(self, call: Call, fingerprint: str) -> bytes | None:
        """The body as it is."""
        return http_response(self.status, self.body, {"content-type": self.content_type})


@dataclass(frozen=True, slots=True)
class Hangs:
    """Takes the request and never answers."""

    closes: bool = False

    def respond(self, call: Call, fingerprint: str) -> bytes | None:
        """Nothing."""
        return None


@dataclass(frozen=True, slots=True)
class Drips(Says):
    """An assistant message sent one byte at a time, with a pause after each."""

    pause_s: float = 0.02


@dataclass(frozen=True, slots=True)
class HangsUp:
    """Closes the connection, after so many bytes of an answer."""

    after_bytes: int = 0
    closes: bool = True

    def respond(self, call: Call, fingerprint: str) -> bytes | None:
        """The head of an answer."""
        return (Says("cut off").respond(call, fingerprint) or b"")[: self.after_bytes]


def http_response(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """A complete HTTP/1.1 response that keeps the connection."""
    named = {"content-type": "application/json", "content-length": str(len(body))} | dict(headers or {})
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + body
