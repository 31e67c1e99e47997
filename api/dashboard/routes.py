"""Every address of the dashboard in one table."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from api.dashboard import (
    access_tokens,
    account,
    actions,
    assets,
    conversation,
    corrections,
    failed,
    files,
    health,
    inbox,
    invitations,
    knowledge,
    knowledge_work,
    lanes,
    live,
    mail_html,
    missions,
    oidc,
    palette,
    people,
    pictures,
    poison,
    senders,
    switch,
    thread_acts,
)
from api.dashboard.settings import addresses as settings
from api.dashboard.sign_in import sign_in
from api.dashboard.visit import Page, page
from api.pages_frame import style


async def _home(request: Request) -> Response:
    return RedirectResponse("/dashboard/inbox", 303)


def _get(path: str, handler: Page) -> Route:
    return Route(path, page(handler), methods=["GET"])


def _post(path: str, handler: Page) -> Route:
    return Route(path, page(handler), methods=["POST"])


def routes() -> list[Route]:
    """The pages, their forms and their files; `/style.css` serves the page of the API."""
    return [
        Route("/", _home),
        Route("/style.css", style),
        Route("/dashboard/static/{name}", assets.static),
        Route("/dashboard/sign-in", sign_in, methods=["GET", "POST"]),
        Route("/dashboard/invitation/{token}", invitations.invitation, methods=["GET", "POST"]),
        Route("/dashboard/oidc/start", oidc.start, methods=["POST"]),
        Route("/dashboard/oidc/callback", oidc.callback, methods=["GET"]),
        _post("/dashboard/sign-out", account.sign_out),
        _get("/dashboard/account", account.account_page),
        _post("/dashboard/account/password", account.change_password),
        _post("/dashboard/account/sessions", account.end_others),
        _get("/dashboard/settings/people", people.people_page),
        _post("/dashboard/settings/people", people.change_people),
        _get("/dashboard/settings/access", access_tokens.access_page),
        _post("/dashboard/settings/access", access_tokens.change_access),
        _post("/dashboard/preferences", account.prefer),
        _get("/dashboard", inbox.home),
        _get("/dashboard/", inbox.home),
        _get("/dashboard/inbox", inbox.inbox),
        _get("/dashboard/knowledge", knowledge.knowledge_page),
        Route("/dashboard/knowledge/import", knowledge.upload, methods=["POST"]),
        _post("/dashboard/knowledge/backfill", knowledge_work.steer_backfill),
        _post("/dashboard/knowledge/contradiction", knowledge_work.settle),
        _post("/dashboard/knowledge/{entry_id}", knowledge.change_entry),
        _get("/dashboard/inbox/poison", poison.poison_page),
        *(_get(f"/dashboard/inbox/{lane}", lanes.lane_page) for lane in lanes.LANES),
        _get("/dashboard/inbox/{thread_id}", conversation.thread_page),
        *(_get(path, handler) for path, handler in settings.PAGES),
        *(_post(path, handler) for path, handler in settings.FORMS),
        _get("/dashboard/missions", missions.missions_page),
        _post("/dashboard/missions", missions.start_mission),
        _get("/dashboard/missions/{mission_id}", missions.mission_page),
        _post("/dashboard/missions/{mission_id}/answer", missions.answer_mission),
        _post("/dashboard/missions/{mission_id}/cancel", missions.cancel_mission),
        _get("/dashboard/live", live.live),
        _get("/dashboard/health", health.health_page),
        _post("/dashboard/health/breakers/{mailbox_id}/{kind}/reset", health.reset),
        _get("/dashboard/messages/{message_id}/html", mail_html.mail_html),
        _get("/dashboard/messages/{message_id}/raw", files.raw),
        _get("/dashboard/files/{message_id}/{n:int}", files.attachment),
        _post("/dashboard/messages/{message_id}/check", actions.check),
        _post("/dashboard/messages/{message_id}/category", corrections.set_category),
        _post("/dashboard/messages/{message_id}/{action}", actions.act),
        _post("/dashboard/poison/{message_id}/{action}", poison.act_on_poison),
        _post("/dashboard/threads/{thread_id}/write_reply", actions.follow_up),
        Route("/dashboard/pictures/{message_id}/{n:int}/{until:int}/{session}/{mark}", pictures.picture),
        _get("/dashboard/palette", palette.palette),
        _get("/dashboard/senders", senders.blocked_page),
        _post("/dashboard/senders/block", senders.block),
        _post("/dashboard/senders/unblock", senders.unblock),
        _post("/dashboard/failed/retry", failed.retry_equals),
        _post("/dashboard/threads/{thread_id}/status", thread_acts.set_status),
        _post("/dashboard/threads/{thread_id}/snooze", thread_acts.snooze),
        _post("/dashboard/threads/{thread_id}/wake", thread_acts.wake),
        _post("/dashboard/threads/{thread_id}/note", thread_acts.note),
        _post("/dashboard/threads/{thread_id}/assign", thread_acts.assign),
        _post("/dashboard/threads/{thread_id}/lift_loop", corrections.lift_loop),
        _post("/dashboard/incidents/{incident_id}/acknowledge", corrections.acknowledge),
        _post("/dashboard/threads/{thread_id}/presence", thread_acts.presence),
        _post("/dashboard/replies/{outbox_id}/{action}", actions.act_on_reply),
        _post("/dashboard/bulk", actions.in_bulk),
        _post("/dashboard/undo", actions.undo_last),
        _post("/dashboard/kill-switch", switch.throw),
        _post("/dashboard/kill-switch/lift", switch.lift_all),
    ]
