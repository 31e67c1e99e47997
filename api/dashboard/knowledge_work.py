"""What people do on the page of knowledge beside its entries: reading earlier mail, and settling contradictions."""

from uuid import UUID

from starlette.responses import Response

from activities.knowledge.backfill import BackfillDesk, NoSuchJob, NotNow
from activities.knowledge.curation import Curation, NoSuchEntry
from api.dashboard.knowledge import PLACE, page_with
from api.dashboard.visit import Visit, as_id
from api.errors import not_found

ACTS = ("pause", "resume", "cancel")


async def steer_backfill(visit: Visit) -> Response:
    """Begin, pause, resume or cancel reading earlier mail."""
    desk, act, actor = BackfillDesk(visit.services.database, _mailbox(visit)), visit.form.get("act"), visit.who.actor
    try:
        if act == "begin":
            await desk.begin(actor)
        elif act in ACTS:
            await getattr(desk, act)(as_id(visit.form.get("job")), actor)
        else:
            raise not_found("action")
    except NoSuchJob:
        raise not_found("backfill") from None
    except NotNow:
        return await page_with(visit, 409, visit.words("knowledge.backfill.not_now"))
    return visit.back(PLACE)


async def settle(visit: Visit) -> Response:
    """Two entries may both stand."""
    curation = Curation(visit.services.database, _mailbox(visit))
    try:
        await curation.settle(as_id(visit.form.get("pair")), visit.who.actor)
    except NoSuchEntry:
        raise not_found("contradiction") from None
    return visit.back(PLACE)


def _mailbox(visit: Visit) -> UUID:
    visit.who.require("admin", role="admin")
    mailbox_id = as_id(visit.form.get("mailbox"))
    if mailbox_id not in visit.who.mailboxes:
        raise not_found("mailbox")
    return mailbox_id
