"""Pictures that a mail brought along, for the frame of that mail and nothing else.

The frame has no origin, so a browser sends it no cookie. The address itself says for which session, picture and how
long it is good, sealed with a key of ours; it is dead once the session is. Only what is a picture by its bytes is
served.
"""

import hashlib
import hmac
import re
import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from adapters.blobs import BlobStore
from adapters.postgres import Transaction
from api.dashboard import sessions
from api.dashboard.visit import Visit
from api.services import Services
from contracts.errors import DatabaseFault

GOOD_FOR_S = 900
MOST_PICTURES = 50
LARGEST_BYTES = 8 * 1024 * 1024
# By the first bytes: never SVG, which can hold scripts, nor anything a browser would have to guess at.
SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
HEADERS = {
    "content-security-policy": "sandbox; default-src 'none'", "x-content-type-options": "nosniff",
    "content-disposition": "inline", "referrer-policy": "no-referrer", "cache-control": "private, no-store",
    "cross-origin-resource-policy": "cross-origin",
}  # fmt: skip


async def picture_addresses(visit: Visit, tx: Transaction, message_id: UUID) -> Mapping[str, str]:
    """Our address of each picture of a mail by its Content-ID; the first of two with one id."""
    rows = await tx.rows("desk_inline", message_id)
    fitting = [r for r in rows if r["sniffed_type"] in SIGNATURES and r["size_bytes"] <= LARGEST_BYTES][:MOST_PICTURES]
    return {r["content_id"]: _address(visit, message_id, r["n"]) for r in reversed(fitting)}


def _address(visit: Visit, message_id: UUID, n: int) -> str:
    until, session = int(time.time()) + GOOD_FOR_S, visit.session.id_hash
    mark = _mark(visit.services, session, message_id, n, until)
    return f"/dashboard/pictures/{message_id}/{n}/{until}/{session}/{mark}"


def _mark(services: Services, session: str, message_id: UUID, n: int, until: int) -> str:
    text = f"{session}/{message_id}/{n}/{until}".encode()
    return hmac.new(services.keyring.derive("picture"), text, hashlib.sha256).hexdigest()


async def picture(request: Request) -> Response:
    """One picture; the same short refusal for everything that is wrong with an address."""
    services: Services = request.app.state.services
    try:
        content = await _content(services, request.path_params)
    except (ValueError, DatabaseFault):
        content = None
    kind = kind_of(content) if content else None
    if content is None or kind is None:
        return PlainTextResponse("There is no such picture.", 404)
    return Response(content, media_type=kind, headers=HEADERS)


async def _content(services: Services, named: Mapping[str, Any]) -> bytes | None:
    message_id, n, until, asked = UUID(named["message_id"]), named["n"], named["until"], str(named["session"])
    expected = _mark(services, asked, message_id, n, until)
    if until < time.time() or not hmac.compare_digest(str(named["mark"]).encode(), expected.encode()):
        return None
    session = await sessions.known(services, asked)
    if session is None:
        return None
    async with services.database.transaction(session.who.mailboxes) as tx:
        row = await tx.one("desk_picture", message_id, n)
        if row is None or row["size_bytes"] > LARGEST_BYTES or row["sniffed_type"] not in SIGNATURES:
            return None
        return await BlobStore().get(tx, row["organisation_id"], row["sha256"])


def kind_of(content: bytes) -> str | None:
    """What picture these bytes begin as; None for everything else."""
    return next((kind for kind, pattern in SIGNATURES.items() if pattern.match(content[:16])), None)
