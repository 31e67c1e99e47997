"""Knowledge over HTTP: upload, progress, search, promotion, and the page of the dashboard (P104, P107)."""

from typing import Any
from uuid import UUID

import httpx2
import pytest

from tests.activities.knowledge_samples import PAGE, locked_pdf, zip_of
from tests.browser.visitors import Reader
from tests.integration.running import Running
from tests.integration.settings_forms import form_of, person, texts


def at(running: Running, path: str = "") -> str:
    """An address below the knowledge of the mailbox."""
    return f"/api/mailboxes/{running.mailbox_id}/knowledge{path}"


async def upload(running: Running, name: str, content: bytes, **query: str) -> dict[str, Any]:
    """Sends a file and waits for the end of its import."""
    params = {"name": name, **query}
    answer = await running.request("POST", at(running, "/imports"), params=params, content=content)
    assert answer.status_code == 202, answer.text
    shown: dict[str, Any] = answer.json()

    async def ended() -> bool:
        shown.update((await running.get(at(running, f"/imports/{shown['id']}"))).json())
        return shown["state"] != "running"

    await running.eventually(ended, lambda: str(shown))
    return shown


async def claim(running: Running, text: str) -> str:
    """A claim of a contact's mail."""
    return str(
        await running.value(
            """WITH c AS (INSERT INTO contacts (organisation_id, address) SELECT id, $2 || '@kunde.example'
                FROM organisations RETURNING id)
               INSERT INTO knowledge_entries (mailbox_id, contact_id, type, trust, said_by, source_message_id, title,
                content, content_sha256, language)
               SELECT $1, id, 'fact', 'unverified', $2 || '@kunde.example', uuidv7(), $2, $2, $2, 'en' FROM c
               RETURNING id""",
            running.mailbox_id, text,
        )  # fmt: skip
    )


async def test_an_upload_is_imported_and_found(api_only: Running) -> None:
    """P104: by API, with progress, refusals by name, provenance and place."""
    raw = zip_of({"delivery.md": PAGE.encode(), "locked.pdf": locked_pdf(), "logo.png": b"x"})
    done = await upload(api_only, "C:\\help\\site.zip", raw, collection="site")
    assert (done["state"], done["name"], done["seen"], done["stored"]) == ("done", "site.zip", 2, 2)
    assert [(r["name"], r["reason"]) for r in done["refused"]] == [("site.zip/locked.pdf", "password")]
    found = (await api_only.get(at(api_only), params={"q": "what does delivery cost"})).json()
    first = found["entries"][0]
    assert (first["title"], first["trust"], first["contact"]) == ("Delivery > Costs", "verified", None)
    assert first["places"][0]["source"] == "site/site.zip/delivery.md"
    again = await upload(api_only, "site.zip", raw, collection="site")
    assert (again["stored"], again["known"]) == (0, 2)


async def test_a_file_larger_than_other_bodies_is_taken(api_only: Running) -> None:
    """The bound of 1 MiB holds everywhere but here; what is too large for a file is refused by name."""
    large = b"<html><!--" + b"x" * 1_500_000 + b"--><h1>Big</h1><p>One sentence.</p></html>"
    done = await upload(api_only, "big.html", large)
    assert (done["state"], done["refused"], done["stored"]) == ("done", [], 1)
    body = {"trust": "verified", "padding": "x" * 1_100_000}
    refused = await api_only.post(at(api_only, f"/{UUID(int=1)}/promote"), body)
    assert refused.status_code == 413


async def test_a_document_is_taken_back(api_only: Running) -> None:
    """What it alone holds is in no search for prompts any more."""
    await upload(api_only, "parking.md", b"# Parking\n\nTwenty places behind the house.\n")
    documents = (await api_only.get(at(api_only, "/documents"))).json()
    one = next(d for d in documents if d["source"] == "parking.md")
    answer = await api_only.request("DELETE", at(api_only, f"/documents/{one['id']}"))
    assert answer.json() == {"retired": 1}
    entries = (await api_only.get(at(api_only), params={"q": "parking places behind the house"})).json()["entries"]
    assert {e["past"] for e in entries if e["title"] == "Parking"} == {"retired"}


