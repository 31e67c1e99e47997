"""Who may come in and what they may do: people, their roles, sessions and one-time links (HU7, HU8).

There is always an administrator left who can sign in; two who remove each other at once find that out one by one.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.responses import Response

from adapters.password_links import LINK_HOURS, link_path, make_link
from adapters.postgres import Transaction
from api.auth import ROLES
from api.dashboard.frame import show
from api.dashboard.sign_in import provider_name
from api.dashboard.visit import Visit, as_id
from api.errors import ApiError, not_found

PLACE = "/dashboard/settings/people"
LONGEST_NAME = 100
LONGEST_ADDRESS = 254


class PeopleRefused(Exception):
    """A change that was not made; `why` is a key of the catalogues without its first word."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


async def people_page(visit: Visit) -> Response:
    """Everybody, and the form that invites somebody."""
    visit.who.require("admin", role="admin")
    return await _page(visit)


async def change_people(visit: Visit) -> Response:
    """One change to one person. A fresh link is shown in the answer itself and kept nowhere."""
    visit.who.require("admin", role="admin")
    act = visit.form.get("act")
    try:
        link = await _change(visit, act)
    except PeopleRefused as refused:
        return await _page(visit, 422 if act == "invite" else 409, problem=visit.words(f"people.{refused.why}"))
    if link:
        return await _page(visit, link=link)
    await visit.note(kind="done", action=f"people.{act}")
    return visit.back(PLACE)


Shown = dict[str, Any]


async def _change(visit: Visit, act: str) -> Shown | None:
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        if act == "invite":
            return await _invite(visit, tx)
        if act not in ACTS:
            raise not_found("action")
        return await ACTS[act](visit, tx, await _person(visit, tx))


async def _page(visit: Visit, status: int = 200, *, problem: str = "", link: Shown | None = None) -> Response:
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        rows = await tx.rows("people_list", visit.who.organisation_id)
    typed = {name: visit.form.get(name) for name in ("name", "email", "role", "person")} if problem else {}
    kept = (visit.session.flash or {}).get("fields") or {}
    return await show(
        visit, "people.html", status, people=rows, roles=ROLES, problem=problem, link=link, typed={**kept, **typed},
        hours=LINK_HOURS, provider=provider_name(visit.services), place=PLACE,
    )  # fmt: skip


async def _person(visit: Visit, tx: Transaction) -> Any:
    row = await tx.one("people_one", as_id(visit.form.get("person")), visit.who.organisation_id)
    if row is None:
        raise ApiError(404, "not_found", "")
    return row


async def _invite(visit: Visit, tx: Transaction) -> Shown:
    email, name, role = address_of(visit.form.get("email")), visit.form.get("name").strip(), visit.form.get("role")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise PeopleRefused("bad_name")
    if role not in ROLES:
        raise PeopleRefused("bad_role")
    row = await tx.one("people_add", visit.who.organisation_id, email, name, role)
    if row is None:
        raise PeopleRefused("known_address")
    await _audit(visit, tx, "user_invited", row["id"], None, {"email": email, "role": role})
    return await _fresh_link(visit, tx, row)


def address_of(text: str) -> str:
    """A mail address in lower case, as people are known by it; PeopleRefused where it is none."""
    address = text.strip().lower()
    local, at, domain = address.rpartition("@")
    sound = local and at and domain and len(address) <= LONGEST_ADDRESS and address.isprintable()
    if not sound or any(c.isspace() or c in "<>,;\"'" for c in address):
        raise PeopleRefused("bad_address")
    return address


async def _fresh_link(visit: Visit, tx: Transaction, person: Any) -> Shown:
    token = await make_link(tx, person["id"], visit.who.actor)
    await _audit(visit, tx, "link_made", person["id"], None, None)
    url = visit.services.settings.dashboard_base_url() + link_path(token)
    return {"url": url, "email": person["email"], "id": person["id"]}


async def _link(visit: Visit, tx: Transaction, person: Any) -> Shown:
    """A new way in; what was there before still works until the link is used."""
    if person["disabled_at"]:
        raise PeopleRefused("is_disabled")
    return await _fresh_link(visit, tx, person)


async def _role(visit: Visit, tx: Transaction, person: Any) -> None:
    role = visit.form.get("role")
    if role not in ROLES:
        raise PeopleRefused("bad_role")
    if role == person["role"]:
        return
    if person["role"] == "admin":
        await keep_an_admin(tx, visit.who.organisation_id, person["id"])
    await set_role(tx, visit.who.actor, person, role)


async def set_role(tx: Transaction, actor: str, person: Any, role: str) -> None:
    """The role from now on; the sessions of the old one end (HU7)."""
    await tx.run("people_role_set", person["id"], role)
    await tx.run("people_sessions_end", person["id"])
    await audit(tx, actor, "role_changed", person["id"], {"role": person["role"]}, {"role": role})


async def _disable(visit: Visit, tx: Transaction, person: Any) -> None:
    await keep_an_admin(tx, visit.who.organisation_id, person["id"])
    await tx.run("people_disable", person["id"])
    await tx.run("people_links_void", person["id"])
    await tx.run("people_sessions_end", person["id"])
    await _audit(visit, tx, "user_disabled", person["id"], {"disabled": _was(person)}, {"disabled": True})


async def _enable(visit: Visit, tx: Transaction, person: Any) -> None:
    await tx.run("people_enable", person["id"])
    await _audit(visit, tx, "user_enabled", person["id"], {"disabled": _was(person)}, {"disabled": False})


async def _end_sessions(visit: Visit, tx: Transaction, person: Any) -> None:
    ended = await tx.run("people_sessions_end", person["id"])
    await _audit(visit, tx, "sessions_ended", person["id"], None, {"sessions": ended})


async def _unlink(visit: Visit, tx: Transaction, person: Any) -> None:
    """The next sign-in through the provider is a first one again."""
    dropped = await tx.run("people_identities_drop", person["id"])
    await tx.run("people_sessions_end", person["id"])
    await _audit(visit, tx, "identity_unlinked", person["id"], {"identities": dropped}, None)


async def keep_an_admin(tx: Transaction, organisation_id: UUID, but: UUID) -> None:
    """PeopleRefused if nobody but this person is an administrator who can sign in."""
    others = [row["id"] for row in await tx.rows("people_admins", organisation_id) if row["id"] != but]
    if not others:
        raise PeopleRefused("last_admin")


def _was(person: Any) -> bool:
    moment: datetime | None = person["disabled_at"]
    return moment is not None


async def _audit(visit: Visit, tx: Transaction, action: str, user_id: UUID, before: Any, after: Any) -> None:
    await audit(tx, visit.who.actor, action, user_id, before, after)


async def audit(tx: Transaction, actor: str, action: str, user_id: UUID, before: Any = None, after: Any = None) -> None:
    """Who did what to whom."""
    await tx.run("api_audit", None, actor, action, f"user/{user_id}", before, after)


ACTS: dict[str, Callable[[Visit, Transaction, Any], Awaitable[Shown | None]]] = {
    "link": _link, "role": _role, "disable": _disable, "enable": _enable, "end_sessions": _end_sessions,
    "unlink": _unlink,
}  # fmt: skip
