"""Attachments leave as downloads of one harmless type, at addresses that soon stop working; nothing is ever shown in
place (HU4)."""

import hashlib
import hmac
import time
from urllib.parse import quote
from uuid import UUID

from starlette.responses import Response

from adapters.blobs import BlobStore
from api.dashboard.visit import Visit
from api.errors import ApiError, not_found
from api.messages import raw as raw_mail
from api.services import Services

GOOD_FOR_S = 900


def file_address(services: Services, session: str, message_id: UUID, n: int) -> str:
    """Where to fetch an attachment for the next quarter of an hour, in this session only."""
    until = int(time.time()) + GOOD_FOR_S
    return f"/dashboard/files/{message_id}/{n}?until={until}&mark={_mark(services, session, message_id, n, until)}"


def _mark(services: Services, session: str, message_id: UUID, n: int, until: int) -> str:
    text = f"{session}/{message_id}/{n}/{until}".encode()
    return hmac.new(services.keyring.derive("file"), text, hashlib.sha256).hexdigest()


async def attachment(visit: Visit) -> Response:
    """One attachment."""
    message_id, n = visit.path_id("message_id"), int(visit.request.path_params["n"])
    until = visit.request.query_params.get("until", "")
    if not (until.isascii() and until.isdigit() and len(until) < 12 and int(until) >= time.time()):
        raise ApiError(403, "expired", visit.words("file.expired"))
    expected = _mark(visit.services, visit.session.id_hash, message_id, n, int(until))
    if not hmac.compare_digest(visit.request.query_params.get("mark", "").encode(), expected.encode()):
        raise ApiError(403, "expired", visit.words("file.expired"))
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        row = await tx.one("dashboard_file", message_id, n)
        content = await BlobStore().get(tx, row["organisation_id"], row["sha256"]) if row else None
    if row is None or content is None:
        raise not_found("file")
    headers = {
        "content-disposition": f"attachment; filename=\"file\"; filename*=UTF-8''{quote(row['name'], safe='')}",
        "content-security-policy": "sandbox; default-src 'none'", "x-content-type-options": "nosniff",
        "cache-control": "no-store",
    }  # fmt: skip
    return Response(content, media_type="application/octet-stream", headers=headers)


async def raw(visit: Visit) -> Response:
    """A mail as its bytes came in, to save."""
    return await raw_mail(visit.path_id("message_id"), visit.services, visit.who)
