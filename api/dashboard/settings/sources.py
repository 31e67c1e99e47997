"""Ways in and their secrets: made here and shown once, rotated with both valid for a while, revoked at once (RC15).

A secret is in one answer and nowhere else in the clear: no session, log or audit row ever holds it, so the page that
shows it is the answer to the form itself.
"""

import base64
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.responses import RedirectResponse, Response

from adapters.postgres import Transaction
from adapters.sealing import seal
from adapters.sources import MOST_SECRETS
from api.dashboard.frame import show
from api.dashboard.settings.mailbox import boxes_of
from api.dashboard.settings.shell_text import shell_text, webhook_url
from api.dashboard.visit import Visit
from api.errors import not_found

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
SECRET_BYTES = 32
MTA = "mta"
PAGE = "/dashboard/settings/sources"


@dataclass(frozen=True)
class Way:
    """A source with its active secrets, newest first, and what to paste into a shell."""

    name: str
    kind: str
    paused: bool
    last_at: datetime | None
    secrets: list[Any]
    url: str
    shell: str

    @property
    def may_rotate(self) -> bool:
        """Whether another secret fits in beside the present ones."""
        return len(self.secrets) < MOST_SECRETS


async def sources_page(visit: Visit) -> Response:
    """All of them."""
    return await _show(visit)


async def _show(
    visit: Visit, status: int = 200, *, fresh: tuple[str, str] = ("", ""), problem: str = "", typed: str = ""
) -> Response:
    """`fresh` is a source and the secret just made for it."""
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        ways = await _ways(tx, visit, fresh)
    kinds = [kind for kind in ("raw", MTA) if kind != MTA or all(way.kind != MTA for way in ways)]
    return await show(
        visit, "settings_sources.html", status, ways=ways, kinds=kinds, fresh=fresh[0], secret=fresh[1],
        problem=problem, typed=typed,
    )  # fmt: skip


async def _ways(tx: Transaction, visit: Visit, fresh: tuple[str, str]) -> list[Way]:
    rows = await tx.rows("settings_sources", visit.who.organisation_id, None)
    active = await tx.rows("settings_secrets", [row["name"] for row in rows])
    boxes = await boxes_of(tx, visit.who.organisation_id)
    to, base_url = boxes[0].address if boxes else "support@example.org", visit.services.settings.dashboard_base_url()
    return [_way(row, [s for s in active if s["source"] == row["name"]], base_url, to, fresh) for row in rows]


def _way(row: Any, active: list[Any], base_url: str, to: str, fresh: tuple[str, str]) -> Way:
    name, kind = row["name"], row["kind"]
    known = {"secret": fresh[1]} if name == fresh[0] else {}
    text = shell_text(kind, name, base_url, to, **known)
    return Way(name, kind, row["paused"], row["last_at"], active, webhook_url(kind, name, base_url), text)


def new_secret(kind: str) -> str:
    """32 random bytes in the form the kind of source takes."""
    if kind == MTA:
        return secrets.token_hex(SECRET_BYTES)
    return "whsec_" + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


async def add(visit: Visit) -> Response:
    """A new source with its first secret, shown in this answer."""
    visit.who.require("admin", role="admin")
    kind, typed = visit.form.get("kind"), visit.form.get("name").strip()
    name = MTA if kind == MTA else typed
    if kind not in ("raw", MTA) or not NAME.fullmatch(name):
        return await _show(visit, 422, problem=visit.words("settings.sources.bad_name"), typed=typed)
    secret = new_secret(kind)
    async with visit.services.database.transaction(()) as tx:
        added = await tx.value("settings_source_add", name, visit.who.organisation_id, kind)
        if added:
            await _audit(tx, visit, "source_added", name, None, {"kind": kind})
            await _keep(tx, visit, name, secret)
    if not added:
        return await _show(visit, 409, problem=visit.words("settings.sources.taken", name=name), typed=typed)
    visit.services.sources.forget(name)
    return await _show(visit, fresh=(name, secret))


async def _keep(tx: Transaction, visit: Visit, name: str, secret: str) -> None:
    """Seals a secret; the audit holds its id."""
    made = await tx.value("settings_secret_add", name, seal(visit.services.keyring, secret))
    await _audit(tx, visit, "secret_made", name, None, {"secret_id": str(made)})


async def _audit(tx: Transaction, visit: Visit, action: str, name: str, before: Any, after: Any) -> None:
    await tx.run("api_audit", None, visit.who.actor, action, f"source/{name}", before, after)


async def _locked(tx: Transaction, visit: Visit) -> Any:
    row = await tx.one("settings_source_lock", visit.request.path_params["name"], visit.who.organisation_id)
    if row is None:
        raise not_found("source")
    return row


async def rotate(visit: Visit) -> Response:
    """A second secret beside the first; both are taken until the old one is revoked. A third is refused."""
    visit.who.require("admin", role="admin")
    async with visit.services.database.transaction(()) as tx:
        row = await _locked(tx, visit)
        name, secret = row["name"], new_secret(row["kind"])
        room = len(await tx.rows("settings_secrets", [name])) < MOST_SECRETS
        if room:
            await _keep(tx, visit, name, secret)
    if not room:
        return await _show(visit, 409, problem=visit.words("settings.sources.two", name=name))
    visit.services.sources.forget(name)
    return await _show(visit, fresh=(name, secret))


async def revoke(visit: Visit) -> Response:
    """Ends one secret; mail signed with it is refused from then on."""
    visit.who.require("admin", role="admin")
    secret_id = visit.path_id("secret_id")
    async with visit.services.database.transaction(()) as tx:
        name = (await _locked(tx, visit))["name"]
        if await tx.value("settings_secret_revoke", secret_id, name) is None:
            raise not_found("secret")
        await _audit(tx, visit, "secret_revoked", name, {"secret_id": str(secret_id)}, None)
    return await _done(visit, name)


async def pause(visit: Visit) -> Response:
    """A paused source answers 503: senders keep their mail and try again (RC's table)."""
    visit.who.require("admin", role="admin")
    paused = visit.form.get("paused") == "yes"
    async with visit.services.database.transaction(()) as tx:
        row = await _locked(tx, visit)
        if row["paused"] != paused:
            await tx.run("settings_source_pause", row["name"], paused)
            action = "source_paused" if paused else "source_resumed"
            await _audit(tx, visit, action, row["name"], {"paused": not paused}, {"paused": paused})
    return await _done(visit, row["name"])


async def _done(visit: Visit, name: str) -> Response:
    visit.services.sources.forget(name)
    await visit.note(kind="done", action="settings")
    return RedirectResponse(PAGE, 303)
