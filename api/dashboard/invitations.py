"""Where a one-time link leads: a person chooses a password. Opening it uses nothing up, since scanners follow links
(HU5, HU7)."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from adapters.password_links import look_at_link, use_link
from api.dashboard import sessions
from api.dashboard.forms import Form, read_form
from api.dashboard.kept import Kept
from api.dashboard.people import audit
from api.dashboard.rendering import bare
from api.dashboard.sign_in import (
    FORM_COOKIE,
    FORM_COOKIE_S,
    LONGEST_PASSWORD,
    browser_seed,
    form_token,
    hasher,
    is_ours,
    throttled,
    welcome,
)
from api.dashboard.words import Words, preferred
from api.services import Services
from contracts.errors import DatabaseFault

SHORTEST_PASSWORD = 12
FEWEST_CHARACTERS = 5


async def invitation(request: Request) -> Response:
    """The form behind a link, and what it sends."""
    services: Services = request.app.state.services
    words = Words(preferred(request.headers.get("accept-language", "")))
    try:
        async with services.database.transaction(()) as tx:
            link = await look_at_link(tx, request.path_params["token"])
        if link is None:
            return _page(request, services, words, 410, None)
        if request.method != "POST":
            return _page(request, services, words, 200, link)
        return await _choose(request, services, words, link)
    except DatabaseFault:
        return _page(request, services, words, 503, None, problem=words("error.503"))


def _page(
    request: Request, services: Services, words: Words, status: int, link: Any, *, problem: str = ""
) -> Response:
    seed = browser_seed(request, services)
    answer = bare(
        "invitation.html", words, status, link=link, problem=problem, csrf=form_token(services, seed),
        shortest=SHORTEST_PASSWORD, here=request.url.path, away=status == 503,
    )  # fmt: skip
    sessions.set_cookie(services, answer, FORM_COOKIE, seed, FORM_COOKIE_S)
    return answer


async def _choose(request: Request, services: Services, words: Words, link: Any) -> Response:
    form = await read_form(request)
    if form is None or not is_ours(request, services, form):
        return _page(request, services, words, 403, link, problem=words("error.elsewhere"))
    why = weakness(form.get("password"), form.get("again"), link["email"])
    if why:
        problem = words(f"password.{why}", n=SHORTEST_PASSWORD)
        return _page(request, services, words, 422, link, problem=problem)
    return await _set(request, services, words, form)


def weakness(password: str, again: str, email: str) -> str:
    """Why a password is not taken; empty for one that is."""
    if len(password) < SHORTEST_PASSWORD:
        return "short"
    if len(password) > LONGEST_PASSWORD:
        return "long"
    if len(set(password.lower())) < FEWEST_CHARACTERS or password.strip().lower() == email:
        return "plain"
    return "" if password == again else "differs"


async def _set(request: Request, services: Services, words: Words, form: Form) -> Response:
    password_hash = await asyncio.to_thread(hasher.hash, form.get("password"))
    async with services.database.transaction(()) as tx:
        user = await use_link(tx, request.path_params["token"], password_hash)
        if user is None:
            return _page(request, services, words, 410, None)
        await audit(tx, f"user:{user['id']}", "password_set", user["id"])
        await tx.run("dashboard_failures_forget", throttled(request, services, user["email"].lower())[0])
        return await welcome(tx, request, services, user, "", Kept(), "link")
