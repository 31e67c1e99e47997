"""What people do with a conversation itself: own it, and be seen looking at it (P121)."""

from uuid import UUID

from starlette.responses import Response

from api.dashboard.visit import Visit, as_id
from api.errors import ApiError, not_found


async def assign(visit: Visit) -> Response:
    """Sets or clears the owner."""
    visit.who.require("review", role="reviewer")
    thread_id, asked = visit.path_id("thread_id"), visit.form.get("to_user")
    wanted: UUID | None = visit.who.user_id if asked == "me" else as_id(asked) if asked else None
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        thread = await tx.one("api_thread", thread_id)
        if thread is None:
            raise not_found("thread")
        changed = await tx.value("dashboard_assign", thread_id, wanted, visit.who.organisation_id)
        if changed:
            before, after = ({"to": str(v) if v else None} for v in (thread["assigned_to"], wanted))
            await tx.run("api_audit", changed, visit.who.actor, "assign", f"thread/{thread_id}", before, after)
    await visit.note(kind="done", action="assign")
    return visit.back()


async def presence(visit: Visit) -> Response:
    """Says that somebody looks or writes here, and how far they have read; sent by the page every 20 s."""
    mode = "replying" if visit.form.get("mode") == "replying" and visit.session.may("reviewer") else "viewing"
    thread_id = visit.path_id("thread_id")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        if not await tx.run("dashboard_presence", thread_id, visit.who.user_id, mode):
            raise ApiError(404, "not_found", "")
        await tx.run("dashboard_read", visit.who.user_id, thread_id)
    return Response(status_code=204)
