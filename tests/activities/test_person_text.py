"""What a person's text and a person's request do beside the draft they replace or ask for (P46, P88, E17, E28)."""

from uuid import UUID

from contracts.lifecycle import Approve, Reject, RequestDraft, SendResult, WriteReply
from contracts.status import Status, StepKind
from tests.activities.conftest import World, draft_output, mail_bytes, route_output
from tests.activities.test_core_sending import live, note, put, ready


async def feedback(world: World, message: UUID) -> list[str]:
    """Actions on record."""
    rows = await world.sql.fetch("SELECT action FROM autonomy_feedback WHERE message_id = $1", message)
    return [row["action"] for row in rows]


async def written(world: World) -> UUID:
    """A draft in review, with a person's own text put in its place."""
    await world.configure(human_undo_ms=0)
    message = await ready(world)
    assert (await world.do(message, WriteReply(note_id=await note(world, message)), actor="user:1")).ok
    return message


async def sent(world: World, message: UUID) -> None:
    """Approved as it stands and handed over."""
    assert (await world.do(message, Approve(), actor="user:1")).ok
    outbox = await live(world, message)
    await put(world, outbox, "sent")
    assert (await world.do(message, SendResult(outbox_id=outbox))).to_status is Status.SENT


async def test_a_text_by_hand_says_nothing_about_the_draft_it_replaced(world: World) -> None:
    """P88, E28: no `edited` row, however different the sent text is from the agent's."""
    message = await written(world)
    await sent(world, message)
    assert await feedback(world, message) == []


async def test_rejecting_a_text_by_hand_is_no_feedback(world: World) -> None:
    """P88, E16: the agent's draft was not what was rejected."""
    message = await written(world)
    assert (await world.do(message, Reject(), actor="user:1")).ok
    assert await feedback(world, message) == []


async def test_an_observation_ends_with_the_text_by_hand(world: World) -> None:
    """P83: the reviewer decided, and what was sent was not the draft; no feedback row is needed for that."""
    message = await written(world)
    await world.sql.execute("UPDATE autonomy_decisions SET observed = true, would_have_sent = true")
    await sent(world, message)
    row = await world.sql.fetchrow("SELECT matched, resolved_at FROM autonomy_decisions WHERE message_id = $1", message)
    assert row["matched"] is False and row["resolved_at"] is not None


async def test_a_draft_asked_for_after_a_text_by_hand_counts_again(world: World) -> None:
    """P88: the new run's draft is the agent's, and its approval is on record."""
    message = await written(world)
    await world.do(message, RequestDraft(), actor="user:1")
    await world.end(message, StepKind.DRAFT, draft_output(), next_step=StepKind.ROUTE)
    await world.end(message, StepKind.ROUTE, route_output(), to=Status.DRAFT_READY, reason="x")
    await sent(world, message)
    assert await feedback(world, message) == ["approved"]


async def test_a_requested_draft_is_charged(world: World) -> None:
    """P46, E17: a new run, a new first model call, one more slot of sender and mailbox."""
    message = await ready(world)
    before = {r["sender"]: r["next_slot_at"] for r in await world.sql.fetch("SELECT * FROM rate_budgets")}
    assert (await world.do(message, RequestDraft(), actor="user:1")).to_status is Status.DRAFTING
    after = {r["sender"]: r["next_slot_at"] for r in await world.sql.fetch("SELECT * FROM rate_budgets")}
    assert set(after) == {"", "anna@kunde.example"} and all(after[s] > before[s] for s in after)
    row = await world.row(message)
    assert (row["hold_reason"], row["budget_charged"]) == (None, None)
    assert (await world.steps(message))["draft"] == "running"


async def test_a_requested_draft_over_the_budget_waits_for_its_slot(world: World) -> None:
    """P46, E17: drafting with hold `rate_budget`; its slot come, the draft begins and nothing is paid twice."""
    message = await ready(world)
    await world.sql.execute("UPDATE rate_budgets SET next_slot_at = now() + interval '1 hour' WHERE sender = ''")
    outcome = await world.do(message, RequestDraft(), actor="user:1")
    row = await world.row(message)
    assert (outcome.to_status, row["hold_reason"], row["budget_charged"]) == (Status.DRAFTING, "rate_budget", "both")
    assert row["hold_until"] > row["changed_at"]
    await world.enter(message)
    assert (await world.row(message))["hold_reason"] == "rate_budget"
    booked = await world.sql.fetchval("SELECT next_slot_at FROM rate_budgets WHERE sender = ''")
    await world.sql.execute("UPDATE inbound_messages SET hold_until = now() WHERE id = $1", message)
    await world.enter(message)
    row = await world.row(message)
    assert (row["processing_status"], row["hold_reason"], row["budget_charged"]) == ("drafting", None, None)
    assert await world.sql.fetchval("SELECT next_slot_at FROM rate_budgets WHERE sender = ''") == booked
    assert (await world.end(message, StepKind.DRAFT, draft_output(), next_step=StepKind.ROUTE)).ok


async def test_a_requested_draft_gets_its_slot_with_the_agent_off(world: World) -> None:
    """P46, P60, E17: a person asked; the flag stops only what the agent does by itself."""
    message = await ready(world)
    await world.sql.execute("UPDATE rate_budgets SET next_slot_at = now() + interval '1 hour' WHERE sender = ''")
    await world.do(message, RequestDraft(), actor="user:1")
    await world.sql.execute("UPDATE feature_flags SET is_on = false WHERE flag = 'ai.agent'")
    await world.sql.execute("UPDATE inbound_messages SET hold_until = now() WHERE id = $1", message)
    await world.enter(message)
    assert (await world.row(message))["hold_reason"] is None
    assert (await world.steps(message))["draft"] == "running"


async def test_requests_cannot_flood_the_model(world: World) -> None:
    """P46: the twenty-first draft of one sender within a minute waits, whoever asks."""
    message = await world.arrive(mail_bytes())
    await world.to_draft_ready(message)
    held = 0
    for number in range(20):
        await world.do(message, RequestDraft(), f"again/{number}", actor="user:1")
        held += (await world.row(message))["hold_reason"] == "rate_budget"
        await world.do(message, WriteReply(note_id=await note(world, message)), f"mine/{number}", actor="user:1")
    assert held >= 1
