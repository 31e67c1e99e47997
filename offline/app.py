"""The HTTP face of the endpoint: three routes of the chat-completions protocol, and errors its clients understand."""

import base64
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from offline.embedder import DIMENSIONS, Embedder
from offline.faults import EndpointError, malformed, too_long, unknown_model
from offline.tasks import Tasks
from offline.tokens import token_count
from offline.wire import (
    FINGERPRINT,
    MOST_CHARACTERS,
    ChatRequest,
    EmbeddingsRequest,
    check_inputs,
    chunks_of,
    completion_of,
    read,
    usage_of,
)

FAST, CAPABLE, EMBED = "deskhand-offline-fast", "deskhand-offline-capable", "use-multilingual-v3"
CHAT_MODELS = (FAST, CAPABLE)
MOST_BYTES = 4 * 1024 * 1024
_RELEASED = 1_700_000_000
T = TypeVar("T")


def create_app(margin: float | None = None) -> FastAPI:
    """The endpoint; `margin` overrides the measured lead below which a classification abstains."""
    embedder = Embedder()
    desk = _Desk(embedder, Tasks(embedder, margin))
    app = FastAPI(title="Deskhand offline model", lifespan=_warming(embedder), openapi_url=None)
    app.add_exception_handler(EndpointError, _shaped)
    app.add_exception_handler(HTTPException, _shaped_http)
    app.add_exception_handler(Exception, _failed)
    app.add_api_route("/", _home, methods=["GET"])
    app.add_api_route("/v1/models", _models, methods=["GET"])
    app.add_api_route("/v1/models/{name}", _model, methods=["GET"])
    app.add_api_route("/v1/chat/completions", desk.chat, methods=["POST"], response_model=None)
    app.add_api_route("/v1/embeddings", desk.embeddings, methods=["POST"], response_model=None)
    return app


class _Desk:
    """The routes that think. One request thinks at a time: the model has no use for more, and memory stays flat."""

    def __init__(self, embedder: Embedder, tasks: Tasks) -> None:
        self._embedder, self._tasks = embedder, tasks
        self._turn = threading.Lock()

    async def chat(self, request: Request) -> Response:
        asked = read(await _body(request), ChatRequest)
        if asked.model not in CHAT_MODELS:
            raise unknown_model(CHAT_MODELS)
        if sum(len(message.text) for message in asked.messages) > MOST_CHARACTERS:
            raise too_long(f"{MOST_CHARACTERS} characters")
        completion = await self._alone(lambda: completion_of(asked, self._tasks.answer(asked)))
        if asked.stream:
            return StreamingResponse(_events(chunks_of(asked, completion)), media_type="text/event-stream")
        return _json(completion)

    async def embeddings(self, request: Request) -> Response:
        asked = read(await _body(request), EmbeddingsRequest)
        if asked.model != EMBED:
            raise unknown_model((EMBED,))
        check_inputs(asked, DIMENSIONS)
        return _json(await self._alone(lambda: self._embedded(asked)))

    def _embedded(self, asked: EmbeddingsRequest) -> dict[str, Any]:
        rows = self._embedder.vectors(asked.texts)
        plain = asked.encoding_format == "float"
        vectors = rows.tolist() if plain else [base64.b64encode(row.tobytes()).decode() for row in rows]
        data = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        tokens = usage_of(sum(map(token_count, asked.texts)), 0)
        del tokens["completion_tokens"]
        return {"object": "list", "model": EMBED, "data": data, "usage": tokens, "system_fingerprint": FINGERPRINT}

    async def _alone(self, work: Callable[[], T]) -> T:
        def in_turn() -> T:
            with self._turn:
                return work()

        return await run_in_threadpool(in_turn)


def _warming(embedder: Embedder) -> Callable[[FastAPI], Any]:
    """The model loads beside the first requests instead of before them."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        threading.Thread(target=embedder.load, name="load-model", daemon=True).start()
        yield

    return lifespan


async def _home() -> Response:
    return _json({"service": FINGERPRINT, "models": [*CHAT_MODELS, EMBED]})


async def _models() -> Response:
    return _json({"object": "list", "data": [_card(name) for name in (*CHAT_MODELS, EMBED)]})


async def _model(name: str) -> Response:
    if name not in (*CHAT_MODELS, EMBED):
        raise unknown_model((*CHAT_MODELS, EMBED))
    return _json(_card(name))


def _card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _RELEASED, "owned_by": "deskhand"}


async def _body(request: Request) -> bytes:
    """The body, read no further than the limit. Raises EndpointError 413."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise too_long(f"{MOST_BYTES} bytes")
        parts.append(part)
    return b"".join(parts)


def _events(chunks: list[dict[str, Any]]) -> Iterator[bytes]:
    for chunk in chunks:
        yield b"data: " + orjson.dumps(chunk) + b"\n\n"
    yield b"data: [DONE]\n\n"


def _json(body: dict[str, Any]) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")


async def _shaped(request: Request, error: Exception) -> Response:
    fault = error if isinstance(error, EndpointError) else malformed("The request cannot be read.")
    return JSONResponse(fault.body(), fault.status)


async def _failed(request: Request, error: Exception) -> Response:
    return JSONResponse(EndpointError(500, "internal_error", "The offline endpoint failed.").body(), 500)


async def _shaped_http(request: Request, error: Exception) -> Response:
    """An unknown path or method, in the same shape as every other error."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    return JSONResponse(EndpointError(status, "no_such_route", "There is no such route here.").body(), status)
