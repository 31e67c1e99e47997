"""Signing in with mail address and password: slow to guess, silent about which of the two was wrong (HU7)."""

import asyncio
import hashlib
import hmac
import secrets
from functools import cache
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adapters.postgres import Transaction
from api.dashboard import sessions
from api.dashboard.forms import Form, read_form, safe_path
from api.dashboard.kept import Kept, carried
from api.dashboard.rendering import bare
from api.dashboard.words import Words, preferred
from api.services import Services
from contracts.errors import DatabaseFault

SIGN_IN = "/dashboard/sign-in"
LONGEST_PASSWORD = 1000
FORM_COOKIE = "deskhand-form"
FORM_COOKIE_S = 24 * 3600
FREE_TRIES = {"account": 5, "address": 30}

hasher = PasswordHasher()


@cache
def _nobodys_hash() -> str:
    """Verified where there is no such account, so that the time of the answer says nothing."""
    return hasher.hash(secrets.token_hex(16))


def form_page(
    request: Request,
    services: Services,
    words: Words,
    status: int = 200,
    *,
    problem: str = "",
    next_page: str = "",
    kept: Kept | None = None,
    email: str = "",
) -> Response:
    """The form; its token is bound to a cookie of this browser, because there is no session yet."""
    seed = browser_seed(request, services)
    answer = bare(
        "sign_in.html", words, status, problem=problem, next_page=safe_path(next_page), kept=kept or Kept(),
        csrf=form_token(services, seed), email=email, provider=provider_name(services),
        first_start=services.settings.deskhand_offline_model,
    )  # fmt: skip
    # A page loaded again asks for this one, and not for the form that brought it.
    answer.headers["hx-push-url"] = f"{SIGN_IN}?next={quote(safe_path(next_page), safe='')}"
    sessions.set_cookie(services, answer, FORM_COOKIE, seed, FORM_COOKIE_S)
    return answer


def browser_seed(request: Request, services: Services) -> str:
    """What forms without a session are bound to: the value of this browser's cookie, or a fresh one."""
    seed = request.cookies.get(sessions.cookie_name(services, FORM_COOKIE), "")
    return seed if 20 <= len(seed) <= 100 and seed.isascii() else secrets.token_urlsafe(32)


def form_token(services: Services, seed: str) -> str:
    """The token of every form of a browser without a session."""
    return sessions.csrf_token(services, f"form/{seed}")


def provider_name(services: Services) -> str:
    """What people call the identity provider; empty where there is none."""
    settings = services.settings
    return (settings.oidc_name or urlsplit(settings.oidc_issuer).hostname or "") if settings.oidc_issuer else ""


async def sign_in(request: Request) -> Response:
    """The form, and what it sends."""
    services: Services = request.app.state.services
    words = Words(preferred(request.headers.get("accept-language", "")))
    if request.method != "POST":
        asked = parse_qs(request.url.query).get("next", [""])[0]
        return form_page(request, services, words, next_page=asked)
    form = await read_form(request)
    if form is None or not sessions.from_here(request, services):
        return form_page(request, services, words, 403, problem=words("error.elsewhere"))
    again: dict[str, Any] = {"next_page": form.get("next"), "kept": carried(form)}
    if not is_ours(request, services, form):
        return form_page(request, services, words, 403, problem=words("error.form_too_old"), **again)
    try:
        return await _try(request, services, words, form, again)
    except DatabaseFault:
        return form_page(request, services, words, 503, problem=words("error.503"), **again)


def is_ours(request: Request, services: Services, form: Form) -> bool:
    """Whether a form without a session was sent by the browser that was given it, from a page of ours (HU5)."""
    seed = request.cookies.get(sessions.cookie_name(services, FORM_COOKIE), "")
    token = form_token(services, seed)
    return bool(seed) and sessions.from_here(request, services) and sessions.same_token(form.get("csrf"), token)


async def _try(
    request: Request, services: Services, words: Words, form: Form, again: dict[str, Any]
) -> Response:
    email, password = form.get("email").strip().lower()[:320], form.get("password")[:LONGEST_PASSWORD]
    again = {**again, "email": email}
    subjects = throttled(request, services, email)
    async with services.database.transaction(()) as tx:
        wait = await tx.value("dashboard_throttle", list(subjects), list(FREE_TRIES.values()))
    if wait:
        return form_page(request, services, words, 429, problem=words("sign_in.wait", n=int(wait)), **again)
    async with services.database.transaction(()) as tx:
        user = await tx.one("dashboard_user", email)
    if not await asyncio.to_thread(is_password_of, user, password):
        async with services.database.transaction(()) as tx:
            await tx.run_many("dashboard_failure", [(s,) for s in subjects])
        return form_page(request, services, words, 401, problem=words("sign_in.wrong"), **again)
    async with services.database.transaction(()) as tx:
        await tx.run("dashboard_failures_forget", subjects[0])
        return await welcome(tx, request, services, user, form.get("next"), carried(form))


def throttled(request: Request, services: Services, email: str) -> tuple[str, str]:
    """What failures are counted for: the account and the address, as keyed hashes."""
    key = services.keyring.derive("sign-in")
    address = request.client.host if request.client else ""
    named = (f"account/{email}", f"address/{address}")
    return tuple(hmac.new(key, n.encode("utf-8", "replace"), hashlib.sha256).hexdigest() for n in named)  # type: ignore[return-value]


def is_password_of(user: Any, password: str) -> bool:
    """Whether it is; takes as long for a person without a password, and for nobody."""
    known = user["password_hash"] if user and user["password_hash"] else None
    try:
        hasher.verify(known or _nobodys_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return known is not None


async def welcome(
    tx: Transaction, request: Request, services: Services, user: Any, next_page: str, kept: Kept, how: str = "password"
) -> Response:
    """A new session whatever the browser brought along, so that no id from before is of use (HU7)."""
    old = request.cookies.get(sessions.cookie_name(services), "")
    if old:
        await tx.run("dashboard_session_end", sessions.hashed(old))
    value = await sessions.begin(tx, user)
    if kept:
        await tx.run("dashboard_flash", sessions.hashed(value), kept.flash())
    await tx.run("api_audit", None, f"user:{user['id']}", "sign_in", f"user/{user['id']}", None, {"how": how})
    answer = RedirectResponse(safe_path(next_page), 303)
    sessions.set_cookie(services, answer, "deskhand", value, sessions.COOKIE_S)
    return answer
