"""Signing in with mail address and password: slow to guess, silent about which of the two was wrong (HU7)."""

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.dashboard import sessions
from api.dashboard.forms import Form, read_form, safe_path
from api.dashboard.rendering import bare
from api.dashboard.words import Words, preferred
from api.services import Services
from contracts.errors import DatabaseFault

SIGN_IN = "/dashboard/sign-in"
LONGEST_PASSWORD = 1000
FORM_COOKIE = "deskhand-form"
FORM_COOKIE_S = 24 * 3600
FREE_TRIES = {"account": 5, "address": 30}
KEPT_FIELDS = ("text", "note", "reason", "instructions")

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
    kept: Mapping[str, str] | None = None,
    email: str = "",
) -> Response:
    """The form; its token is bound to a cookie of this browser, because there is no session yet."""
    seed = request.cookies.get(sessions.cookie_name(services, FORM_COOKIE), "")
    seed = seed if 20 <= len(seed) <= 100 and seed.isascii() else secrets.token_urlsafe(32)
    answer = bare(
        "sign_in.html", words, status, problem=problem, next_page=safe_path(next_page), kept=dict(kept or {}),
        csrf=sessions.csrf_token(services, f"form/{seed}"), email=email,
        first_start=services.settings.deskhand_offline_model,
    )  # fmt: skip
    sessions.set_cookie(services, answer, FORM_COOKIE, seed, FORM_COOKIE_S)
    return answer


async def sign_in(request: Request) -> Response:
    """The form, and what it sends."""
    services: Services = request.app.state.services
    words = Words(preferred(request.headers.get("accept-language", "")))
    if request.method != "POST":
        asked = parse_qs(request.url.query).get("next", [""])[0]
        return form_page(request, services, words, next_page=asked)
    form = await read_form(request)
    if form is None or not _is_ours(request, services, form):
        return form_page(request, services, words, 403, problem=words("error.elsewhere"))
    try:
        return await _try(request, services, words, form)
    except DatabaseFault:
        return form_page(request, services, words, 503, problem=words("error.503"))


def _is_ours(request: Request, services: Services, form: Form) -> bool:
    seed = request.cookies.get(sessions.cookie_name(services, FORM_COOKIE), "")
    token = sessions.csrf_token(services, f"form/{seed}")
    return bool(seed) and sessions.from_here(request, services) and sessions.same_token(form.get("csrf"), token)


async def _try(request: Request, services: Services, words: Words, form: Form) -> Response:
    email, password = form.get("email").strip().lower()[:320], form.get("password")[:LONGEST_PASSWORD]
    again: dict[str, Any] = {"next_page": form.get("next"), "kept": _kept(form), "email": email}
    subjects = _subjects(request, services, email)
    async with services.database.transaction(()) as tx:
        wait = await tx.value("dashboard_throttle", list(subjects), list(FREE_TRIES.values()))
    if wait:
        return form_page(request, services, words, 429, problem=words("sign_in.wait", n=int(wait)), **again)
    async with services.database.transaction(()) as tx:
        user = await tx.one("dashboard_user", email)
    if not await asyncio.to_thread(_matches, user, password):
        async with services.database.transaction(()) as tx:
            await tx.run_many("dashboard_failure", [(s,) for s in subjects])
        return form_page(request, services, words, 401, problem=words("sign_in.wrong"), **again)
    return await _welcome(request, services, form, user, subjects[0])


def _kept(form: Form) -> dict[str, str]:
    return {name: form.get(f"kept_{name}") for name in KEPT_FIELDS if form.get(f"kept_{name}")}


def _subjects(request: Request, services: Services, email: str) -> tuple[str, str]:
    """What failures are counted for: the account and the address, as keyed hashes."""
    key = services.keyring.derive("sign-in")
    address = request.client.host if request.client else ""
    named = (f"account/{email}", f"address/{address}")
    return tuple(hmac.new(key, n.encode("utf-8", "replace"), hashlib.sha256).hexdigest() for n in named)  # type: ignore[return-value]


def _matches(user: Any, password: str) -> bool:
    known = user["password_hash"] if user and user["password_hash"] else None
    try:
        hasher.verify(known or _nobodys_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return known is not None


async def _welcome(request: Request, services: Services, form: Form, user: Any, subject: str) -> Response:
    """A new session whatever the browser brought along, so that no id from before is of use (HU7)."""
    old = request.cookies.get(sessions.cookie_name(services), "")
    kept = _kept(form)
    async with services.database.transaction(()) as tx:
        if old:
            await tx.run("dashboard_session_end", sessions.hashed(old))
        value = await sessions.begin(tx, user)
        if kept:
            await tx.run("dashboard_flash", sessions.hashed(value), {"kind": "kept", "fields": kept})
        await tx.run("dashboard_failures_forget", subject)
        await tx.run("api_audit", None, f"user:{user['id']}", "sign_in", f"user/{user['id']}", None, None)
    answer = RedirectResponse(safe_path(form.get("next")), 303)
    sessions.set_cookie(services, answer, "deskhand", value, sessions.COOKIE_S)
    return answer
