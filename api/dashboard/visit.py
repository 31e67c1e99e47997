"""One request of one signed-in person, and the door every page stands behind: session, role, form token, plain
errors."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote
from uuid import UUID

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.auth import Principal
from api.dashboard import sessions
from api.dashboard.forms import Form, read_form, safe_path
from api.dashboard.kept import Kept, typed
from api.dashboard.rendering import bare
from api.dashboard.sessions import Session
from api.dashboard.sign_in import SIGN_IN, form_page
from api.dashboard.times import seconds_left
from api.dashboard.words import Words, preferred
from api.errors import ApiError
from api.services import Services
from contracts.errors import DeskhandError

KEPT_FIELDS = ("text", "note", "reason", "instructions")

log = structlog.get_logger("dashboard")


@dataclass
class Visit:
    """What a page works with."""

    request: Request
    services: Services
    session: Session
    words: Words
    form: Form = field(default_factory=lambda: Form([]))

    @property
    def who(self) -> Principal:
        """The person."""
        return self.session.who

    @property
    def mailboxes(self) -> tuple[UUID, ...]:
        """The mailboxes to show: the one chosen, or all that the person sees."""
        asked = self.request.query_params.get("mailbox", "")
        chosen = tuple(m for m in self.who.mailboxes if str(m) == asked)
        return chosen or self.who.mailboxes

    @property
    def offline(self) -> bool:
        """Whether drafts come from templates."""
        return self.services.settings.deskhand_offline_model

    @property
    def here(self) -> str:
        """The address of this page."""
        url = self.request.url
        return f"{url.path}?{url.query}" if url.query else url.path

    def path_id(self, name: str) -> UUID:
        """An id from the address; 404 for what is none."""
        return as_id(self.request.path_params[name])

    async def note(self, **flash: Any) -> None:
        """Something to tell on the next page, once."""
        async with self.services.database.transaction(()) as tx:
            await tx.run("dashboard_flash", self.session.id_hash, flash)

    async def take_notes(self) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """What is to be told, and what can still be undone; a page that only looks for news takes nothing away."""
        if "x-look" in self.request.headers:
            return None, None
        if self.session.flash is not None:
            async with self.services.database.transaction(()) as tx:
                await tx.run("dashboard_flash", self.session.id_hash, None)
        return self.session.flash, await self._undoable()

    async def _undoable(self) -> dict[str, Any] | None:
        ids = [UUID(i) for i in (self.session.undo or {}).get("ids", ())]
        if not ids:
            return None
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            rows = await tx.rows("dashboard_undoable", ids)
        if not rows:
            return None
        left = first_to_leave([row["send_at"] for row in rows])
        return {"ids": [row["id"] for row in rows], "n": len(rows), "left": left, "name": rows[0]["name"]}

    def back(self, otherwise: str = "/dashboard/inbox") -> Response:
        """To the page that the form names."""
        return RedirectResponse(safe_path(self.form.get("back"), otherwise), 303)


def first_to_leave(moments: list[Any]) -> int:
    """Seconds until the first of them leaves."""
    return min(seconds_left(m) for m in moments)


def as_id(text: str) -> UUID:
    """A UUID, or 404."""
    try:
        return UUID(text)
    except ValueError:
        raise ApiError(404, "not_found", "") from None


Page = Callable[[Visit], Awaitable[Response]]


def page(handler: Page) -> Callable[[Request], Awaitable[Response]]:
    """A page behind the door. A POST also needs the token of its session and has to come from here (HU5)."""

    async def guarded(request: Request) -> Response:
        services: Services = request.app.state.services
        words = Words(preferred(request.headers.get("accept-language", "")))
        form = await read_form(request) if request.method == "POST" else Form([])
        if form is None:
            return _problem(request, words, 413, "")
        kept = typed(form, request.url.path) if sessions.from_here(request, services) else Kept()
        try:
            return await _enter(handler, request, services, words, form, kept)
        except ApiError as error:
            return _problem(request, words, error.code, error.message if error.error == "expired" else "", kept)
        except DeskhandError as fault:
            log.warning("page failed", path=request.url.path, reason=type(fault).__name__)
            return _problem(request, words, 503, "", kept)
        except Exception as fault:
            log.exception("unforeseen", path=request.url.path, reason=type(fault).__name__)
            return _problem(request, words, 500, "", kept)

    return guarded


async def _enter(
    handler: Page, request: Request, services: Services, words: Words, form: Form, kept: Kept
) -> Response:
    changes = request.method == "POST"
    if changes and not sessions.from_here(request, services):
        return _problem(request, words, 403, words("error.elsewhere"))
    session = await sessions.find(services, request)
    if session is None:
        return _sign_in_first(request, services, words, form, kept)
    words = Words(session.language) if session.language else words
    visit = Visit(request, services, session, words, form)
    if not changes or sessions.same_token(form.get("csrf"), session.csrf):
        return await handler(visit)
    if not kept:
        return _problem(request, words, 403, words("error.form_too_old"))
    # Somebody signed in anew in another window: nothing is carried out, and the text goes back to where it was typed.
    await visit.note(**kept.flash())
    return RedirectResponse(_typed_at(form), 303)


def _typed_at(form: Form) -> str:
    return safe_path(form.get("stay") or form.get("back"))


def _sign_in_first(request: Request, services: Services, words: Words, form: Form, kept: Kept) -> Response:
    """Afterwards the person is back at the page, with the text they had typed."""
    if request.method != "POST":
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"{SIGN_IN}?next={quote(safe_path(target), safe='')}", 303)
    return form_page(request, services, words, problem=words("sign_in.expired"), next_page=_typed_at(form), kept=kept)


def _problem(request: Request, words: Words, status: int, message: str, kept: Kept | None = None) -> Response:
    key = status if status in (403, 404, 413, 503) else 500
    return bare(
        "problem.html", words, status, title=words(f"error.{key}.title"), message=message or words(f"error.{key}"),
        kept=kept or Kept(),
    )  # fmt: skip
