"""Signing in, and the walls around every form of the pages (HU1, HU5, HU7)."""

from tests.browser.visitors import PASSWORD, Reader, new_person
from tests.integration.running import Running

INBOX = "/dashboard/inbox"


async def signed_in(api_only: Running, role: str = "reviewer") -> Reader:
    """Somebody new at the inbox."""
    reader = Reader(api_only)
    assert (await reader.sign_in(await new_person(api_only, role))).status_code == 303
    assert (await reader.get(INBOX)).status_code == 200
    return reader


async def test_a_page_asks_to_sign_in_and_comes_back(api_only: Running) -> None:  # HU7
    """Without a session there is only the form, which leads back to the page asked for, and never elsewhere."""
    reader = Reader(api_only)
    answer = await reader.get("/dashboard/inbox/review?at=1")
    assert answer.headers["location"] == "/dashboard/sign-in?next=%2Fdashboard%2Finbox%2Freview%3Fat%3D1"
    email = await new_person(api_only, "reviewer")
    for target, expected in (
        ("/dashboard/inbox/review", "/dashboard/inbox/review"),
        ("https://evil.example/", INBOX),
        ("//evil.example", INBOX),
    ):
        await reader.get("/dashboard/sign-in")
        welcome = await reader.post("/dashboard/sign-in", {"email": email, "password": PASSWORD, "next": target})
        assert welcome.status_code == 303 and welcome.headers["location"] == expected


async def test_the_cookie_holds_an_opaque_id_that_is_hashed_at_rest(api_only: Running) -> None:  # HU7
    """HttpOnly and SameSite=Lax; the name has no prefix over plain http; a new id at every sign-in."""
    reader = Reader(api_only)
    email = await new_person(api_only, "reviewer")
    first = await reader.sign_in(email)
    cookie = next(c for c in first.headers.get_list("set-cookie") if c.startswith("deskhand="))
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Secure" not in cookie
    before = reader.cookies["deskhand"]
    assert not await api_only.value("SELECT count(*) FROM sessions WHERE id_hash = $1", before)
    await reader.sign_in(email)
    assert reader.cookies["deskhand"] != before
    reader.cookies["deskhand"] = before
    assert (await reader.get(INBOX)).status_code == 303


async def test_headers_let_nothing_else_in(api_only: Running) -> None:  # HU1
    """The policy of HU1, no inline script or style, htmx without eval."""
    reader = await signed_in(api_only)
    answer = await reader.get(INBOX)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'") and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["referrer-policy"] == "same-origin"
    assert (
        "<style" not in answer.text
        and " style=" not in answer.text
        and " on" not in [a[:3] for a in answer.text.split("<script")[1:]]
    )
    assert '"allowEval":false' in answer.text


async def test_a_form_needs_its_token_and_to_come_from_here(api_only: Running) -> None:  # HU5
    """Another site, no word of where it comes from, or a token of another session: 403, and nothing happens."""
    reader, other = await signed_in(api_only), await signed_in(api_only)
    path = "/dashboard/sign-out"
    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
    ):
        assert (await reader.post(path, **headers)).status_code == 403, headers
    assert (await reader.ask("POST", path, {"csrf": ""})).status_code == 403
    for form in ({"csrf": "0" * 64}, {"csrf": ""}):
        assert (await reader.post(path, form)).status_code == 403
    reader.page = other.page
    assert (await reader.post(path)).status_code == 403
    assert (await reader.get(INBOX)).status_code == 200
    assert (await reader.get(path)).status_code == 405


async def test_signing_out_ends_the_session_on_the_server(api_only: Running) -> None:  # HU7
    """The old cookie is of no use afterwards."""
    reader = await signed_in(api_only)
    value = reader.cookies["deskhand"]
    assert (await reader.post("/dashboard/sign-out")).status_code == 303
    reader.cookies = {"deskhand": value}
    assert (await reader.get(INBOX)).status_code == 303


