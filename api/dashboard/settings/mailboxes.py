"""The mailboxes of the organisation, and adding one: it begins with everything off, so that nothing happens unasked."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from starlette.responses import RedirectResponse, Response

from adapters.postgres import Transaction
from api.dashboard.frame import show
from api.dashboard.settings.address import Refused, address_of, name_of, zone_of
from api.dashboard.settings.hours import zones
from api.dashboard.settings.mailbox import boxes_of, claim_address, kept_fields
from api.dashboard.visit import Visit
from domain.breakers import default_breakers
from domain.mail.address_list import identity

NOTHING = {"address": "", "name": "", "timezone": "UTC"}


async def mailboxes_page(visit: Visit) -> Response:
    """The list, and the form for one more."""
    kept = kept_fields(visit, "settings")
    return await _show(visit, typed={**NOTHING, **{name: kept[name] for name in NOTHING if name in kept}})


async def _show(visit: Visit, status: int = 200, **values: Any) -> Response:
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        boxes = await boxes_of(tx, visit.who.organisation_id)
    given: dict[str, Any] = {"problem": {}}
    return await show(visit, "settings_mailboxes.html", status, boxes=boxes, zones=zones(), **{**given, **values})


async def add(visit: Visit) -> Response:
    """Adds a mailbox and shows it."""
    visit.who.require("admin", role="admin")
    typed = {name: visit.form.get(name) for name in NOTHING}
    try:
        address, name, zone = address_of(typed["address"]), name_of(typed["name"]), zone_of(typed["timezone"])
        mailbox_id = await _added(visit, address, name, zone)
    except Refused as wrong:
        return await _show(visit, 422, typed=typed, problem=wrong.said(visit.words))
    await visit.note(kind="done", action="settings")
    return RedirectResponse(f"/dashboard/settings/mailboxes/{mailbox_id}", 303)


async def _added(visit: Visit, address: str, name: str, zone: str) -> UUID:
    async with visit.services.database.transaction(()) as tx:
        mailbox_id: UUID = await tx.value("settings_new_id")
    async with visit.services.database.transaction((*visit.who.mailboxes, mailbox_id)) as tx:
        owner = await tx.value("settings_address_of", visit.who.organisation_id, identity(address))
        if owner is not None:
            raise Refused("address", "taken", owner=owner)
        await tx.run("settings_mailbox_add", mailbox_id, visit.who.organisation_id, address, name, zone)
        await claim_address(tx, visit, mailbox_id, identity(address))
        await _furnish(tx, mailbox_id)
        after = {"address": address, "name": name, "timezone": zone}
        await tx.run("api_audit", mailbox_id, visit.who.actor, "mailbox_added", f"mailbox/{mailbox_id}", None, after)
    return mailbox_id


async def _furnish(tx: Transaction, mailbox_id: UUID) -> None:
    """Settings with their defaults and the breakers of P93."""
    await tx.run("settings_config_add", mailbox_id)
    rows = [
        (mailbox_id, b.kind, str(b.threshold), _seconds(b.window), b.min_sample, _seconds(b.cool_down), b.probe_limit)
        for b in default_breakers()
    ]
    await tx.run_many("settings_breaker_add", rows)


def _seconds(span: timedelta) -> int:
    return int(span.total_seconds())
