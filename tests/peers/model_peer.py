"""A chat-completions endpoint on loopback that answers at once or as scripted, cheap enough to benchmark with.

It speaks HTTP itself over asyncio and httptools: a framework would cost more per call than the code under test.
"""

import argparse
import asyncio
import contextlib
import hashlib
import re
import signal
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any, Self

import orjson

from tests.peers.model_behaviour import Behaviour, Call, Drips, Fails, Says, Sends, http_response
from tests.peers.model_connection import Connection, Response

Value = Mapping[str, Any] | str | Behaviour
Answering = Value | Callable[[Call], Value]

EMBEDDING_DIMENSIONS = 512
_STRENGTH = ("none", "json_object", "json_schema")
_NAMED = re.compile(r"one JSON object named ([a-z_]+)")

INTENT = {"key": "order-status", "intent": "question", "confidence": 0.9, "label": "asks where the order is"}
DEFAULT_ANSWERS: Mapping[str, Answering] = {
    "classify_answer": {
        "category": "support",
        "priority": "normal",
        "sentiment": "neutral",
        "intent": "question",
        "confidence": 0.93,
        "intents": [INTENT],
    },
    "guard_verdict": {"is_injection": False, "confidence": 0.97, "reason": "An ordinary question."},
    "self_check": {"score": 0.92, "complete": True, "flags": []},
    "draft_options": {"options": ["Hello,\n\nwhich order do you mean?\n", "Hello,\n\nwe will look into it.\n"]},
    "draft_answer": {"reply": "Hello,\n\nthank you for asking. We will look into it.\n", "language": "en"},
    "extract_answer": {"claims": []},
    "": "Here is what you asked for.",
}


class ModelPeer:
    """The endpoint as an async context manager. `calls` holds every chat and embedding request in order of arrival.

    `structured` is the strongest response format it takes; `declines` names parameters it answers with a 400,
    `models` is what it lists, `models_body` what it sends instead of a list.
    """

    def __init__(self, *, port: int = 0, keep_calls: bool = True, delay_s: float = 0.0) -> None:
        self.calls: list[Call] = []
        self.counts: Counter[str] = Counter()
        self.models: list[str] = ["gpt-4o-mini", "gpt-4o"]
        self.models_body: Behaviour | None = None
        self.structured = "json_schema"
        self.declines: set[str] = set()
        self.fingerprint = "fp_peer"
        self.keep_calls = keep_calls
        self.delay_s = delay_s
        self._port = port
        self._answers: dict[str, Answering] = dict(DEFAULT_ANSWERS)
        self._script: deque[Behaviour] = deque()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.BaseTransport] = set()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for transport in list(self._connections):
            transport.close()

    @property
    def base_url(self) -> str:
        """The LLM_BASE_URL to set."""
        return f"http://127.0.0.1:{self._port}/v1"

    def answer(self, schema_name: str, value: Answering | None = None) -> Answering:
        """Set what a schema is answered with (empty name: free text), and return it.

        A value is an object, a raw text, a behaviour, or a function from the call to one of these.
        """
        if value is not None:
            self._answers[schema_name] = value
        return self._answers[schema_name]

    def script(self, *behaviours: Behaviour) -> None:
        """What the next calls get, in order, before answers apply again."""
        self._script.extend(behaviours)

    def calls_of(self, schema_name: str) -> list[Call]:
        """The calls that asked for one schema."""
        return [call for call in self.calls if call.schema_name == schema_name]

    def handle(self, path: str, headers: Mapping[str, str], raw: bytes) -> Response:
        """The response to one request."""
        name = path.rpartition("/v1")[2]
        if name == "/models":
            return Response(self._listed())
        if name == "/counts":
            return Response(http_response(200, orjson.dumps(dict(self.counts))))
        if name not in ("/chat/completions", "/embeddings"):
            return Response(http_response(404, b"{}"))
        call = _call(name, orjson.loads(raw), headers)
        self._note(call)
        behaviour = self._behaviour(call)
        sent = behaviour.respond(call, self.fingerprint)
        return Response(sent, behaviour.closes, behaviour.pause_s if isinstance(behaviour, Drips) else 0.0)

    def _listed(self) -> bytes | None:
        if self.models_body is not None:
            return self.models_body.respond(Call("/models", {}, {}), self.fingerprint)
        listed = {"object": "list", "data": [_model(model) for model in self.models]}
        return http_response(200, orjson.dumps(listed))

    def _note(self, call: Call) -> None:
        self.counts[call.schema_name or call.path] += 1
        if self.keep_calls:
            self.calls.append(call)

    def _behaviour(self, call: Call) -> Behaviour:
        if self._script:
            return self._script.popleft()
        if call.path == "/embeddings":
            return _embeddings(call)
        return self._declined(call) or _behaviour_of(self._answers.get(call.schema_name, _unknown(call)), call)

    def _declined(self, call: Call) -> Behaviour | None:
        if _STRENGTH.index(call.structured) > _STRENGTH.index(self.structured):
            return Fails(400, f"'response_format' of type '{call.structured}' is not supported with this model.")
        named = next((name for name in sorted(self.declines) if name in call.body), None)
        return Fails(400, f"Unsupported parameter: '{named}'.", "unsupported_parameter", named) if named else None

    def opened(self, transport: asyncio.BaseTransport) -> None:
        """Note a connection, to close it at the end."""
        self._connections.add(transport)

    def closed(self, transport: asyncio.BaseTransport) -> None:
        """Forget a connection."""
        self._connections.discard(transport)


def _call(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Call:
    schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
    if not schema and path == "/chat/completions":
        named = _NAMED.search(str(body["messages"][0]["content"]))
        schema = named[1] if named else ""
    return Call(path, body, headers, schema)


def _behaviour_of(answering: Answering, call: Call) -> Behaviour:
    value = answering(call) if callable(answering) else answering
    if isinstance(value, Mapping):
        return Says(orjson.dumps(value).decode())
    return Says(value) if isinstance(value, str) else value


def _unknown(call: Call) -> Behaviour:
    return Fails(500, f"this peer has no answer for {call.schema_name!r}")


def _embeddings(call: Call) -> Behaviour:
    """Vectors that depend on the text alone, so that equal texts are near and different ones are not."""
    texts = [call.body["input"]] if isinstance(call.body["input"], str) else call.body["input"]
    entries = [{"object": "embedding", "index": i, "embedding": _vector(text)} for i, text in enumerate(texts)]
    usage = {"prompt_tokens": 7 * len(texts), "total_tokens": 7 * len(texts)}
    return Sends(orjson.dumps({"object": "list", "data": entries, "model": call.body["model"], "usage": usage}))


def _vector(text: str) -> list[float]:
    digest = hashlib.shake_128(text.encode()).digest(EMBEDDING_DIMENSIONS)
    return [(byte - 127.5) / 127.5 for byte in digest]


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1, "owned_by": "peer"}


async def _serve(port: int, delay_s: float) -> None:
    """Serve until asked to end; counts, not calls, are kept, and read at `GET /v1/counts`."""
    end = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, end.set)
    async with ModelPeer(port=port, keep_calls=False, delay_s=delay_s) as peer:
        print(peer.base_url, flush=True)
        await end.wait()


def main() -> None:
    """Run as a process of its own: `python -m tests.peers.model_peer --port N [--delay-ms N]`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay-ms", type=float, default=0.0)
    chosen = parser.parse_args()
    with contextlib.suppress(ImportError):
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    asyncio.run(_serve(chosen.port, chosen.delay_ms / 1000))


if __name__ == "__main__":
    main()
