"""Switches of a mailbox: the kill switch, the flags with their ancestors, and the settings (P92, P112, P113)."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from activities.knowledge.backfill import begin_if_first
from adapters.postgres import Transaction
from api.acts import NoteText
from api.auth import Principal, Who
from api.docs import GUARDED
from api.errors import not_found
from api.rows import plain
from api.services import Deskhand
from api.settings_body import ConfigBody

Flag = Literal["ai", "ai.agent", "ai.autonomy", "ai.knowledge"]
ANCESTORS: dict[str, tuple[str, ...]] = {
    "ai": (),
    "ai.agent": ("ai",),
    "ai.autonomy": ("ai.agent", "ai"),
    "ai.knowledge": ("ai",),
}

router = APIRouter(prefix="/api/mailboxes", tags=["mailboxes"], responses=GUARDED)


class FlagState(BaseModel):
    """`on` is the flag's own value; `effective` also asks its ancestors."""

    flag: Flag
    on: bool
    effective: bool
    changed_by: str = ""
    changed_at: datetime | None = None


class MailboxState(BaseModel):
    """One mailbox with its switches and settings."""

    id: UUID
    address: str
    name: str
    timezone: str
    kind: str
    flags: list[FlagState]
    kill_switches: list[dict[str, Any]]
    switched_off: bool
    config: dict[str, Any]


class MailboxRow(BaseModel):
    """One mailbox in the list."""

    id: UUID
    address: str
    name: str
    timezone: str
    kind: str
    is_default: bool
    switched_off_at: datetime | None


class FlagBody(BaseModel):
    """Turn a flag on or off."""

    model_config = ConfigDict(extra="forbid")

    on: bool


class SwitchBody(BaseModel):
    """Why the switch is thrown."""

    model_config = ConfigDict(extra="forbid")

    cause: NoteText = "thrown by a person"


@router.get("")
async def mailboxes(services: Deskhand, who: Who) -> list[MailboxRow]:
    """The mailboxes you see."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        rows = await tx.rows("api_mailboxes", who.organisation_id)
    return [MailboxRow(**plain(row)) for row in rows]


@router.get("/{mailbox_id}")
async def mailbox(mailbox_id: UUID, services: Deskhand, who: Who) -> MailboxState:
    """One mailbox with flags, kill switches and settings."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        return await _state(tx, who, mailbox_id)


async def _state(tx: Transaction, who: Principal, mailbox_id: UUID) -> MailboxState:
    row = await known_mailbox(tx, who, mailbox_id)
    switches = [plain(s) for s in await tx.rows("api_switches", mailbox_id)]
    return MailboxState(
        **plain(row),
        flags=await flags_of(tx, mailbox_id),
        kill_switches=switches,
        switched_off=any(s["lifted_at"] is None for s in switches),
        config=_config(await tx.one("api_config", mailbox_id)),
    )


async def known_mailbox(tx: Transaction, who: Principal, mailbox_id: UUID) -> Any:
    """The mailbox, or 404 if it is unknown or another organisation's."""
    row = await tx.one("api_mailbox", mailbox_id, who.organisation_id)
    if row is None:
        raise not_found("mailbox")
    return row


async def flags_of(tx: Transaction, mailbox_id: UUID) -> list[FlagState]:
    """Every flag, also those nobody ever set."""
    rows = {row["flag"]: row for row in await tx.rows("api_flags", mailbox_id)}
    on = {flag for flag, row in rows.items() if row["is_on"]}
    return [
        FlagState(
            flag=flag,
            on=flag in on,
            effective=on.issuperset({flag, *above}),
            changed_by=rows[flag]["changed_by"] if flag in rows else "",
            changed_at=rows[flag]["changed_at"] if flag in rows else None,
        )
        for flag, above in ANCESTORS.items()
    ]


def _config(row: Any) -> dict[str, Any]:
    return plain(row, "mailbox_id", "daily_auto_reply_count", "daily_auto_reply_reset_at") if row else {}


