"""A browser without a script in front of the settings: opens pages, fills in forms as they stand, sends them."""

from typing import Any

import httpx2
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.browser.visitors import Reader, new_person
from tests.integration.running import Running

ROOT = "/dashboard/settings"


async def person(running: Running, role: str = "admin", name: str = "") -> Reader:
    """Somebody new, signed in and at the settings."""
    reader = Reader(running)
    assert (await reader.sign_in(await new_person(running, role, name))).status_code == 303
    await reader.get(ROOT)
    return reader


def form_of(page: str, action: str) -> dict[str, list[str]]:
    """The fields of the form with this address, as a browser would send them."""
    form = next(f for f in LexborHTMLParser(page).css("form") if f.attributes.get("action") == action)
    sent: dict[str, list[str]] = {}
    for node in form.css("input, textarea, select"):
        name, values = node.attributes.get("name"), _values(node)
        if name:
            sent.setdefault(name, []).extend(values)
    return sent


def _values(node: LexborNode) -> list[str]:
    if node.tag == "textarea":
        return [node.text().removeprefix("\n")]
    if node.tag == "select":
        chosen = [o for o in node.css("option") if "selected" in o.attributes] or node.css("option")[:1]
        return [_option(o) for o in chosen]
    if node.attributes.get("type") == "checkbox" and "checked" not in node.attributes:
        return []
    return [node.attributes.get("value") or ""]


def _option(node: LexborNode) -> str:
    value = node.attributes.get("value")
    return node.text() if value is None and "value" not in node.attributes else value or ""


async def save(reader: Reader, path: str, action: str = "", **changed: Any) -> httpx2.Response:
    """Opens a page, changes some fields of its form and sends it; a list sets several values, None leaves one out."""
    assert (await reader.get(path)).status_code == 200
    fields = form_of(reader.page, action or path)
    fields |= {name: value if isinstance(value, list) else [value] for name, value in changed.items()}
    return await reader.post(action or path, {n: v for n, v in fields.items() if v != [None]})


def texts(page: str, selector: str) -> list[str]:
    """The text of every node that a selector finds."""
    return [" ".join(node.text().split()) for node in LexborHTMLParser(page).css(selector)]


def box(running: Running, part: str = "") -> str:
    """A page of the default mailbox."""
    return f"{ROOT}/mailboxes/{running.mailbox_id}{f'/{part}' if part else ''}"


async def config(running: Running) -> dict[str, Any]:
    """What is saved."""
    found: dict[str, Any] = (await running.get(f"/api/mailboxes/{running.mailbox_id}")).json()["config"]
    return found


async def last_change(running: Running) -> Any:
    """The newest row of the audit log that is no sign-in."""
    rows = await running.rows("SELECT * FROM audit_log WHERE action <> 'sign_in' ORDER BY id DESC LIMIT 1")
    return rows[0]
