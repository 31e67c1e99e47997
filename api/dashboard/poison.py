"""The poison lane: mail that could not be read or is for nobody of ours, until a person decides (P119a)."""

from typing import Any
from uuid import UUID

from starlette.responses import Response

from api.dashboard.actions import carried_out
from api.dashboard.frame import show
from api.dashboard.visit import Visit
from api.desk import Desk
from api.errors import not_found
from api.poison import AgainBody, DeliverBody, deliver_to, parse_again

PAGE = 25


async def poison_page(visit: Visit) -> Response:
    """What lies there, newest first."""
    cursor = visit.request.query_params.get("after", "")
    async with visit.services.database.transaction(visit.mailboxes) as tx:
        rows = await tx.rows("api_poison", _id(cursor), PAGE + 1)
    more = str(rows[PAGE - 1]["id"]) if len(rows) > PAGE else ""
    return await show(visit, "poison.html", rows=rows[:PAGE], more=more, lane="poison", stay=visit.here)


def _id(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None


async def act_on_poison(visit: Visit) -> Response:
    """Parse again, or deliver to a mailbox."""
    action, message_id = visit.request.path_params["action"], visit.path_id("message_id")
    if action not in ("parse_again", "deliver_to"):
        raise not_found("action")

    async def work(desk: Desk) -> None:
        request_id = visit.form.get("request_id") or None
        if action == "parse_again":
            await parse_again(message_id, desk, AgainBody(request_id=request_id))
            return
        mailbox: Any = visit.form.get("mailbox_id")
        await deliver_to(message_id, DeliverBody(mailbox_id=mailbox, request_id=request_id), desk)

    return await carried_out(visit, action, work)
