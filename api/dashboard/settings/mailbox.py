"""One mailbox in the settings: its name, its zone, its addresses, and whether the agent works in it."""

from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from starlette.responses import RedirectResponse, Response

from adapters.postgres import Transaction
from api.dashboard.frame import show
from api.dashboard.settings.address import Refused, address_of, name_of, zone_of
from api.dashboard.settings.hours import zones
from api.dashboard.visit import Visit
from api.errors import not_found
from api.mailboxes import Flag, FlagBody, flags_of, set_flag
from domain.mail.address_list import identity

AGENT: Flag = "ai.agent"


@dataclass(frozen=True)
class Box:
    """A mailbox as the settings show it; `agent_on` is the effective value."""

    id: UUID
    address: str
    name: str
    timezone: str
    is_default: bool
    addresses: tuple[str, ...]
    agent_on: bool
    stopped: bool


async def boxes_of(tx: Transaction, organisation_id: UUID, mailbox_id: UUID | None = None) -> list[Box]:
    """The mailboxes of the organisation, the default one first."""
    rows = await tx.rows("settings_mailboxes", organisation_id, mailbox_id)
    return [Box(**{**dict(row), "addresses": tuple(row["addresses"])}) for row in rows]


async def find_mailbox(tx: Transaction, visit: Visit, mailbox_id: UUID) -> Box:
    """The mailbox, or 404."""
    found = await boxes_of(tx, visit.who.organisation_id, mailbox_id)
    if not found:
        raise not_found("mailbox")
    return found[0]


async def show_box(visit: Visit, box: Box, part: str, template: str, status: int = 200, **values: Any) -> Response:
    """A page of one mailbox, with the parts beside it."""
    base = f"/dashboard/settings/mailboxes/{box.id}"
    return await show(visit, template, status, box=box, part=part, base=base, **values)


def kept_fields(visit: Visit, action: str) -> dict[str, str]:
    """What somebody had typed into this form when their session ended."""
    flash = visit.session.flash or {}
    mine = flash.get("kind") == "kept" and flash.get("action") == action
    return dict(flash["fields"]) if mine else {}


async def mailbox_page(visit: Visit) -> Response:
    """Name, zone, addresses, pause."""
    box = await _box(visit)
    kept = kept_fields(visit, str(box.id))
    return await _show(visit, box, typed={name: kept[name] for name in ("name", "timezone") if name in kept})


async def _box(visit: Visit) -> Box:
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        return await find_mailbox(tx, visit, visit.path_id("mailbox_id"))


async def _show(
    visit: Visit, box: Box, status: int = 200, *, typed: dict[str, str] | None = None, **values: Any
) -> Response:
    given = {"new": "", "problem": {}, "typed": {"name": box.name, "timezone": box.timezone, **(typed or {})}}
    own = identity(box.address)
    return await show_box(
        visit, box, "mailbox", "settings_mailbox.html", status, zones=zones(), own=own, **{**given, **values}
    )


async def change(visit: Visit) -> Response:
    """Saves name and zone."""
    visit.who.require("admin", role="admin")
    box = await _box(visit)
    typed = {name: visit.form.get(name) for name in ("name", "timezone")}
    try:
        wanted = {"name": name_of(typed["name"]), "timezone": zone_of(typed["timezone"])}
    except Refused as wrong:
        return await _show(visit, box, 422, typed=typed, problem=wrong.said(visit.words))
    await _write(visit, box.id, wanted)
    return await _done(visit)


async def _write(visit: Visit, mailbox_id: UUID, wanted: dict[str, str]) -> None:
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        row = await tx.must("settings_mailbox_lock", mailbox_id)
        old = {key: row[key] for key in wanted if row[key] != wanted[key]}
        if not old:
            return
        await tx.run("settings_mailbox_set", mailbox_id, wanted["name"], wanted["timezone"])
        await _audit(tx, visit, mailbox_id, "mailbox_changed", old, {key: wanted[key] for key in old})


async def _audit(tx: Transaction, visit: Visit, mailbox_id: UUID, action: str, before: Any, after: Any) -> None:
    await tx.run("api_audit", mailbox_id, visit.who.actor, action, f"mailbox/{mailbox_id}", before, after)


async def _done(visit: Visit) -> Response:
    await visit.note(kind="done", action="settings")
    return RedirectResponse(f"/dashboard/settings/mailboxes/{visit.path_id('mailbox_id')}", 303)


async def add_address(visit: Visit) -> Response:
    """A further address whose mail belongs here; one that another mailbox has is refused with its name."""
    visit.who.require("admin", role="admin")
    box, typed = await _box(visit), visit.form.get("address")
    try:
        address = identity(address_of(typed))
        async with visit.services.database.transaction(visit.who.mailboxes) as tx:
            await claim_address(tx, visit, box.id, address)
            await _audit(tx, visit, box.id, "address_added", None, {"address": address})
    except Refused as wrong:
        return await _show(visit, box, 422, new=typed, problem=wrong.said(visit.words))
    return await _done(visit)


async def claim_address(tx: Transaction, visit: Visit, mailbox_id: UUID, address: str) -> None:
    """Gives an address to a mailbox; Refused where one has it already."""
    organisation = visit.who.organisation_id
    if await tx.value("settings_address_add", organisation, address, mailbox_id) is None:
        owner = await tx.value("settings_address_of", organisation, address)
        raise Refused("address", "taken", owner=owner or "")


async def remove_address(visit: Visit) -> Response:
    """Takes an address away; the mailbox keeps the one that it writes from."""
    visit.who.require("admin", role="admin")
    box, address = await _box(visit), visit.form.get("address")
    if address == identity(box.address):
        return await _show(visit, box, 422, problem=Refused("address", "own").said(visit.words))
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        if await tx.run("settings_address_remove", visit.who.organisation_id, address, box.id):
            await _audit(tx, visit, box.id, "address_removed", {"address": address}, None)
    return await _done(visit)


async def pause(visit: Visit) -> Response:
    """Stops or starts the agent in this mailbox: mail is taken in either way, and waits while it is paused (P60)."""
    visit.who.require("admin", role="admin")
    box = await _box(visit)
    await set_flag(box.id, AGENT, FlagBody(on=visit.form.get("on") == "yes"), visit.services, visit.who)
    return await _done(visit)


async def flags_page(visit: Visit) -> Response:
    """The flags as a tree, each with its own and its effective value (P112)."""
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        box = await find_mailbox(tx, visit, visit.path_id("mailbox_id"))
        flags = {flag.flag: flag for flag in await flags_of(tx, box.id)}
        changed_by = await _names(tx, visit)
    return await show_box(visit, box, "flags", "settings_flags.html", flags=flags, names=changed_by)


async def _names(tx: Transaction, visit: Visit) -> dict[str, str]:
    rows = await tx.rows("dashboard_people", visit.who.organisation_id)
    return {f"user:{row['id']}": row["name"] for row in rows}


async def switch_flag(visit: Visit) -> Response:
    """Turns one flag on, with what stands above it, or off."""
    visit.who.require("admin", role="admin")
    box, flag = await _box(visit), cast(Flag, visit.request.path_params["flag"])
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        if flag not in {known.flag for known in await flags_of(tx, box.id)}:
            raise not_found("flag")
    await set_flag(box.id, flag, FlagBody(on=visit.form.get("on") == "yes"), visit.services, visit.who)
    await visit.note(kind="done", action="settings")
    return RedirectResponse(f"/dashboard/settings/mailboxes/{box.id}/flags", 303)