@router.put("/{mailbox_id}/flags/{flag}")
async def set_flag(mailbox_id: UUID, flag: Flag, body: FlagBody, services: Deskhand, who: Who) -> list[FlagState]:
    """Turn a flag on, with everything above it, or off, with effect on everything below it."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        await tx.one("api_settings_lock", mailbox_id)
        before = await flags_of(tx, mailbox_id)
        for name in (flag, *ANCESTORS[flag]) if body.on else (flag,):
            await _switch_flag(tx, who, mailbox_id, name, body.on)
        after = await flags_of(tx, mailbox_id)
        if _agent_on(after) and not _agent_on(before):
            await tx.run("api_wake_held", mailbox_id, f"flag/{uuid4()}")
        if body.on:
            await begin_if_first(tx, mailbox_id, who.actor)
    return after


async def _switch_flag(tx: Transaction, who: Principal, mailbox_id: UUID, flag: str, on: bool) -> None:
    known = {row["flag"]: row["is_on"] for row in await tx.rows("api_flags", mailbox_id)}
    if known.get(flag, False) == on:
        return
    await tx.run("api_flag_set", mailbox_id, flag, on, who.actor)
    action = "flag_on" if on else "flag_off"
    await tx.run("api_audit", mailbox_id, who.actor, action, flag, {"is_on": not on}, {"is_on": on})


def _agent_on(flags: list[FlagState]) -> bool:
    return any(f.flag == "ai.agent" and f.effective for f in flags)


@router.post("/{mailbox_id}/kill_switch")
async def kill_switch(mailbox_id: UUID, services: Deskhand, who: Who, body: SwitchBody | None = None) -> MailboxState:
    """Stop all automatic sending of this mailbox at once; pending sends go back to review, drafting goes on."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        await tx.one("switch_lock", mailbox_id)
        await tx.one("api_settings_lock", mailbox_id)
        cause = (body or SwitchBody()).cause
        thrown = await tx.one("api_switch_throw", mailbox_id, who.actor, cause)
        await _switch_flag(tx, who, mailbox_id, "ai.autonomy", False)
        await tx.run("api_auto_reply_off", mailbox_id)
        after = {"id": str(thrown["id"]) if thrown else "", "cause": cause}
        await tx.run("api_audit", mailbox_id, who.actor, "kill_switch", f"mailbox/{mailbox_id}", None, after)
    return await mailbox(mailbox_id, services, who)


@router.post("/{mailbox_id}/lift")
async def lift(mailbox_id: UUID, services: Deskhand, who: Who) -> MailboxState:
    """Lift the kill switch. Flags and automatic replies stay off until somebody turns them on."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        await tx.one("api_settings_lock", mailbox_id)
        lifted = await tx.rows("api_switch_lift", mailbox_id, who.actor)
        if lifted:
            after = {"ids": [str(row["id"]) for row in lifted]}
            await tx.run("api_audit", mailbox_id, who.actor, "lift_kill_switch", f"mailbox/{mailbox_id}", None, after)
    return await mailbox(mailbox_id, services, who)


@router.put("/{mailbox_id}/config")
async def set_config(mailbox_id: UUID, body: ConfigBody, services: Deskhand, who: Who) -> MailboxState:
    """Change settings; fields that are not named stay as they are, a value out of range is refused by name."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        await tx.one("api_settings_lock", mailbox_id)
        await change_config(tx, who, mailbox_id, body)
    return await mailbox(mailbox_id, services, who)


async def change_config(tx: Transaction, who: Principal, mailbox_id: UUID, body: ConfigBody) -> None:
    """Writes what the body names and audits what changed; the caller holds the settings lock."""
    before = _config(await tx.one("api_config", mailbox_id))
    await tx.run("api_config_set", mailbox_id, body.model_dump(mode="json", exclude_unset=True))
    after = _config(await tx.one("api_config", mailbox_id))
    changed = [name for name in after if after[name] != before[name]]
    if changed:
        old, new = ({n: str(v[n]) for n in changed} for v in (before, after))
        await tx.run("api_audit", mailbox_id, who.actor, "config", f"mailbox/{mailbox_id}", old, new)
