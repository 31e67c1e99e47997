"""The small page: signing in with a token, what it shows, and that nothing foreign can act in it (HU1, HU5, HU7)."""

from tests.integration.running import Running, mail

POLICY = "default-src 'none'"


async def signed_in(api_only: Running, token: str | None = None) -> str:
    """The session cookie."""
    form = {"token": token or api_only.login.api_token}
    answer = await api_only.request(
        "POST", "/dashboard/sign-in", token="", data=form, headers={"sec-fetch-site": "same-origin"}
    )
    assert answer.status_code == 303 and answer.headers["location"] == "/dashboard"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and api_only.login.api_token not in cookie
    return cookie.split(";")[0]


async def test_the_page_wants_a_sign_in(api_only: Running) -> None:  # HU7
    """Without a session, with a forged cookie or a wrong token there is only the form."""
    for headers in ({}, {"cookie": "deskhand=ImZvcmdlZCI.x.y"}):
        answer = await api_only.get("/dashboard", token="", headers=headers)
        assert answer.status_code == 303 and answer.headers["location"] == "/dashboard/sign-in"
    form = await api_only.get("/dashboard/sign-in", token="")
    assert form.status_code == 200 and form.headers["content-security-policy"].startswith(POLICY)
    wrong = await api_only.request("POST", "/dashboard/sign-in", token="", data={"token": "dh_" + "x" * 43})
    assert wrong.status_code == 401 and "set-cookie" not in wrong.headers


async def test_the_page_shows_accounts_and_newest_mail_escaped(api_only: Running) -> None:  # GL3, HU3
    """The identity, and each message with its run; what a sender wrote stays text."""
    cookie = await signed_in(api_only)
    page = await api_only.get("/dashboard", token="", headers={"cookie": cookie})
    assert page.status_code == 200 and "accepted =" in page.text and "0 lost" in page.text
    assert "<script" not in page.text and page.headers["x-content-type-options"] == "nosniff"
    assert "Offline model" not in page.text


async def test_a_form_from_another_site_is_refused(api_only: Running) -> None:  # HU5
    """By Sec-Fetch-Site, or by Origin where a browser does not send that."""
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}, {"origin": "null"}):
        form = {"token": api_only.login.api_token}
        answer = await api_only.request("POST", "/dashboard/sign-in", token="", data=form, headers=headers)
        assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert (await api_only.request("GET", "/dashboard/sign-out", token="")).status_code == 405


async def test_a_revoked_token_ends_its_session(api_only: Running) -> None:  # HU7
    """At the next request."""
    made = (await api_only.post("/api/tokens", {"name": "page", "scopes": ["read"]})).json()
    cookie = await signed_in(api_only, made["token"])
    assert (await api_only.get("/dashboard", token="", headers={"cookie": cookie})).status_code == 200
    await api_only.request("DELETE", f"/api/tokens/{made['id']}")
    assert (await api_only.get("/dashboard", token="", headers={"cookie": cookie})).status_code == 303


async def test_the_offline_model_is_named(pipeline: Running) -> None:
    """A banner, so that nobody takes template drafts for a model's; subjects are escaped and bidi marks isolated."""
    pipeline.app.state.services.settings = pipeline.settings.model_copy(update={"deskhand_offline_model": True})
    await pipeline.arrive(mail(subject="<script>alert(1)</script>"))

    async def listed() -> bool:
        cookie = await signed_in(pipeline)
        page = (await pipeline.get("/dashboard", token="", headers={"cookie": cookie})).text
        assert "Offline model" in page and "<script" not in page
        return "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>" in page and "/workflows/message%2F" in page

    await pipeline.eventually(listed)


async def test_the_api_page_lists_every_endpoint(api_only: Running) -> None:
    """It needs no script and nothing from elsewhere."""
    page = (await api_only.get("/docs", token="")).text
    schema = (await api_only.get("/openapi.json", token="")).json()
    assert all(f"{m.upper()} {path}" in page for path, methods in schema["paths"].items() for m in methods)
    assert "http://" not in page and "https://" not in page and "<script" not in page


async def test_health_names_what_is_degraded(api_only: Running) -> None:  # RC12, RC13
    """Open to everybody; 200 while mail is accepted, 503 without the database; a late relay shows."""
    body = (await api_only.get("/healthz", token="")).json()
    assert body["database"] and body["temporal"] and body["status"] == "ok"
    await api_only.arrive()
    await api_only.sql("UPDATE start_queue SET created_at = now() - interval '3 minutes' WHERE started_at IS NULL")
    late = (await api_only.get("/healthz", token="")).json()
    assert late["degraded"] == ["relay"] and late["relay_backlog"]["oldest_s"] >= 180
    await api_only.call(api_only.gate.shut())
    try:
        assert (await api_only.get("/healthz", token="")).status_code == 503
        answer = await api_only.get("/api/messages")
        assert answer.status_code == 503 and answer.headers["retry-after"] == "5"
    finally:
        await api_only.call(api_only.gate.open())
    metrics = await api_only.get("/metrics")
    assert metrics.status_code == 200 and "deskhand_webhook_total" in metrics.text
