"""A first page to look at: the accounts, the newest messages with their runs, and whether the model is the offline one.

Plain HTML from the server without a script. Signing in takes an API token; the cookie holds the token's id, signed.
"""

import time
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from api.auth import Principal, principal_of, principal_of_hash
from api.health import AccountsAnswer, read_accounts
from api.pages_frame import page, style
from api.rows import temporal_link
from api.services import Services
from contracts.errors import DatabaseFault

SESSION_S = 12 * 3600
NEWEST = 50
LARGEST_FORM_BYTES = 4096


def routes() -> list[Route]:
    """The pages and their style sheet."""
    return [
        Route("/", _home),
        Route("/style.css", style),
        Route("/dashboard", dashboard),
        Route("/dashboard/sign-in", sign_in, methods=["GET", "POST"]),
        Route("/dashboard/sign-out", sign_out, methods=["POST"]),
    ]


async def _home(request: Request) -> Response:
    return RedirectResponse("/dashboard", 303)


def _cookie(services: Services) -> tuple[str, bool]:
    """Name and Secure flag follow the scheme (HU7)."""
    secure = services.settings.dashboard_base_url().startswith("https://")
    return ("__Host-deskhand" if secure else "deskhand"), secure


def _signer(services: Services) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(services.keyring.derive("page-session").hex(), salt="page-session")


async def _signed_in(request: Request) -> Principal | None:
    services: Services = request.app.state.services
    value = request.cookies.get(_cookie(services)[0], "")
    try:
        token_id = UUID(_signer(services).loads(value, max_age=SESSION_S))
    except (BadSignature, ValueError, TypeError):
        return None
    async with services.database.transaction(()) as tx:
        hashed = await tx.value("api_token_hash", token_id)
    who = await principal_of_hash(services.database, hashed) if hashed else None
    return who if who is not None and "read" in who.scopes else None


async def sign_in(request: Request) -> Response:
    """The form, and what it sends."""
    if request.method != "POST":
        return _form()
    if not _from_here(request):
        return _form("This form was sent from elsewhere. Try again here.", 403)
    services: Services = request.app.state.services
    token = await _token_of(request)
    who = await principal_of(services.database, token)
    if who is None or "read" not in who.scopes:
        return _form("That token is not valid, or may not read.", 401)
    name, secure = _cookie(services)
    answer = RedirectResponse("/dashboard", 303)
    value = _signer(services).dumps(str(who.token_id))
    answer.set_cookie(name, value, max_age=SESSION_S, httponly=True, samesite="lax", secure=secure, path="/")
    return answer


def _from_here(request: Request) -> bool:
    """A browser names where a form comes from; another site's is refused (HU5)."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


async def _token_of(request: Request) -> str:
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > LARGEST_FORM_BYTES:
            return ""
    return parse_qs(content.decode("utf-8", "replace")).get("token", [""])[0].strip()


def _form(problem: str = "", status: int = 200) -> Response:
    words = f"<p class='bad'>{escape(problem)}</p>" if problem else ""
    return page(
        "Sign in",
        f"<h1>Deskhand</h1>{words}<form method='post' action='/dashboard/sign-in'><p><label>API token<br>"
        "<input type='password' name='token' autocomplete='off' autofocus></label></p><p><button>Sign in</button></p></form>"
        "<p>The first token was shown by the first <code>make run</code> and stands in <code>secrets.env</code> "
        "in the state folder.</p>",
        status,
    )


async def sign_out(request: Request) -> Response:
    """Forgets the session."""
    if not _from_here(request):
        return _form("This form was sent from elsewhere.", 403)
    answer = RedirectResponse("/dashboard/sign-in", 303)
    answer.delete_cookie(_cookie(request.app.state.services)[0], path="/")
    return answer


async def dashboard(request: Request) -> Response:
    """Accounts and the newest messages."""
    services: Services = request.app.state.services
    try:
        who = await _signed_in(request)
        if who is None:
            return RedirectResponse("/dashboard/sign-in", 303)
        accounts = await read_accounts(services.database, who)
        async with services.database.transaction(who.mailboxes) as tx:
            rows = await tx.rows("api_messages", None, None, None, NEWEST)
    except DatabaseFault:
        return page("Unavailable", "<h1>Deskhand</h1><p class='bad'>The database does not answer right now.</p>", 503)
    return page("Dashboard", _banner(services) + _head(who) + _accounts(accounts) + _messages(services, rows))


def _banner(services: Services) -> str:
    if not services.settings.deskhand_offline_model:
        return ""
    words = "Offline model: drafts are filled from templates and knowledge, and never sent automatically."
    return f"<p class='banner'>{words} Set <code>LLM_BASE_URL</code> or <code>LLM_API_KEY</code> for a real one.</p>"


def _head(who: Principal) -> str:
    return (
        f"<h1>Deskhand</h1><form method='post' action='/dashboard/sign-out'><p>{escape(who.name)} ({escape(who.role)}) · "
        f"<a href='/docs'>API</a> · {time.strftime('%H:%M:%S', time.gmtime())} UTC <button>Sign out</button></p></form>"
    )


def _accounts(a: AccountsAnswer) -> str:
    sign = "=" if a.balanced else "≠"
    verdict = f"<span class='{'good' if a.balanced else 'bad'}'>{a.accepted} accepted {sign} {a.sum_of_accounts} in accounts</span>"
    rows = "".join(
        f"<tr><td>{escape(m.address)}</td><td>{escape(x.account)}</td><td class='number'>{x.mails}</td><td>{_when(x.oldest)}</td></tr>"
        for m in a.mailboxes
        for x in m.accounts
    )
    head = "<tr><th>Mailbox</th><th>Account</th><th class='number'>Mails</th><th>Oldest</th></tr>"
    return f"<h2>Accounts</h2><p>{verdict} · {a.lost} lost · {a.ambiguous} ambiguous</p><table>{head}{rows}</table>"


def _messages(services: Services, rows: list[Any]) -> str:
    head = "<tr><th>Received</th><th>From</th><th>Subject</th><th>Status</th><th>Run</th></tr>"
    body = "".join(_message(services, row) for row in rows)
    return f"<h2>Newest messages</h2><table>{head}{body}</table>" if rows else "<h2>Newest messages</h2><p>No mail yet.</p>"


def _message(services: Services, m: Any) -> str:
    link = temporal_link(services.settings, m["workflow_id"])
    run = f"<a href='{escape(link)}' rel='noreferrer'>Temporal</a>" if link else ""
    hold = f" ({escape(m['hold_reason'])})" if m["hold_reason"] else ""
    cells = (_when(m["received_at"]), f"<bdi>{escape(m['from_address'])}</bdi>", f"<bdi>{escape(m['subject'][:120])}</bdi>")
    return f"<tr>{''.join(f'<td>{c}</td>' for c in cells)}<td>{escape(m['status'])}{hold}</td><td>{run}</td></tr>"


def _when(moment: Any) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S") if moment else ""
