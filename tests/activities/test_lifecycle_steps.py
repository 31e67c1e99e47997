"""The one writer: transitions of the steps, idempotency by cause, refusals as values."""

import asyncio
from uuid import uuid4

import asyncpg
import pytest

from contracts.classification import Category
from contracts.lifecycle import Archive, Due, EndStep, FailStep, Restore, Retry
from contracts.status import ArchiveReason, HoldReason, Result, Status, StepKind
from tests.activities.conftest import (
    World,
    classify_output,
    context_output,
    draft_output,
    injection,
    mail_bytes,
    route_output,
    scan_output,
)


async def test_plain_message_makes_five_events_and_five_rows(world: World) -> None:
    """A1: received, security_check, classifying, drafting, draft_ready."""
    message = await world.arrive()
    await world.to_draft_ready(message)
    assert [e[1] for e in await world.events(message)] == [
        "received", "security_check", "classifying", "drafting", "draft_ready",
    ]  # fmt: skip
    assert set((await world.steps(message)).values()) == {"completed"}
    assert len(await world.steps(message)) == 5


async def test_same_cause_twice_is_one_event(world: World) -> None:
    """A3, P16: a repeat writes nothing and answers the same; another digest under the key is a conflict."""
    message = await world.arrive()
    await world.enter(message)
    await world.store(message, StepKind.SECURITY_SCAN, scan_output())
    act = EndStep(step=StepKind.SECURITY_SCAN, to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL)
    first = await world.do(message, act, "1.0:security_scan:end")
    again = await world.do(message, act, "1.0:security_scan:end")
    other = await world.do(message, act.model_copy(update={"reason": "x"}), "1.0:security_scan:end")
    assert (first.result, first.to_status) == (again.result, again.to_status) == (Result.OK, Status.CLASSIFYING)
    assert again.repeated and other.result is Result.CONFLICT
    assert len(await world.events(message)) == 3


async def test_concurrent_equal_commands_make_one_event(world: World) -> None:
    """P16: twenty equal calls at once, one effect."""
    message = await world.arrive()
    outcomes = await asyncio.gather(*(world.do(message, Archive(), "req:same") for _ in range(20)))
    assert {o.result for o in outcomes} == {Result.OK}
    assert len(await world.events(message)) == 2


async def test_unknown_message_and_terminal_are_values(world: World) -> None:
    """A4, P17."""
    assert (await world.do(uuid4(), Archive())).result is Result.MESSAGE_NOT_FOUND
    message = await world.arrive()
    await world.do(message, Archive())
    assert (await world.do(message, Archive())).result is Result.TERMINAL


async def test_resuming_without_stored_outputs_is_an_illegal_edge(world: World) -> None:
    """A4: received -> drafting needs every earlier output."""
    message = await world.arrive()
    await world.to_drafting(message)
    await world.do(
        message, FailStep(step=StepKind.DRAFT, error_type="TransientFault", permanent=False), "1.0:draft:end"
    )
    await world.do(message, Retry())
    await world.sql.execute("DELETE FROM step_outputs WHERE message_id = $1 AND kind = 'classify'", message)
    outcome = await world.enter(message)
    assert outcome.result is Result.ILLEGAL_EDGE
    assert await world.status(message) == "received"


async def test_a_step_overtaken_by_a_person_is_refused_and_named(world: World) -> None:
    """A6, P19: the row is failed naming the refusal; no next step starts."""
    message = await world.arrive()
    await world.enter(message)
    await world.do(message, Archive(), actor="user:1")
    outcome = await world.end(
        message, StepKind.SECURITY_SCAN, scan_output(), to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL
    )
    assert outcome.result is Result.TERMINAL
    row = await world.sql.fetchrow(
        "SELECT status, error_message FROM agent_actions WHERE inbound_message_id = $1", message
    )
    assert row["status"] == "failed" and "terminal" in row["error_message"]
    assert list(await world.steps(message)) == ["security_scan"]


async def test_a_step_may_not_take_a_persons_edge(world: World) -> None:
    """P32: security_check -> draft_ready by a step is illegal although the pair exists."""
    message = await world.arrive()
    await world.enter(message)
    outcome = await world.end(message, StepKind.SECURITY_SCAN, scan_output(), to=Status.DRAFT_READY)
    assert outcome.result is Result.ILLEGAL_EDGE
    assert await world.status(message) == "security_check"


