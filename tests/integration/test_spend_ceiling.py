"""A reached ceiling on a running Deskhand: mail waits, people reply, and new money ends the wait (P111, A95)."""

from tests.integration.running import Running
from tests.integration.test_breaker_outage import roll


async def test_mail_waits_for_money_and_people_do_not(pipeline: Running) -> None:  # P111, A95
    """Held in `received` without a model call; a reply by hand leaves; a higher ceiling lets the rest go on."""
    await pipeline.config(daily_budget_usd=1, human_undo_ms=0)
    await pipeline.sql(
        "INSERT INTO llm_usage (mailbox_id, task, model, outcome, cost_usd) VALUES ($1, 'draft', 'm', 'ok', 1)",
        pipeline.mailbox_id,
    )
    held, by_hand = await pipeline.arrive(), await pipeline.arrive()
    for message in (held, by_hand):

        async def holds(m: object = message) -> bool:
            found = await pipeline.value("SELECT hold_reason FROM inbound_messages WHERE id = $1", m)
            return bool(found == "spend_ceiling")

        await pipeline.eventually(holds)
    assert not pipeline.model.calls
    assert (await pipeline.act(by_hand, "write_reply", text="A person answers.")).status_code == 200
    assert (await pipeline.approve(by_hand)).status_code == 200
    await pipeline.until(by_hand, "sent")
    assert (await roll(pipeline)).woken == 0
    await pipeline.config(daily_budget_usd=20)
    assert (await roll(pipeline)).woken == 1
    await pipeline.until(held, "draft_ready")
