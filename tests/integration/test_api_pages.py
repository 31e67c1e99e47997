"""The page of the API and what everybody may know about health; the pages for people are tested in tests/browser."""

from tests.integration.running import Running


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
