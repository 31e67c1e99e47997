"""What a person changes about their own visit: language, colours, and leaving."""

from starlette.responses import RedirectResponse, Response

from api.dashboard import sessions
from api.dashboard.sign_in import SIGN_IN
from api.dashboard.visit import Visit
from api.dashboard.words import LANGUAGES

SCHEMES = ("", "light", "dark")


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
