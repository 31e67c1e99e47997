"""The API described: error answers that every endpoint shares, and a page of our own that needs nothing from
elsewhere."""

from html import escape
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import HTMLResponse

from api.pages_frame import page


class Problem(BaseModel):
    """Every error: a stable word, a plain sentence, and whatever else helps."""

    model_config = ConfigDict(extra="allow")

    error: str
    message: str


def _says(text: str) -> dict[str, Any]:
    return {"model": Problem, "description": text}


GUARDED: dict[int | str, dict[str, Any]] = {
    401: _says("No valid API token."),
    403: _says("The token lacks the scope, or the person the role."),
    404: _says("Unknown, or of somebody else."),
    413: _says("The request is too large."),
    422: _says("A field is wrong; the answer names it."),
    503: _says("Nothing answered; nothing is half done. Repeat after `Retry-After` seconds."),
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    **GUARDED,
    409: _says("Refused: `result` says why, `status`, `by` and `at` what is there now."),
    503: _says("No worker answered; repeat with the same request id."),
}


def install(app: FastAPI) -> None:
    """Adds /docs."""

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        """Every endpoint with its fields, without a script."""
        return page("API", _endpoints(app.openapi()))


def _endpoints(schema: dict[str, Any]) -> str:
    parts = [
        "<h1>API of Deskhand</h1>",
        "<p>Send <code>Authorization: Bearer dh_…</code>. As a file: <a href='/openapi.json'>openapi.json</a>. "
        "Actions take a request id (header <code>Idempotency-Key</code> or field <code>request_id</code>): the same id "
        "gives the same answer.</p>",
    ]
    for path, methods in schema["paths"].items():
        parts += [_endpoint(path, method, about, schema) for method, about in methods.items()]
    return "\n".join(parts)


def _endpoint(path: str, method: str, about: dict[str, Any], schema: dict[str, Any]) -> str:
    fields = _parameters(about) + _body(about, schema)
    rows = "".join(
        f"<tr><td><code>{escape(n)}</code></td><td>{escape(t)}</td><td>{escape(d)}</td></tr>" for n, t, d in fields
    )
    table = f"<table><tr><th>Field</th><th>Type</th><th></th></tr>{rows}</table>" if rows else ""
    title = f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
    return f"<section>{title}<p>{escape(about.get('description', ''))}</p>{table}</section>"


def _parameters(about: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(p["name"], _type(p.get("schema", {})), f"in {p['in']}") for p in about.get("parameters", [])]


def _body(about: dict[str, Any], schema: dict[str, Any]) -> list[tuple[str, str, str]]:
    content = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    model = _resolved(content, schema)
    required = model.get("required", [])
    return [
        (name, _type(field), "required" if name in required else "optional")
        for name, field in model.get("properties", {}).items()
    ]


def _resolved(content: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    choices = [content, *content.get("anyOf", [])]
    name = next((c["$ref"].rpartition("/")[2] for c in choices if "$ref" in c), None)
    found: dict[str, Any] = schema["components"]["schemas"].get(name, {}) if name else {}
    return found


def _type(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_type(f) for f in field["anyOf"])
    if "enum" in field:
        return " | ".join(map(str, field["enum"]))
    return str(field.get("format") or field.get("type") or field.get("$ref", "").rpartition("/")[2])