async def test_guessing_is_slowed_down_per_account(api_only: Running) -> None:  # HU7
    """After five failures even the right password waits; other people do not; unknown addresses read the same."""
    email, reader = await new_person(api_only, "reviewer"), Reader(api_only)
    wrong = [await reader.sign_in(email, "wrong") for _ in range(5)]
    unknown = await Reader(api_only).sign_in("nobody@team.example", "wrong")
    assert [a.status_code for a in (*wrong, unknown)] == [401] * 6
    assert "Address or password is wrong." in wrong[0].text and "Address or password is wrong." in unknown.text
    await api_only.sql("UPDATE sign_in_failures SET failures = 12 WHERE failures = 5")
    assert (await reader.sign_in(email)).status_code == 429
    assert (await Reader(api_only).sign_in(await new_person(api_only, "viewer"))).status_code == 303
    await api_only.sql("UPDATE sign_in_failures SET last_at = now() - interval '16 minutes'")
    assert (await reader.sign_in(email)).status_code == 303


async def test_a_changed_password_role_or_account_ends_sessions(api_only: Running) -> None:  # HU7
    """At the next request; so do twelve idle hours and seven days."""
    changes = (
        "UPDATE users SET password_hash = password_hash || 'x' WHERE id = $1",
        "UPDATE users SET role = 'viewer' WHERE id = $1",
        "UPDATE users SET disabled_at = now() WHERE id = $1",
        "UPDATE sessions SET seen_at = now() - interval '13 hours' WHERE user_id = $1",
        "UPDATE sessions SET created_at = now() - interval '8 days' WHERE user_id = $1",
    )
    for change in changes:
        reader = await signed_in(api_only)
        user = await api_only.value("SELECT user_id FROM sessions ORDER BY created_at DESC LIMIT 1")
        await api_only.sql(change, user)
        assert (await reader.get(INBOX)).status_code == 303, change


async def test_what_was_typed_survives_an_expired_session(api_only: Running) -> None:  # issue: bad input
    """The form of sign-in carries the text along; afterwards it is the one thing told."""
    reader = await signed_in(api_only)
    await api_only.sql("UPDATE sessions SET ended_at = now()")
    path = "/dashboard/messages/00000000-0000-7000-8000-000000000000/write_reply"
    lost = await reader.post(path, {"text": "A long <b>answer</b>", "back": "/dashboard/inbox/review"})
    assert lost.status_code == 200 and 'name="kept_text" value="A long &lt;b&gt;answer&lt;/b&gt;"' in lost.text
    email = await new_person(api_only, "reviewer")
    form = {
        "email": email,
        "password": PASSWORD,
        "next": "/dashboard/inbox/review",
        "kept_text": "A long <b>answer</b>",
    }
    back = await reader.post("/dashboard/sign-in", form)
    assert back.headers["location"] == "/dashboard/inbox/review"
    assert "Your text was kept" in (await reader.get("/dashboard/inbox/review")).text


async def test_the_language_is_the_users_choice_else_the_browsers(api_only: Running) -> None:
    """German by Accept-Language, English once chosen."""
    reader = await signed_in(api_only)
    german = await reader.get(INBOX, **{"accept-language": "de-AT,de;q=0.9,en;q=0.5"})
    assert 'lang="de"' in german.text and "Posteingang" in german.text
    assert (
        await reader.post("/dashboard/preferences", {"language": "en", "scheme": "dark", "back": INBOX})
    ).status_code == 303
    chosen = await reader.get(INBOX, **{"accept-language": "de"})
    assert 'lang="en" data-scheme="dark"' in chosen.text


async def test_a_dead_database_is_said_in_words(api_only: Running) -> None:
    """503 with a way back, never an empty list."""
    reader = await signed_in(api_only)
    await api_only.call(api_only.gate.shut())
    try:
        answer = await reader.get(INBOX)
        assert answer.status_code == 503 and "The database does not answer" in answer.text
    finally:
        await api_only.call(api_only.gate.open())