async def test_restarts_are_bounded_and_resume_at_the_failed_step(world: World) -> None:
    """A14, A15, P35, P36: three restarts in all, whichever steps fail; then a person."""
    message = await world.arrive()
    await world.configure(retry_after_s=10)
    await world.to_drafting(message)
    for round_no in range(3):
        await _fail_draft(world, message)
        row = await world.row(message)
        assert (row["hold_reason"], row["retry_count"]) == (HoldReason.RETRY_TIMER, round_no)
        await world.sql.execute("UPDATE inbound_messages SET hold_until = now() WHERE id = $1", message)
        await world.do(message, Due(what="retry"))
        outcome = await world.enter(message)
        assert outcome.to_status is Status.DRAFTING
    await _fail_draft(world, message)
    row = await world.row(message)
    assert (row["processing_status"], row["hold_reason"]) == ("failed", None)
    assert (await world.steps(message))["classify"] == "completed"


async def _fail_draft(world: World, message: object) -> None:
    row = await world.row(message)  # type: ignore[arg-type]
    act = FailStep(step=StepKind.DRAFT, error_type="TransientFault", permanent=False)
    await world.do(message, act, f"{row['run_no']}.{row['restart_no']}:draft:end")  # type: ignore[arg-type]


async def test_a_timer_that_fires_early_restarts_nothing(world: World) -> None:
    """P35: what the row says is due decides, not the timer."""
    message = await world.arrive()
    await world.to_drafting(message)
    await _fail_draft(world, message)
    await world.do(message, Due(what="retry"))
    assert await world.status(message) == "failed"


async def test_permanent_errors_get_no_timer(world: World) -> None:
    """A16: failed after one attempt, no timer; a person's retry resumes."""
    message = await world.arrive()
    await world.to_drafting(message)
    await world.do(message, FailStep(step=StepKind.DRAFT, error_type="BadApiKey", permanent=True), "1.0:draft:end")
    assert (await world.row(message))["hold_reason"] is None
    await world.do(message, Retry(), actor="user:1")
    assert (await world.enter(message)).to_status is Status.DRAFTING


async def test_retry_from_the_scan_starts_a_new_run(world: World) -> None:
    """A17, P26: derived fields empty, the old draft stays a revision."""
    message = await world.arrive()
    await world.to_drafted(message)
    await world.do(message, FailStep(step=StepKind.ROUTE, error_type="X", permanent=True), "1.0:route:end")
    await world.do(message, Retry(from_="security_scan"), actor="user:1")
    row = await world.row(message)
    assert (row["run_no"], row["draft_response"], row["classification"], row["security_flags"]) == (2, None, None, None)
    assert await world.sql.fetchval("SELECT count(*) FROM draft_revisions WHERE message_id = $1", message) == 1


async def test_quarantine_and_context_injection(world: World) -> None:
    """E6, E14, A67: the draft row is failed and the evidence is kept."""
    message = await world.arrive()
    await world.to_drafting(message)
    output = draft_output(text="", flags=("context_injection",), evidence=(injection(),))
    await world.end(message, StepKind.DRAFT, output, to=Status.QUARANTINED, reason="context_injection")
    row = await world.row(message)
    assert row["processing_status"] == "quarantined"
    assert '"en.override"' in row["security_flags"]
    assert (await world.steps(message))["draft"] == "failed"


async def test_forced_review_skips_draft_and_route(world: World) -> None:
    """A64, E10: no draft, both rows skipped, thread pending."""
    message = await world.arrive()
    await world.enter(message)
    await world.end(
        message, StepKind.SECURITY_SCAN, scan_output(), to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL
    )
    await world.end(message, StepKind.CONTEXT_RETRIEVAL, context_output(), next_step=StepKind.CLASSIFY)
    await world.end(
        message, StepKind.CLASSIFY, classify_output(Category.COMPLAINT), to=Status.DRAFT_READY, reason="forced_review"
    )
    steps = await world.steps(message)
    assert (steps["draft"], steps["route"]) == ("skipped", "skipped")
    thread = await world.sql.fetchval(
        "SELECT latest_draft_status FROM conversation_threads WHERE id = $1", (await world.row(message))["thread_id"]
    )
    assert thread == "pending"


