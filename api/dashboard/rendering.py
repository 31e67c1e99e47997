"""Templates and the headers of every page, which let nothing else in (HU1). Values are escaped by the templates themselves."""

from pathlib import Path
from typing import Any
from uuid import uuid4

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from api.dashboard.icons import icon
from api.dashboard.words import Words

FOLDER = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}

templates = Environment(
    loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
    lstrip_blocks=True,
)  # fmt: skip


def hidden(**fields: Any) -> Markup:
    """Hidden fields of a form."""
    return Markup("").join(Markup('<input type="hidden" name="{}" value="{}">').format(k, v) for k, v in fields.items())


templates.globals.update(icon=icon, hidden=hidden, request_id=lambda: str(uuid4()))


def respond(name: str, words: Words, status: int, **values: Any) -> HTMLResponse:
    """A template with the headers of a page."""
    return HTMLResponse(templates.get_template(name).render(t=words, **values), status, headers=HEADERS)


def bare(name: str, words: Words, status: int = 200, **values: Any) -> HTMLResponse:
    """A page outside the frame: signing in, and errors without a session."""
    return respond(name, words, status, scheme="", **values)
