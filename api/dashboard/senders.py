"""Blocked senders on the pages: block with a reason, look at the list, let one in again (P119)."""

from typing import Any

from starlette.responses import Response

from api.acts import ArchiveBody
from api.dashboard.actions import carried_out
from api.dashboard.frame import show
from api.dashboard.visit import Visit, as_id
from api.desk import Desk
from api.senders import BlockBody, SenderDesk, UnblockBody


async def blocked_page(visit: Visit) -> Response:
    """Everybody who is blocked, with reason, person and time."""
    after = visit.request.query_params.get("after", "")
    page = await SenderDesk(visit.services, visit.who).blocked(list(visit.mailboxes), after)
    return await show(visit, "blocked.html", page=page, stay=visit.here)


async def block(visit: Visit) -> Response:
    """Blocks the sender of a message, or an address in a mailbox; archives the message where that was ticked."""
    message = visit.form.get("message_id")
    fields: dict[str, Any] = {"reason": visit.form.get("reason")}
    if message:
        fields["message_id"] = as_id(message)
    else:
        fields |= {"mailbox_id": visit.form.get("mailbox_id"), "address": visit.form.get("address").strip()}

    async def work(desk: Desk) -> None:
        await SenderDesk(visit.services, visit.who).block(BlockBody(**fields))
        if message and visit.form.get("archive") == "yes":
            request_id = visit.form.get("request_id") or None
            await desk.act(as_id(message), "archive", ArchiveBody(block_sender=True, request_id=request_id))

    return await carried_out(visit, "block", work)


async def unblock(visit: Visit) -> Response:
    """Lets a sender in again."""

    async def work(_: Desk) -> None:
        body = UnblockBody(mailbox_id=as_id(visit.form.get("mailbox_id")), address=visit.form.get("address"))
        await SenderDesk(visit.services, visit.who).unblock(body)

    return await carried_out(visit, "unblock", work)
