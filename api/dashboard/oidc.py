"""Signing in through the organisation's own identity provider: authorization code with PKCE, state and nonce (HU7).

Each sign-in has one random state. The nonce and the PKCE verifier come from it by key, so that the database holds
nothing but a hash, and a state works once, for ten minutes, in the browser that began. People are known by issuer and
subject; a verified address only finds them the first time.
"""

import hashlib
import hmac
import secrets
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import structlog
from starlette.requests import Request
from starlette.responses import Response

from adapters.oidc import Provider, ProviderAway, Question
from api.dashboard.forms import read_form, safe_path
from api.dashboard.kept import Kept, carried, from_row
from api.dashboard.oidc_people import admitted
from api.dashboard.rendering import bare
from api.dashboard.sign_in import FREE_TRIES, browser_seed, form_page, is_ours, throttled, welcome
from api.dashboard.words import Words, preferred
from api.services import Services
from contracts.errors import DatabaseFault
from domain.identity import IdentityRefused

CALLBACK = "/dashboard/oidc/callback"
LONGEST_VALUE = 4000

log = structlog.get_logger("oidc")


def provider_of(request: Request, services: Services) -> Provider:
    """The provider of the settings, kept with the application; 404 words where there is none."""
    settings = services.settings
    if not settings.oidc_issuer:
        raise IdentityRefused("off")
    known = getattr(request.app.state, "oidc", None)
    if known is None or known[0] != settings:
        known = request.app.state.oidc = (settings, Provider(settings))
    provider: Provider = known[1]
    return provider


def question_for(services: Services, state: str) -> Question:
    """What goes with a state: nonce and verifier, which nobody without our key can tell from it."""
    uri = services.settings.dashboard_base_url() + CALLBACK
    return Question(uri, state, _derived(services, "nonce", state), _derived(services, "verifier", state))


def _derived(services: Services, purpose: str, state: str) -> str:
    return hmac.new(services.keyring.derive(f"oidc/{purpose}"), state.encode(), hashlib.sha256).hexdigest()


def _hashed(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


async def start(request: Request) -> Response:
    """Sends the browser to the provider, by a page of its own: a form may not lead to another site (HU1)."""
    services: Services = request.app.state.services
    words = Words(preferred(request.headers.get("accept-language", "")))
    form = await read_form(request)
    if form is None or not is_ours(request, services, form):
        return form_page(request, services, words, 403, problem=words("error.elsewhere"))
    again: dict[str, Any] = {"next_page": form.get("next"), "kept": carried(form)}
    try:
        wait, address = await _begin(request, services, **again)
    except (IdentityRefused, ProviderAway, DatabaseFault) as fault:
        return _not_in(request, services, words, fault, **again)
    if wait:
        return form_page(request, services, words, 429, problem=words("sign_in.wait", n=wait), **again)
    return bare("access_provider.html", words, 200, address=address, host=urlsplit(address).hostname)


async def _begin(request: Request, services: Services, next_page: str, kept: Kept) -> tuple[int, str]:
    """Seconds to wait, or where to go; as many may begin at one address as may fail there."""
    provider, subject = provider_of(request, services), _subject(request, services)
    async with services.database.transaction(()) as tx:
        wait = int(await tx.value("dashboard_throttle", [subject], [FREE_TRIES["address"]]))
        await tx.run("dashboard_failure", subject)
    if wait:
        return wait, ""
    state, seed = secrets.token_urlsafe(32), browser_seed(request, services)
    address = await provider.address(question_for(services, state))
    async with services.database.transaction(()) as tx:
        await tx.run("people_oidc_begin", _hashed(state), _hashed(seed), safe_path(next_page), kept.flash())
    return 0, address


def _subject(request: Request, services: Services) -> str:
    return throttled(request, services, "")[1] + "/oidc"


async def callback(request: Request) -> Response:
    """The browser is back: with a code, or with the provider's refusal."""
    services: Services = request.app.state.services
    words = Words(preferred(request.headers.get("accept-language", "")))
    asked = {k: v for k, v in request.query_params.items() if len(v) <= LONGEST_VALUE}
    again: dict[str, Any] = {"next_page": "", "kept": Kept()}
    try:
        attempt = await _take(request, services, asked.get("state", ""))
        again = {"next_page": attempt["next_page"], "kept": from_row(attempt["kept"])}
        return await _arrive(request, services, asked, **again)
    except (IdentityRefused, ProviderAway, DatabaseFault) as fault:
        return _not_in(request, services, words, fault, **again)


async def _take(request: Request, services: Services, state: str) -> Any:
    """The sign-in that this browser began; it is used up now, whatever comes of it."""
    provider_of(request, services)
    async with services.database.transaction(()) as tx:
        attempt = await tx.one("people_oidc_take", _hashed(state), _hashed(browser_seed(request, services)))
    if attempt is None or not attempt["fresh"]:
        raise IdentityRefused("state")
    return attempt


async def _arrive(
    request: Request, services: Services, asked: dict[str, str], next_page: str, kept: Kept
) -> Response:
    provider = provider_of(request, services)
    # RFC 9207: an answer that names another issuer was mixed up.
    if asked.get("iss", provider.issuer) != provider.issuer:
        raise IdentityRefused("issuer")
    if "error" in asked or not asked.get("code"):
        raise IdentityRefused("denied" if asked.get("error") == "access_denied" else "provider")
    claims = await provider.claims(asked["code"], question_for(services, asked["state"]), datetime.now(UTC))
    async with services.database.transaction(()) as tx:
        user = await admitted(tx, services.settings, claims)
        await tx.run("dashboard_failures_forget", _subject(request, services))
        return await welcome(tx, request, services, user, next_page, kept, "oidc")


def _not_in(
    request: Request, services: Services, words: Words, fault: Exception, next_page: str, kept: Kept
) -> Response:
    """The sign-in page with the reason in words; the log has the word, and never a claim."""
    why = fault.why if isinstance(fault, IdentityRefused) else "away" if isinstance(fault, ProviderAway) else "database"
    log.warning("sign-in refused", reason=why)
    problem = words("error.503") if why == "database" else words(f"oidc.{why}")
    status = 503 if why in ("away", "database") else 404 if why == "off" else 403
    return form_page(request, services, words, status, problem=problem, next_page=next_page, kept=kept)
