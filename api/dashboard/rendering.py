"""Templates and the headers of every page, which let nothing else in (HU1). Values are escaped by the templates
themselves."""

from pathlib import Path
from typing import Any
from uuid import uuid4

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from api.dashboard.assets import asset
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


BIDI = {
    0x200E: "LRM", 0x200F: "RLM", 0x061C: "ALM", 0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO",
    0x202E: "RLO", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0x00: "NUL",
}  # fmt: skip
# Mail programs break lines between column 66 and 78 (RFC 5322 2.1.1 recommends 78).
FEWEST, BROKEN_AT, MOST = 50, 66, 80
SEEN = {code: f"\u27e6{name}\u27e7" for code, name in BIDI.items()}


def seen(text: Any) -> str:
    """Text of a stranger with its direction marks as words, so that nothing reads other than it is (HU3)."""
    return str(text or "").translate(SEEN)


def reflowed(text: str) -> str:
    """Lines that a mail program broke, because the next word did not fit, made whole again; short ones stay."""
    lines = text.split("\n")
    whole = lines[:1]
    for before, line in zip(lines, lines[1:], strict=False):
        first = line.split(" ", 1)[0]
        if (
            FEWEST < len(before.rstrip()) <= MOST
            and first[:1].isalnum()
            and len(before.rstrip()) + 1 + len(first) > BROKEN_AT
        ):
            whole[-1] = f"{whole[-1].rstrip()} {line}"
        else:
            whole.append(line)
    return "\n".join(whole)


def size(count: int) -> str:
    """A number of bytes with its unit."""
    return (
        f"{count} B"
        if count < 1024
        else f"{count / 1024:.0f} kB"
        if count < 1024 * 1024
        else f"{count / 1048576:.1f} MB"
    )


templates.filters.update(seen=seen, size=size, reflowed=reflowed)
templates.globals.update(icon=icon, asset=asset, hidden=hidden, request_id=lambda: str(uuid4()))


def respond(name: str, words: Words, status: int, **values: Any) -> HTMLResponse:
    """A template with the headers of a page."""
    return HTMLResponse(templates.get_template(name).render(t=words, **values), status, headers=HEADERS)


def bare(name: str, words: Words, status: int = 200, **values: Any) -> HTMLResponse:
    """A page outside the frame: signing in, and errors without a session."""
    return respond(name, words, status, scheme="", **values)
