"""How the agent works in one mailbox: every setting with its range, saved as a whole or not at all (P112, P113)."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from api.dashboard.settings import problems
from api.dashboard.settings.fields import SECTIONS, Field, fields_of, meant, shown, typed
from api.dashboard.settings.hours import next_holidays, regions, zones
from api.dashboard.settings.mailbox import Box, find_mailbox, kept_fields, show_box
from api.dashboard.settings.preview import preview_of
from api.dashboard.visit import Visit
from api.dashboard.words import Words
from api.errors import not_found
from api.mailboxes import change_config
from api.settings_body import ConfigBody


@dataclass
class Entry:
    """A field, what stands in it, and what is wrong with that."""

    field: Field
    value: Any
    problem: str = ""


async def agent_page(visit: Visit) -> Response:
    """One section of the settings."""
    section, box, row = await _read(visit)
    entries = [Entry(f, shown(f, row.get(f.name, f.default))) for f in fields_of(section)]
    return await _show(visit, box, section, _with_kept(visit, entries), _seen(section, row))


def _with_kept(visit: Visit, entries: list[Entry]) -> list[Entry]:
    """What was typed before a session ended stands in its fields again; ticks cannot be told apart from none."""
    kept = kept_fields(visit, visit.request.path_params["section"])
    for entry in entries:
        if entry.field.kind not in ("yes_no", "days"):
            entry.value = kept.get(entry.field.name, entry.value)
    return entries


async def _read(visit: Visit) -> tuple[str, Box, dict[str, Any]]:
    section = visit.request.path_params["section"]
    if section not in SECTIONS:
        raise not_found("page")
    mailbox_id = visit.path_id("mailbox_id")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        box = await find_mailbox(tx, visit, mailbox_id)
        row = await tx.must("api_config", mailbox_id)
    return section, box, dict(row)


def _seen(section: str, row: dict[str, Any]) -> str:
    """A mark of the values a form was made from; it changes when somebody else saves meanwhile."""
    values = {field.name: str(row.get(field.name)) for field in fields_of(section)}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


async def save(visit: Visit) -> Response:
    """Saves a section, or says what is wrong and keeps what was typed; with `preview` it only shows the texts."""
    visit.who.require("admin", role="admin")
    section, box, row = await _read(visit)
    entries = [Entry(f, typed(f, visit.form.all(f.name))) for f in fields_of(section)]
    if visit.form.get("preview"):
        return await _show(visit, box, section, entries, visit.form.get("seen"))
    wanted = _checked(visit, entries)
    if wanted is None:
        return await _show(visit, box, section, entries, visit.form.get("seen"), status=422)
    if not await _saved(visit, box.id, section, wanted):
        _, _, now = await _read(visit)
        return await _show(visit, box, section, entries, _seen(section, now), status=409, theirs=_theirs(entries, now))
    await visit.note(kind="done", action="settings")
    return RedirectResponse(visit.request.url.path, 303)


def _checked(visit: Visit, entries: list[Entry]) -> ConfigBody | None:
    """The settings meant; None after each wrong entry was told its problem."""
    values: dict[str, Any] = {}
    for entry in entries:
        try:
            values[entry.field.name] = meant(entry.field, entry.value)
        except ValueError:
            entry.problem = problems.spoken(visit.words, entry.field, "decimal_parsing")
    try:
        body = ConfigBody(**values) if values else None
    except ValidationError as wrong:
        _tell(visit, entries, wrong)
        return None
    return None if any(entry.problem for entry in entries) else body


def _tell(visit: Visit, entries: list[Entry], wrong: ValidationError) -> None:
    found = problems.of_errors(visit.words, [e.field for e in entries], wrong.errors())
    for entry in entries:
        entry.problem = entry.problem or found.get(entry.field.name, "")


async def _saved(visit: Visit, mailbox_id: UUID, section: str, body: ConfigBody) -> bool:
    """False where somebody else saved since the form was made; then nothing is changed."""
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        await tx.one("api_settings_lock", mailbox_id)
        row = await tx.must("api_config", mailbox_id)
        if _seen(section, dict(row)) != visit.form.get("seen"):
            return False
        await change_config(tx, visit.who, mailbox_id, body)
    return True


def _theirs(entries: list[Entry], row: dict[str, Any]) -> list[tuple[Field, Any]]:
    """What is saved now, where it differs from what was typed."""
    now = ((entry, shown(entry.field, row.get(entry.field.name))) for entry in entries)
    return [(entry.field, value) for entry, value in now if value != entry.value]


def _about(words: Words, name: str) -> str:
    """What a setting does; a new one may not have its sentence yet."""
    said = words.named("about_setting", name)
    return "" if said == name.replace("_", " ") else said


async def _show(
    visit: Visit, box: Box, section: str, entries: list[Entry], seen: str, status: int = 200, **values: Any
) -> Response:
    given = {entry.field.name: entry.value for entry in entries}
    return await show_box(
        visit, box, section, "settings_agent.html", status, entries=entries, seen=seen,
        about=lambda name: _about(visit.words, name), bounds=lambda field: problems.bounds(visit.words, field),
        zones=zones(), regions=regions() if section == "hours" else (),
        default=lambda field: shown(field, field.default),
        holidays=next_holidays(given.get("holidays_region", ""), visit.words.language),
        preview=preview_of(visit.words, given) if section == "replies" else None, **{"theirs": [], **values},
    )  # fmt: skip