async def test_restore_only_from_the_reasons_that_allow_it(world: World) -> None:
    """A5, A54, P7: archived as spam comes back and is exempt; dismissed is final."""
    message = await world.arrive()
    await world.enter(message)
    await world.end(message, StepKind.SECURITY_SCAN, scan_output(spam_score=90), to=Status.ARCHIVED, reason="spam")
    assert (await world.do(message, Restore(), actor="user:1")).to_status is Status.RECEIVED
    row = await world.row(message)
    assert (row["archive_reason"], row["exempt_reasons"], row["run_no"]) == (None, ["spam"], 2)
    await world.do(message, Archive(reason=ArchiveReason.DISMISSED))
    assert (await world.do(message, Restore(), actor="user:1")).result is Result.TERMINAL


async def test_the_database_refuses_a_second_writer(world: World) -> None:
    """P15: even the owner of the tables cannot set a status outside a lifecycle transaction."""
    message = await world.arrive()
    with pytest.raises(asyncpg.PostgresError, match="only the lifecycle writes a status"):
        await world.sql.execute("UPDATE inbound_messages SET processing_status = 'failed' WHERE id = $1", message)


async def test_the_database_refuses_a_pair_outside_the_graph(world: World) -> None:
    """P32: the trigger holds the same graph."""
    message = await world.arrive()
    with pytest.raises(asyncpg.PostgresError, match="illegal edge"):
        async with world.sql.transaction():
            await world.sql.execute("SET LOCAL deskhand.writer = 'lifecycle'")
            await world.sql.execute("UPDATE inbound_messages SET processing_status = 'sent' WHERE id = $1", message)


@pytest.mark.parametrize("table", ["lifecycle_events", "ledger_entries"])
async def test_the_trail_is_append_only(world: World, table: str) -> None:
    """P18: enforced by the database."""
    await world.arrive()
    with pytest.raises(asyncpg.PostgresError, match="append-only"):
        await world.sql.execute(f"DELETE FROM {table}")


async def test_a_row_lock_held_long_is_a_transient_fault(world: World, owner_database_url: str) -> None:
    """A12a, P15a: the call gives up after 2 s, its repeat writes one event."""
    message = await world.arrive()
    other = await asyncpg.connect(owner_database_url, server_settings={"search_path": "deskhand"})
    held = other.transaction()
    await held.start()
    await other.execute("SELECT 1 FROM inbound_messages WHERE id = $1 FOR UPDATE", message)
    with pytest.raises(Exception, match="locked"):
        await world.do(message, Archive(), "req:locked")
    await held.rollback()
    await other.close()
    assert (await world.do(message, Archive(), "req:locked")).result is Result.OK
    assert len(await world.events(message)) == 2


async def test_no_row_is_visible_without_a_scope(world: World, database_url: str) -> None:
    """HB1, HM-32: a connection of the product that names no mailbox sees nothing, and it is no superuser."""
    await world.arrive()
    app = await asyncpg.connect(database_url, server_settings={"search_path": "deskhand"})
    assert await app.fetchval("SELECT count(*) FROM inbound_messages") == 0
    assert not await app.fetchval("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    await app.close()


async def test_automatic_approval_charges_the_cap_exactly(world: World) -> None:
    """A77, P85: ten routes at once, cap 3: three approved, seven in review with `daily_cap`."""
    await world.configure(is_auto_reply_enabled=True, max_daily_auto_replies=3)
    messages = [await world.arrive(mail_bytes(sender=f"c{n}@kunde.example")) for n in range(10)]
    for message in messages:
        await world.to_drafted(message)
        await world.store(message, StepKind.ROUTE, route_output(outcome="auto_approve", charge="global"))
    act = EndStep(step=StepKind.ROUTE, to=Status.APPROVED, reason="auto")
    await asyncio.gather(*(world.do(m, act, "1.0:route:end") for m in messages))
    assert sorted([await world.status(m) for m in messages]) == ["approved"] * 3 + ["draft_ready"] * 7
    reasons = {(await world.events(m))[-1][2] for m in messages}
    assert reasons == {"auto", "daily_cap"}


async def test_cap_zero_is_none(world: World) -> None:
    """A77: cap 0 approves nothing, also on a new day."""
    await world.configure(is_auto_reply_enabled=True, max_daily_auto_replies=0)
    message = await world.arrive()
    await world.to_drafted(message)
    await world.end(
        message,
        StepKind.ROUTE,
        route_output(outcome="auto_approve", charge="global"),
        to=Status.APPROVED,
        reason="auto",
    )
    assert await world.status(message) == "draft_ready"
