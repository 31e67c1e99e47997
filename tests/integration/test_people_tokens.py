"""API tokens on the page: made and shown once, listed with their use, revoked; the rules are those of the API (HU8)."""

import re
from typing import Any

from tests.browser.visitors import Reader, new_person
from tests.integration.running import Running

PLACE = "/dashboard/settings/access"
TOKEN = re.compile(r"dh_[\w-]{20,}")


async def admin_at(running: Running) -> Reader:
    """An administrator at the page of tokens."""
    reader = Reader(running)
    await reader.sign_in(await new_person(running, "admin"))
    assert (await reader.get(PLACE)).status_code == 200
    return reader


async def make(reader: Reader, name: str, *scopes: str, **fields: str) -> Any:
    """Sends the form."""
    return await reader.post(PLACE, {"act": "make", "name": name, "scopes": list(scopes), "days": "90", **fields})


async def test_a_token_is_shown_once_works_and_ends(api_only: Running) -> None:  # HU8
    """In the answer to the form and nowhere else; its last use shows; revoked, it is refused at once."""
    admin = await admin_at(api_only)
    answer = await make(admin, "night report", "read")
    token = TOKEN.search(answer.text)
    assert answer.status_code == 200 and token
    assert (await api_only.get("/api/messages", token=token[0])).status_code == 200
    page = (await admin.get(PLACE)).text
    assert "night report" in page and token[0] not in page and "Last used" in page
    rows = await api_only.rows("SELECT * FROM api_tokens WHERE name = 'night report'")
    assert len(rows) == 1 and token[0] not in str(rows) and rows[0]["last_used_at"] is not None
    revoked = await admin.post(PLACE, {"act": "revoke", "token_id": str(rows[0]["id"]), "back": PLACE})
    assert revoked.status_code == 303 and "The token is revoked." in (await admin.get(PLACE)).text
    assert (await api_only.get("/api/messages", token=token[0])).status_code == 401
    subject = f"token/{rows[0]['id']}"
    audited = await api_only.rows("SELECT action FROM audit_log WHERE subject = $1 ORDER BY id", subject)
    assert [row["action"] for row in audited] == ["token_made", "token_revoked"]


async def test_what_no_token_may_is_refused_in_words(api_only: Running) -> None:  # HU8
    """Both sides of a draft, more than the person's role, no name, nothing picked; the form keeps its state."""
    admin = await admin_at(api_only)
    viewer = await new_person(api_only, "viewer")
    person = str(await api_only.value("SELECT id FROM users WHERE email = $1", viewer))
    before = await api_only.value("SELECT count(*) FROM api_tokens")
    for answer, words in (
        (await make(admin, "both", "propose", "review"), "approve one; make two"),
        (await make(admin, "more", "review", person=person), "does not allow that much"),
        (await make(admin, " ", "read"), "what the token is for"),
        (await make(admin, "nothing"), "at least one thing"),
        (await make(admin, "long", "read", days="99999"), "cannot make such a token"),
        (await make(admin, "odd", "everything"), "cannot make such a token"),
        (await make(admin, "whose", "read", person="00000000-0000-7000-8000-000000000000"), "no such person"),
    ):
        assert answer.status_code == 422 and words in answer.text, words
    assert await api_only.value("SELECT count(*) FROM api_tokens") == before


async def test_only_administrators_make_and_revoke(api_only: Running) -> None:  # HU8
    """403 for a reviewer; a token that is not there, 404."""
    reviewer = Reader(api_only)
    await reviewer.sign_in(await new_person(api_only, "reviewer"))
    assert (await reviewer.get(PLACE)).status_code == 403
    await reviewer.get("/dashboard/inbox")
    assert (await make(reviewer, "mine", "read")).status_code == 403
    admin = await admin_at(api_only)
    for token_id in ("00000000-0000-7000-8000-000000000000", "nonsense"):
        assert (await admin.post(PLACE, {"act": "revoke", "token_id": token_id})).status_code == 404
    assert (await admin.post(PLACE, {"act": "everything"})).status_code == 404
