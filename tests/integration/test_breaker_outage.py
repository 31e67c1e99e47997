"""A model outage from the first failed call to the last mail answered, and the breakers over HTTP (P93-P96, 15.1)."""

from typing import Any
from uuid import UUID

from activities.breakers import Breakers
from activities.rollup import Rollup
from adapters.postgres import Database
from domain.metrics import RollupReport, RollupRequest
from tests.integration.running import Running, mail
from tests.peers.model_behaviour import Fails
from tests.peers.model_peer import DEFAULT_ANSWERS

SCHEMAS = ("guard_verdict", "classify_answer", "self_check", "draft_answer")


async def roll(pipeline: Running) -> RollupReport:
    """What the schedule does every five minutes."""

    async def there() -> RollupReport:
        database = await Database.connect(pipeline.database_url, name="test-rollup")
        try:
            return await Rollup(database, Breakers(database)).rollup(RollupRequest())
        finally:
            await database.close()

    return await pipeline.call(there())


async def breakers(pipeline: Running, token: str | None = None) -> dict[str, Any]:
    """GET the breakers by kind."""
    answer = await pipeline.get(f"/api/mailboxes/{pipeline.mailbox_id}/breakers", token=token)
    assert answer.status_code == 200, answer.text
    return {row["kind"]: row for row in answer.json()}


async def holding(pipeline: Running) -> int:
    """How many hold for the model."""
    return int(await pipeline.value("SELECT count(*) FROM inbound_messages WHERE hold_reason = 'llm_breaker'"))


async def test_an_outage_holds_mail_and_loses_none(pipeline: Running) -> None:  # P93-P96, A92
    """It trips without waiting for a rollup; the rest hold; half-open they all go on, and it closes on evidence."""
    for name in SCHEMAS:
        pipeline.model.answer(name, Fails(503))
    messages = [await pipeline.arrive(mail(subject=f"Outage {n}")) for n in range(14)]

    async def tripped() -> bool:
        return bool((await breakers(pipeline))["llm_failure"]["state"] == "open" and await holding(pipeline) >= 3)

    await pipeline.eventually(tripped, lambda: "the breaker did not open")
    seen = (await breakers(pipeline))["llm_failure"]
    assert seen["last_total"] >= 10 and seen["last_bad"] / seen["last_total"] > 0.2
    for name in SCHEMAS:
        pipeline.model.answer(name, DEFAULT_ANSWERS[name])
    await pipeline.sql(
        "UPDATE agent_circuit_breakers SET tripped_at = now() - interval '901 seconds' WHERE state = 'open'"
    )
    await pipeline.sql("UPDATE agent_config SET retry_after_s = 10")
    await roll(pipeline)
    for message in messages:
        await _comes_through(pipeline, message)
    await roll(pipeline)
    assert (await breakers(pipeline))["llm_failure"]["state"] == "closed" and await holding(pipeline) == 0
    moves = await pipeline.rows("SELECT after ->> 'state' AS state FROM audit_log WHERE action = 'breaker' ORDER BY id")
    assert [m["state"] for m in moves] == ["open", "half_open", "closed"]
    steps = await pipeline.rows("SELECT DISTINCT step FROM llm_usage WHERE mailbox_id = $1", pipeline.mailbox_id)
    assert {"security_scan", "classify", "draft"} <= {s["step"] for s in steps}  # P110


async def _comes_through(pipeline: Running, message: UUID) -> None:
    status = "SELECT processing_status FROM inbound_messages WHERE id = $1"

    async def there() -> bool:
        found = await pipeline.value(status, message)
        if found == "failed":  # what failed before the breaker opened is tried again by its own timer
            await pipeline.act(message, "retry")
        return bool(found == "draft_ready")

    await pipeline.eventually(there, lambda: f"{message} did not come through")


async def test_a_reset_takes_an_admin_and_a_note(pipeline: Running) -> None:  # P96
    """Refused without either, refused where there is nothing to reset, audited where it was done."""
    path = f"/api/mailboxes/{pipeline.mailbox_id}/breakers/rejection_spike/reset"
    assert (await pipeline.post(path, {"note": "why not"})).status_code == 409
    await pipeline.sql(
        "UPDATE agent_circuit_breakers SET state = 'open', tripped_at = now() WHERE kind = 'rejection_spike'"
    )
    reviewer = await pipeline.person("reviewer", "read", "review")
    assert (await pipeline.post(path, {"note": "please"}, token=reviewer)).status_code == 403
    for body in ({}, {"note": ""}, {"note": "   "}, {"note": "x", "force": True}):
        assert (await pipeline.post(path, body)).status_code == 422
    assert (await breakers(pipeline, reviewer))["rejection_spike"]["state"] == "open"
    answer = await pipeline.post(path, {"note": "the reviewer was new"})
    row = next(r for r in answer.json() if r["kind"] == "rejection_spike")
    assert (row["state"], row["recovered_at"] is not None) == ("closed", True)
    assert row["reason"].startswith("reset by ") and row["reason"].endswith(": the reviewer was new")
    audited = await pipeline.rows("SELECT * FROM audit_log WHERE subject = 'breaker/rejection_spike'")
    assert len(audited) == 1 and audited[0]["actor"].startswith("user:")
    assert (await pipeline.post(path.replace("rejection_spike", "nothing"), {"note": "x"})).status_code == 422
    assert (
        await pipeline.post(path.replace(str(pipeline.mailbox_id), str(UUID(int=1))), {"note": "x"})
    ).status_code == 404


async def test_numbers_over_http(pipeline: Running) -> None:  # 15.1
    """The windows of the rollup; hours out of range are refused by name."""
    await roll(pipeline)
    path = f"/api/mailboxes/{pipeline.mailbox_id}/metrics"
    rows = (await pipeline.get(path)).json()
    assert {"queue_depth", "held_depth"} <= {r["metric"] for r in rows}
    for hours in (0, 169, "x"):
        refused = await pipeline.get(path, params={"hours": hours})
        assert refused.status_code == 422 and "hours" in refused.json()["message"]


async def test_a_reviewer_says_what_a_mail_is_about(pipeline: Running) -> None:  # 15.1
    """Agreement and correction are both samples; the newest word counts; what is not classified cannot be labelled."""
    message = await pipeline.arrive()
    await pipeline.until(message, "draft_ready")
    path, reviewer = f"/api/messages/{message}/category", await pipeline.person("reviewer", "review")
    assert (await pipeline.put(path, {"category": "support"}, token=reviewer)).json()["agrees"]
    answer = await pipeline.put(path, {"category": "billing"}, token=reviewer)
    assert answer.json() == {"category": "billing", "model_category": "support", "agrees": False}
    rows = await pipeline.rows("SELECT * FROM category_labels WHERE message_id = $1", message)
    assert [(r["model_category"], r["category"]) for r in rows] == [("support", "billing")]
    viewer = await pipeline.person("viewer", "read")
    assert (await pipeline.put(path, {"category": "sales"}, token=viewer)).status_code == 403
    assert (await pipeline.put(path, {"category": "weather"})).status_code == 422
    assert (await pipeline.put(f"/api/messages/{UUID(int=5)}/category", {"category": "sales"})).status_code == 404
