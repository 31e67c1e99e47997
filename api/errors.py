"""Every error the API answers with has one shape: a stable word for programs and a plain sentence for people.

No error repeats what was sent: bodies hold mail and drafts, and errors end up in logs (HU10).
"""

from collections.abc import Mapping
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from contracts.errors import DeskhandError, TransientFault

RETRY_AFTER_S = 5
WORDS = {
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("too_large", "The request is larger than this API takes."),
}

log = structlog.get_logger("api")


class ApiError(Exception):
    """An answer other than success. `extra` joins the JSON body."""

    def __init__(
        self, code: int, error: str, message: str, *, headers: Mapping[str, str] | None = None, **extra: Any
    ) -> None:
        super().__init__(message)
        self.code = code
        self.error = error
        self.message = message
        self.headers = headers
        self.extra = extra

    def response(self) -> JSONResponse:
        """The answer itself."""
        content = {"error": self.error, "message": self.message, **self.extra}
        return JSONResponse(content, self.code, headers=dict(self.headers or {}))


def not_found(what: str = "message") -> ApiError:
    """404, the same for what never was and what belongs to others (HU8)."""
    return ApiError(404, "not_found", f"There is no such {what}.")


def invalid(field: str, message: str) -> ApiError:
    """422 naming the field."""
    return ApiError(422, "invalid", f"{field}: {message}", fields=[{"field": field, "message": message}])


def unavailable(message: str, **extra: Any) -> ApiError:
    """503 with Retry-After; nothing is half done, the same request may be repeated."""
    return ApiError(503, "unavailable", message, headers={"Retry-After": str(RETRY_AFTER_S)}, **extra)


def install(app: FastAPI) -> None:
    """Registers the handlers."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(DeskhandError, _deskhand)
    app.add_exception_handler(Exception, _unforeseen)


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return error.response()


async def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    fields = [{"field": _path(e["loc"]), "message": str(e["msg"])} for e in error.errors()[:20]]
    first = fields[0] if fields else {"field": "body", "message": "invalid"}
    return ApiError(422, "invalid", f"{first['field']}: {first['message']}", fields=fields).response()


def _path(location: Any) -> str:
    parts = [str(part) for part in location]
    return ".".join(parts[1:] if len(parts) > 1 and parts[0] in ("body", "path", "query", "header") else parts)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 400:
        return ApiError(422, "invalid", "The body cannot be read as JSON.").response()
    word, message = WORDS.get(error.status_code, ("refused", "The request was refused."))
    return ApiError(error.status_code, word, message, headers=error.headers).response()


async def _deskhand(request: Request, error: Exception) -> Response:
    log.warning("request failed", path=request.url.path, reason=type(error).__name__)
    if isinstance(error, TransientFault):
        return unavailable("The database does not answer right now. Try again in a few seconds.").response()
    return ApiError(500, "fault", "Something is wrong with this installation; its log says more.").response()


async def _unforeseen(request: Request, error: Exception) -> Response:
    log.error("unforeseen", path=request.url.path, reason=type(error).__name__)
    return ApiError(500, "unforeseen", "Something went wrong here that nobody foresaw; it is in the log.").response()
