"""Style sheet, scripts and the page of keys: files of our own, read once, with an address that changes with their
content."""

import hashlib
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

FOLDER = Path(__file__).with_name("static")
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}
FOR_A_YEAR = "public, max-age=31536000, immutable"


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    return {f.name: (f.read_bytes(), KINDS[f.suffix]) for f in FOLDER.iterdir() if f.suffix in KINDS}


@cache
def asset(name: str) -> str:
    """The address of a file."""
    return f"/dashboard/static/{name}?v={hashlib.sha256(_files()[name][0]).hexdigest()[:12]}"


async def static(request: Request) -> Response:
    """One file."""
    found = _files().get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("There is no such file.", 404)
    headers = {"cache-control": FOR_A_YEAR, "x-content-type-options": "nosniff"}
    return Response(found[0], media_type=found[1], headers=headers)
