"""Sources and their secrets on the page: shown once, rotated with overlap, revoked at once; the shell text works
(RC15, RS-02, RS-03)."""

import asyncio
import time
import uuid
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from api.dashboard.settings.shell_text import PLACE_OF_SECRET, shell_text
from api.webhooks.signatures import sign_standard
from tests.browser.visitors import Reader
from tests.integration.running import Running, mail
from tests.integration.settings_forms import ROOT, form_of, person, save, texts

SOURCES = f"{ROOT}/sources"


@pytest.fixture
def reachable(api_only: Running) -> Running:
    """An installation that knows under which address it is reached."""
    services = api_only.app.state.services
    services.settings = services.settings.model_copy(update={"public_url": api_only.url})
    return api_only


async def in_a_shell(text: str) -> str:
    """What the text prints in a POSIX shell."""
    process = await asyncio.create_subprocess_exec(
        "sh", "-eu", "-c", text, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    printed, _ = await process.communicate()
    return printed.decode()


async def made(admin: Reader, name: str, kind: str = "raw") -> Any:
    """Adds a source; the answer, which is the only one with its secret."""
    return await save(admin, SOURCES, kind=kind, name=name)


def secret_on(page: str) -> str:
    """The secret that a page shows."""
    return texts(page, "#secret")[0]


async def post(running: Running, name: str, secret: str) -> int:
    """The status of a mail signed with this secret."""
    body, event, now = mail(), f"evt-{uuid.uuid4()}", int(time.time())
    headers = {"webhook-id": event, "webhook-timestamp": str(now)}
    headers["webhook-signature"] = sign_standard(secret, event, now, body)
    answer = await running.request("POST", f"/webhooks/raw/{name}", token="", content=body, headers=headers)
    return answer.status_code


async def test_the_shell_text_of_a_new_source_delivers_a_mail(reachable: Running) -> None:  # RC15, AD3
    """Word for word as the page shows it: openssl signs, curl posts, the answer is 200 and the mail is stored."""
    admin = await person(reachable)
    page = (await made(admin, "shop-1")).text
    shell = LexborHTMLParser(page).css_first("#source-shop-1 pre.shell").text()
    assert secret_on(page) in shell
    printed = await in_a_shell(shell)
    assert printed.startswith("HTTP/1.1 200") and '"duplicate":false' in printed.replace(" ", "")
    source, recipients = "SELECT source FROM accepted_mail ORDER BY received_at DESC LIMIT 1", "support@shop.example"
    assert await reachable.value(source) == "shop-1" and recipients in shell


async def test_the_shell_text_of_a_json_source_delivers_a_mail(reachable: Running) -> None:  # RS-02
    """The secret is put into the first line, as the page says; so does the text with a wrong one, which is refused."""
    admin = await person(reachable)
    await admin.get(SOURCES)
    shell = LexborHTMLParser(admin.page).css_first("#source-mta pre.shell").text()
    assert (await in_a_shell(shell)).startswith("HTTP/1.1 401")
    printed = await in_a_shell(shell.replace(PLACE_OF_SECRET, reachable.login.mta_secret))
    assert printed.startswith("HTTP/1.1 200"), printed


@pytest.mark.parametrize("to", ["o'brien@shop.example", "$(touch x)@shop.example", "a`id`%s\\n@shop.example"])
@pytest.mark.parametrize("kind", ["raw", "mta"])
async def test_an_address_cannot_leave_its_place_in_the_shell(reachable: Running, kind: str, to: str) -> None:
    """Whatever characters an address holds, the text stays one mail to it."""
    secret = reachable.login.raw_secret if kind == "raw" else reachable.login.mta_secret
    name = "default" if kind == "raw" else "mta"
    printed = await in_a_shell(shell_text(kind, name, reachable.url, to, secret))
    assert printed.startswith("HTTP/1.1 200"), printed
    stored = await reachable.value(
        "SELECT string_agg(convert_from(c.bytes, 'UTF8'), '') FROM accepted_mail a JOIN blob_chunks c "
        "ON c.sha256 = a.blob_sha256 WHERE a.message_id = (SELECT max(message_id::text)::uuid FROM accepted_mail)"
    )
    assert to.replace("\\", "\\\\" if kind == "mta" else "\\") in stored


async def test_a_secret_is_shown_once(reachable: Running) -> None:  # RC15
    """In the answer that made it and nowhere else: no page, audit row or session holds it, and at rest it is sealed."""
    admin = await person(reachable)
    secret = secret_on((await made(admin, "once")).text)
    for path in (SOURCES, f"{ROOT}/history", SOURCES + "/once/rotate"):
        assert secret not in (await admin.get(path)).text
    kept = await reachable.value("SELECT string_agg(concat(before, after), '') FROM audit_log")
    flashes = await reachable.value("SELECT string_agg(concat(flash, undo), '') FROM sessions")
    assert secret not in kept and secret not in (flashes or "") and "secret_id" in kept
    sealed = await reachable.value("SELECT sealed FROM webhook_secrets WHERE source = 'once'")
    assert secret.encode() not in bytes(sealed)


async def test_rotation_overlaps_and_revoking_ends_at_once(reachable: Running) -> None:  # RS-03
    """Both pass; a third is refused and changes nothing; the revoked one fails at once, the other goes on."""
    admin = await person(reachable)
    old = secret_on((await made(admin, "turning")).text)
    assert await post(reachable, "turning", old) == 200
    new = secret_on((await save(admin, SOURCES, f"{SOURCES}/turning/rotate")).text)
    assert new != old and [await post(reachable, "turning", s) for s in (old, new)] == [200, 200]
    await admin.get(SOURCES)
    assert (await admin.post(f"{SOURCES}/turning/rotate")).status_code == 409
    ids = await reachable.rows("SELECT id FROM webhook_secrets WHERE source = 'turning' ORDER BY created_at")
    assert len(ids) == 2
    await admin.get(SOURCES)
    assert (await admin.post(f"{SOURCES}/turning/secrets/{ids[0]['id']}/revoke")).status_code == 303
    assert [await post(reachable, "turning", s) for s in (old, new)] == [401, 200]
    assert (await admin.post(f"{SOURCES}/default/secrets/{ids[1]['id']}/revoke")).status_code == 404
    await admin.post(f"{SOURCES}/turning/secrets/{ids[1]['id']}/revoke")
    assert await post(reachable, "turning", new) == 503
    rows = await reachable.rows("SELECT action FROM audit_log WHERE subject = 'source/turning' ORDER BY id")
    assert [r["action"] for r in rows] == ["source_added", *["secret_made"] * 2, *["secret_revoked"] * 2]


async def test_a_paused_source_tells_senders_to_come_back(reachable: Running) -> None:  # RC15
    """503 at once, and 200 again once it is open; both are in the log."""
    admin = await person(reachable)
    secret = secret_on((await made(admin, "resting")).text)
    path = f"{SOURCES}/resting/pause"
    assert await post(reachable, "resting", secret) == 200
    await save(admin, SOURCES, path)
    assert await post(reachable, "resting", secret) == 503
    await save(admin, SOURCES, path)
    assert await post(reachable, "resting", secret) == 200
    rows = await reachable.rows("SELECT action FROM audit_log WHERE subject = 'source/resting' ORDER BY id")
    assert [r["action"] for r in rows] == ["source_added", "secret_made", "source_paused", "source_resumed"]


@pytest.mark.parametrize(("name", "status"), [("", 422), ("-x", 422), ("a/b", 422), ("x" * 65, 422), ("default", 409)])
async def test_a_source_that_cannot_be_is_refused(reachable: Running, name: str, status: int) -> None:  # RC2
    """With the reason; what was typed stays, no secret is made."""
    admin = await person(reachable)
    before = await reachable.value("SELECT count(*) FROM webhook_secrets")
    answer = await made(admin, name)
    assert answer.status_code == status and texts(answer.text, ".state.bad")
    assert await reachable.value("SELECT count(*) FROM webhook_secrets") == before
    assert form_of(answer.text, SOURCES)["name"] == [name]
    assert (await admin.post(SOURCES, {"kind": "ingest", "name": "x"})).status_code == 422
