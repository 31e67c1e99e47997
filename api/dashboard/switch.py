"""The kill switch on the top line: stops every automatic reply of the mailboxes shown until it is lifted (P92)."""

from uuid import UUID

from starlette.responses import Response

from api.dashboard.visit import Visit
from api.mailboxes import SwitchBody, kill_switch, lift


async def throw(visit: Visit) -> Response:
    """Stops sending, and says how many automatic replies were waiting."""
    visit.who.require("admin", role="admin")
    stopped = 0
    for mailbox_id in await _inboxes(visit):
        async with visit.services.database.transaction(visit.who.mailboxes) as tx:
            stopped += await tx.value("dashboard_pending_automatic", mailbox_id)
        await kill_switch(
            mailbox_id, visit.services, visit.who, SwitchBody(cause=visit.form.get("cause")[:500] or "dashboard")
        )
    await visit.note(kind="switch", action="kill_switch", n=stopped)
    return visit.back()


async def lift_all(visit: Visit) -> Response:
    """Lifts it; automatic replies stay off until somebody turns them on."""
    visit.who.require("admin", role="admin")
    for mailbox_id in await _inboxes(visit):
        await lift(mailbox_id, visit.services, visit.who)
    await visit.note(kind="done", action="lift")
    return visit.back()


async def _inboxes(visit: Visit) -> list[UUID]:
    asked = visit.form.get("mailbox")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        rows = await tx.rows("api_mailboxes", visit.who.organisation_id)
    return [row["id"] for row in rows if row["kind"] == "inbox" and asked in ("", str(row["id"]))]
