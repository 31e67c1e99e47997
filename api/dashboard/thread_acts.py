"""What people do with a conversation itself: own it, put it off, end it, note something, and be seen looking at it
(P115, P121)."""

from typing import Any, get_args
from uuid import UUID

from starlette.responses import Response

from api.acts import RequestId
from api.dashboard.actions import carried_out
from api.dashboard.visit import Visit, as_id
from api.desk import Desk
from api.errors import ApiError, not_found
from api.thread_desk import NoteBody, SnoozeBody, ThreadDesk, ThreadStatus, zone_of
from domain.threads.snoozing import UnsoundMoment, local_moment

PICKED = "pick"


def _thread_desk(visit: Visit) -> ThreadDesk:
    return ThreadDesk(visit.services, visit.who)


async def assign(visit: Visit) -> Response:
    """Sets or clears the owner."""
    thread_id, asked = visit.path_id("thread_id"), visit.form.get("to_user")
    wanted: UUID | None = visit.who.user_id if asked == "me" else as_id(asked) if asked else None

    async def work(_: Desk) -> None:
        await _thread_desk(visit).assign(thread_id, wanted)

    return await carried_out(visit, "assign", work)


async def set_status(visit: Visit) -> Response:
    """Open, waiting, resolved or closed."""
    thread_id, status = visit.path_id("thread_id"), visit.form.get("status")
    if status not in get_args(ThreadStatus):
        raise not_found("state")
    chosen: Any = status

    async def work(_: Desk) -> None:
        await _thread_desk(visit).set_status(thread_id, chosen)

    return await carried_out(visit, f"status_{status}", work)


async def snooze(visit: Visit) -> Response:
    """Until a preset, or a moment picked in the zone of the mailbox."""
    thread_id = visit.path_id("thread_id")

    async def work(_: Desk) -> None:
        await _thread_desk(visit).snooze(thread_id, await _asked(visit, thread_id))

    return await carried_out(visit, "snooze", work)


async def _asked(visit: Visit, thread_id: UUID) -> SnoozeBody:
    if visit.form.get("preset") != PICKED:
        return SnoozeBody.model_validate({"preset": visit.form.get("preset")})
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        zone = await tx.value("desk_zone", thread_id)
    if zone is None:
        raise not_found("thread")
    try:
        return SnoozeBody(until=local_moment(visit.form.get("until"), zone_of(zone)))
    except UnsoundMoment:
        raise ApiError(422, "invalid", "until: that is no moment") from None


async def wake(visit: Visit) -> Response:
    """Ends a snooze now."""
    thread_id = visit.path_id("thread_id")

    async def work(_: Desk) -> None:
        await _thread_desk(visit).wake(thread_id)

    return await carried_out(visit, "wake", work)


async def note(visit: Visit) -> Response:
    """A note among colleagues."""
    thread_id = visit.path_id("thread_id")
    request_id: RequestId | None = visit.form.get("request_id") or None

    async def work(_: Desk) -> None:
        await _thread_desk(visit).add_note(thread_id, NoteBody(text=visit.form.get("text"), request_id=request_id))

    return await carried_out(visit, "note", work)


async def presence(visit: Visit) -> Response:
    """Says that somebody looks or writes here, and how far they have read; sent by the page every 20 s."""
    mode = "replying" if visit.form.get("mode") == "replying" and visit.session.may("reviewer") else "viewing"
    thread_id = visit.path_id("thread_id")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        if not await tx.run("dashboard_presence", thread_id, visit.who.user_id, mode):
            raise ApiError(404, "not_found", "")
        await tx.run("dashboard_read", visit.who.user_id, thread_id)
    return Response(status_code=204)
