"""What a person changes about their own way in: language, colours, password, other sessions, and leaving."""

import asyncio

from starlette.responses import RedirectResponse, Response

from api.dashboard import sessions
from api.dashboard.frame import show
from api.dashboard.invitations import SHORTEST_PASSWORD, weakness
from api.dashboard.people import audit
from api.dashboard.sign_in import FREE_TRIES, SIGN_IN, hasher, is_password_of, throttled
from api.dashboard.visit import Visit
from api.dashboard.words import LANGUAGES

SCHEMES = ("", "light", "dark")
ACCOUNT = "/dashboard/account"


async def sign_out(visit: Visit) -> Response:
    """Ends the session on the server, not only in the browser."""
    async with visit.services.database.transaction(()) as tx:
        await tx.run("dashboard_session_end", visit.session.id_hash)
        await tx.run("api_audit", None, visit.who.actor, "sign_out", f"user/{visit.who.user_id}", None, None)
    answer = RedirectResponse(SIGN_IN, 303)
    answer.delete_cookie(sessions.cookie_name(visit.services), path="/")
    return answer


async def prefer(visit: Visit) -> Response:
    """Keeps language and colours; empty means: as the browser says."""
    language, scheme = visit.form.get("language"), visit.form.get("scheme")
    async with visit.services.database.transaction(()) as tx:
        await tx.run(
            "dashboard_prefer", visit.who.user_id, language if language in LANGUAGES else "",
            scheme if scheme in SCHEMES else "",
        )  # fmt: skip
    return visit.back()


async def account_page(visit: Visit) -> Response:
    """The person's own page."""
    return await _page(visit)


async def _page(visit: Visit, status: int = 200, problem: str = "") -> Response:
    async with visit.services.database.transaction(()) as tx:
        me = await tx.must("people_me", visit.who.user_id)
    return await show(visit, "people_me.html", status, me=me, problem=problem, shortest=SHORTEST_PASSWORD)


async def end_others(visit: Visit) -> Response:
    """Every session of this person but this one."""
    async with visit.services.database.transaction(()) as tx:
        ended = await tx.run("people_others_end", visit.who.user_id, visit.session.id_hash)
        await audit(tx, visit.who.actor, "sessions_ended", visit.who.user_id, None, {"sessions": ended})
    await visit.note(kind="done", action="account.others")
    return RedirectResponse(ACCOUNT, 303)


async def change_password(visit: Visit) -> Response:
    """A new password for whoever knows the old one; it ends every session, and this browser gets a new one (HU7)."""
    async with visit.services.database.transaction(()) as tx:
        me = await tx.must("people_me", visit.who.user_id)
        subject = throttled(visit.request, visit.services, me["email"].lower())[0]
        wait = int(await tx.value("dashboard_throttle", [subject], [FREE_TRIES["account"]]))
    if wait:
        return await _page(visit, 429, visit.words("sign_in.wait", n=wait))
    if not await asyncio.to_thread(is_password_of, me, visit.form.get("password")):
        async with visit.services.database.transaction(()) as tx:
            await tx.run("dashboard_failure", subject)
        return await _page(visit, 422, visit.words("password.wrong"))
    why = weakness(visit.form.get("new_password"), visit.form.get("again_password"), me["email"].lower())
    if why:
        return await _page(visit, 422, visit.words(f"password.{why}", n=SHORTEST_PASSWORD))
    return await _set_password(visit, subject)


async def _set_password(visit: Visit, subject: str) -> Response:
    password_hash = await asyncio.to_thread(hasher.hash, visit.form.get("new_password"))
    async with visit.services.database.transaction(()) as tx:
        await tx.run("people_links_void", visit.who.user_id)
        await tx.run("people_sessions_end", visit.who.user_id)
        user = await tx.must("people_password_set", visit.who.user_id, password_hash)
        value = await sessions.begin(tx, user)
        await tx.run("dashboard_flash", sessions.hashed(value), {"kind": "done", "action": "account.password"})
        await tx.run("dashboard_failures_forget", subject)
        await audit(tx, visit.who.actor, "password_set", visit.who.user_id)
    answer = RedirectResponse(ACCOUNT, 303)
    sessions.set_cookie(visit.services, answer, "deskhand", value, sessions.COOKIE_S)
    return answer
