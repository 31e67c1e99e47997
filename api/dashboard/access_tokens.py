"""API tokens for people who would rather click: every token with its last use, a new one shown once, an old one revoked
(HU8). The rules are those of the API, because it is the same code."""

from typing import Any

from pydantic import ValidationError
from starlette.responses import Response

from api import tokens
from api.dashboard.frame import show
from api.dashboard.visit import Visit, as_id
from api.errors import ApiError, not_found

PLACE = "/dashboard/settings/access"
SCOPES = tuple(tokens.ROLE_OF_SCOPE)
DAYS = (30, 90, 365)


async def access_page(visit: Visit) -> Response:
    """Every token, and the form that makes one."""
    visit.who.require("admin", role="admin")
    return await _page(visit)


async def change_access(visit: Visit) -> Response:
    """Makes or revokes a token. A new one is shown in the answer itself and kept nowhere but as a hash."""
    visit.who.require("admin", role="admin")
    act = visit.form.get("act")
    if act == "make":
        return await _make(visit)
    if act != "revoke":
        raise not_found("action")
    await tokens.revoke(as_id(visit.form.get("token_id")), visit.services, visit.who)
    await visit.note(kind="done", action="access.revoke")
    return visit.back(PLACE)


async def _make(visit: Visit) -> Response:
    why = _refusal(visit)
    if why:
        return await _page(visit, 422, problem=visit.words(f"access.{why}"))
    try:
        body = tokens.TokenBody.model_validate(_fields(visit))
        made = await tokens.make(body, visit.services, visit.who)
    except ValidationError:
        return await _page(visit, 422, problem=visit.words("access.invalid"))
    except ApiError as error:
        key = "access.beyond_role" if "scopes" in error.message else "access.no_user"
        return await _page(visit, 422, problem=visit.words(key))
    return await _page(visit, made=made)


def _fields(visit: Visit) -> dict[str, Any]:
    form = visit.form
    return {
        "name": form.get("name").strip(), "scopes": form.all("scopes"), "expires_in_days": form.get("days") or 90,
        "user_id": form.get("person") or None,
    }  # fmt: skip


def _refusal(visit: Visit) -> str:
    """What people get wrong most, in words of its own."""
    if not visit.form.get("name").strip():
        return "no_name"
    if not visit.form.all("scopes"):
        return "no_scope"
    return "apart" if {"propose", "review"} <= set(visit.form.all("scopes")) else ""


async def _page(
    visit: Visit, status: int = 200, *, problem: str = "", made: tokens.NewToken | None = None
) -> Response:
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        rows = await tx.rows("people_tokens", visit.who.organisation_id)
        people = [p for p in await tx.rows("people_list", visit.who.organisation_id) if p["disabled_at"] is None]
    kept = (visit.session.flash or {}).get("fields") or {}
    return await show(
        visit, "access.html", status, rows=rows, people=people, problem=problem, made=made, scopes=SCOPES, days=DAYS,
        token_name=visit.form.get("name") if problem else kept.get("name", ""), place=PLACE,
        picked=visit.form.all("scopes") if problem else ["read"],
        person=visit.form.get("person") if problem else str(visit.who.user_id),
        lasts=visit.form.get("days") if problem else "90", base=visit.services.settings.dashboard_base_url(),
    )  # fmt: skip
