"""Everything at and below /webhooks, in front of the framework: no redirect, form parser or 404 of its own can reach
a sender (RC2)."""

import re
from typing import Any

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.webhooks.door import unavailable
from api.webhooks.metrics import OUTCOMES

ROOT = "/webhooks"
RAW = "raw/"
_SOURCE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

log = structlog.get_logger("webhook")


class WebhooksFirst:
    """Answers what belongs to /webhooks by itself and hands on the rest. The reader lives in `app.state.reader`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        rest = _below_root(scope)
        if rest is None:
            await self.app(scope, receive, send)
            return
        response = await _answer(Request(scope, receive), rest, scope["app"])
        await response(scope, receive, send)


def _below_root(scope: Scope) -> str | None:
    if scope["type"] != "http":
        return None
    path = scope["path"]
    return path[len(ROOT) + 1 :] if path == ROOT or path.startswith(f"{ROOT}/") else None


async def _answer(request: Request, rest: str, app: Any) -> Response:
    source, kind = _source(rest)
    if source is not None:
        return await app.state.reader.receive(request, source, kind)
    if request.method != "POST":
        return Response(status_code=405, headers={"Allow": "POST"})
    log.warning("unknown path below /webhooks; correct the address at the sender", path=rest[:80])
    OUTCOMES.labels("none", "503", "unknown_path").inc()
    return unavailable()


def _source(rest: str) -> tuple[str | None, str]:
    """The source a path names, and the kind it must have; None for a path nobody configured."""
    if rest == "mta":
        return "mta", "mta"
    name = rest.removeprefix(RAW)
    return (name if rest.startswith(RAW) and _SOURCE_NAME.fullmatch(name) else None), "raw"