async def test_only_an_admin_changes_knowledge_and_only_of_an_own_mailbox(api_only: Running) -> None:
    """HM-32: others get 403, a foreign mailbox is 404 whoever asks."""
    entry = await claim(api_only, "zirkon")
    reviewer = await api_only.person("reviewer", "read", "review")
    for action in ("retire", "demote", "restore"):
        assert (await api_only.post(at(api_only, f"/{entry}/{action}"), {}, token=reviewer)).status_code == 403
    sent = await api_only.request(
        "POST", at(api_only, "/imports"), token=reviewer, params={"name": "a.md"}, content=b"# A"
    )
    assert sent.status_code == 403
    foreign = f"/api/mailboxes/{UUID(int=9)}/knowledge"
    assert (await api_only.get(foreign)).status_code == 404
    assert (await api_only.post(f"{foreign}/{entry}/retire", {})).status_code == 404


async def test_a_claim_is_promoted_by_api_and_taken_back(api_only: Running) -> None:
    """P104: a person's act, with its limits said in words."""
    entry = await claim(api_only, "beryll")
    policy = await api_only.post(at(api_only, f"/{entry}/promote"), {"trust": "policy"})
    assert policy.json() == {"trust": "policy"}
    again = await api_only.post(at(api_only, f"/{entry}/promote"), {"trust": "verified"})
    assert (again.status_code, again.json()["error"]) == (409, "not_allowed")
    assert (await api_only.post(at(api_only, f"/{entry}/demote"), {})).json() == {"trust": "unverified"}
    assert (await api_only.post(at(api_only, f"/{UUID(int=3)}/retire"), {})).status_code == 404


@pytest.mark.parametrize("path", ["?q=delivery%00%20costs%20what", "/documents?after=%00", "?q=%ED%A0%80"])
async def test_what_no_database_stores_is_no_error(api_only: Running, path: str) -> None:
    """A NUL or half a character in a question is left out, not a fault of ours."""
    assert (await api_only.get(at(api_only, path))).status_code == 200


@pytest.mark.parametrize("name", ["", "..", "/", "\u202e\u200b"])
async def test_a_name_that_is_none_is_refused(api_only: Running, name: str) -> None:
    """HK4: a name is shown, never a path."""
    params = {"name": name}
    answer = await api_only.request("POST", at(api_only, "/imports"), params=params, content=b"# A\n\nb")
    assert answer.status_code == 422


async def test_the_page_lists_searches_promotes_and_retires(api_only: Running) -> None:
    """The dashboard by plain forms; what a stranger wrote is shown as text."""
    entry = await claim(api_only, "<script>alert(1)</script> topas")
    admin = await person(api_only)
    page = (await admin.get("/dashboard/knowledge?trust=unverified")).text
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
    form = {**form_of(page, f"/dashboard/knowledge/{entry}"), "act": ["promote"], "everybody": ["1"]}
    assert (await admin.post(f"/dashboard/knowledge/{entry}", form)).status_code == 303
    assert await api_only.value("SELECT trust FROM knowledge_entries WHERE id = $1", UUID(entry)) == "verified"
    found = (await admin.get("/dashboard/knowledge?q=topas")).text
    assert texts(found, "#rows b bdi")[0].endswith("topas")
    form = {**form_of(found, f"/dashboard/knowledge/{entry}"), "act": ["retire"]}
    await admin.post(f"/dashboard/knowledge/{entry}", form)
    assert await api_only.value("SELECT retired_at IS NOT NULL FROM knowledge_entries WHERE id = $1", UUID(entry))


async def test_the_page_imports_files(api_only: Running) -> None:
    """P104: from the browser without script; a form without the session's token imports nothing."""
    admin = await person(api_only)
    page = (await admin.get("/dashboard/knowledge")).text
    fields = {name: values[-1] for name, values in form_of(page, "/dashboard/knowledge/import").items() if values}
    files = {"files": ("rhodonit.md", b"# Rhodonit\n\nA pink stone.\n", "text/markdown")}
    forged = await _send(admin, {**fields, "csrf": "forged"}, files)
    sent = await _send(admin, fields, files)
    assert (forged.status_code, sent.status_code) == (303, 303)

    async def stored() -> bool:
        return bool(await api_only.value("SELECT count(*) FROM knowledge_entries WHERE title = 'Rhodonit'"))

    await api_only.eventually(stored)
    assert await api_only.value("SELECT count(*) FROM knowledge_imports WHERE name = 'rhodonit.md'") == 1


async def _send(reader: Reader, fields: dict[str, str], files: dict[str, Any]) -> httpx2.Response:
    """As a browser sends a form with files."""
    headers = {"cookie": "; ".join(f"{k}={v}" for k, v in reader.cookies.items()), "sec-fetch-site": "same-origin"}
    return await reader.running.request(
        "POST", "/dashboard/knowledge/import", token="", data=fields, files=files, headers=headers
    )
