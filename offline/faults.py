"""Errors in the shape OpenAI clients read: a status, and a body with message, type, param and code."""

from typing import Any


class EndpointError(Exception):
    """An answer other than 200. No message repeats words of a request, which may be mail."""

    def __init__(self, status: int, code: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.param = status, code, message, param

    def body(self) -> dict[str, Any]:
        """The JSON body."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


def malformed(message: str, param: str | None = None) -> EndpointError:
    """400: the request cannot be read."""
    return EndpointError(400, "invalid_request", message, param)


def unknown_model(models: tuple[str, ...]) -> EndpointError:
    """404: the model is none of ours."""
    return EndpointError(404, "model_not_found", f"No such model here; there are {', '.join(models)}.", "model")


def too_long(limit: str) -> EndpointError:
    """413: the request is larger than the endpoint reads."""
    return EndpointError(413, "request_too_large", f"The request is longer than {limit}.")


def unsupported(what: str, param: str) -> EndpointError:
    """422: well formed, but nothing this endpoint can do."""
    advice = "name a model endpoint that can"
    return EndpointError(422, "unsupported", f"The offline endpoint cannot {what}; {advice}.", param)


def unavailable(message: str) -> EndpointError:
    """503: the endpoint lacks something it needs."""
    return EndpointError(503, "unavailable", message)
