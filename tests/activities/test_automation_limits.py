"""Limits of automatic sending that hold at the last moment: probes of half-open breakers, sixty an hour (P95, LO2)."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from activities.sending import Delivery
from contracts.delivery import HandOver, HandOverReport
from contracts.lifecycle import Approve, EndStep, Outcome
from contracts.status import Status, StepKind
from contracts.workflow import DeliverRequest, DeliverState
from domain.keys import Keyring
from tests.activities.conftest import World, mail_bytes, route_output
from tests.activities.metric_rows import breaker, half_open_breaker, open_breaker

TO_APPROVED: dict[str, Any] = {"to": Status.APPROVED, "reason": "auto"}


class Channel:
    """Takes every mail."""

    name, recognises_repeats = "test", False

    async def hand_over(self, mail: Any, **more: Any) -> HandOverReport:
        """Sent."""
        return HandOverReport(result=HandOver.SENT)


async def candidate(world: World, n: int) -> UUID:
    """A draft that its route step would send."""
    message = await world.arrive(mail_bytes(sender=f"c{n}@kunde.example"))
    await world.to_drafted(message)
    await world.store(message, StepKind.ROUTE, route_output(outcome="auto_approve", charge="global"))
    return message


async def end_route(world: World, message: UUID) -> Outcome:
    """The route step ends in an automatic approval, if nothing objects."""
    return await world.do(message, EndStep(step=StepKind.ROUTE, **TO_APPROVED), "1.0:route:end")


async def ready(world: World, message: UUID) -> Any:
    """The row of its reply that waits to be sent."""
    return await world.sql.fetchval("SELECT id FROM outbox WHERE message_id = $1 AND state = 'ready'", message)


async def deliver(world: World, message: UUID, row: Any = None) -> DeliverState:
    """The send activity for the message's reply."""
    outbox = row or await ready(world, message)
    delivery = Delivery(world.database, Channel(), Keyring(b"k" * 32), "test")
    request = DeliverRequest(outbox_id=outbox, message_id=message, mailbox_id=world.mailbox_id)
    return (await delivery.deliver(request)).state


@pytest.fixture
async def automatic(world: World) -> World:
    """Automatic replies are on, without a delay."""
    await world.configure(
        is_auto_reply_enabled=True, auto_send_delay_ms=0, human_undo_ms=0, max_daily_auto_replies=1000
    )
    return world


async def test_three_of_ten_pass_a_half_open_breaker(automatic: World) -> None:
    """P95, A91: counted in the transaction of the approval; the others go to review and charge no cap."""
    world = automatic
    messages = [await candidate(world, n) for n in range(8)]
    await half_open_breaker(world, "rejection_spike")
    await asyncio.gather(*(end_route(world, m) for m in messages))
    assert sorted([await world.status(m) for m in messages]) == ["approved"] * 3 + ["draft_ready"] * 5
    assert {(await world.events(m))[-1][2] for m in messages} == {"auto", "breaker_open"}
    assert (await breaker(world, "rejection_spike"))["probes_used"] == 3
    assert (await breaker(world, "llm_failure"))["probes_used"] == 0
    assert (
        await world.sql.fetchval(
            "SELECT daily_auto_reply_count FROM agent_config WHERE mailbox_id = $1", world.mailbox_id
        )
        == 3
    )


async def test_what_does_not_go_through_uses_up_no_probe(automatic: World) -> None:
    """P95, P85: the cap refused it, so the door is as wide as before."""
    world = automatic
    message = await candidate(world, 1)
    await world.configure(max_daily_auto_replies=0)
    await half_open_breaker(world)
    await end_route(world, message)
    assert (await world.events(message))[-1][2] == "daily_cap"
    assert (await breaker(world))["probes_used"] == 0


async def test_a_breaker_that_opened_after_the_route_step_looked_stops_it(automatic: World) -> None:
    """P79, P95: asked again in the transaction that approves."""
    message = await candidate(automatic, 1)
    await open_breaker(automatic, "confidence_degradation")
    assert (await end_route(automatic, message)).to_status is Status.DRAFT_READY
    decision = await automatic.sql.fetchrow("SELECT * FROM autonomy_decisions WHERE message_id = $1", message)
    assert (decision["outcome"], decision["reason"]) == ("human_review", "breaker_open")


async def sent_before(world: World, message: UUID, count: int, ago: str = "30 minutes") -> None:
    """Automatic replies that left within the hour, in other threads of this mailbox."""
    await world.sql.execute(
        "INSERT INTO outbox (id, mailbox_id, message_id, thread_id, reply_slot, state, automatic, decided_by, revision,"
        " sender, recipients, recipients_hash, subject, body_sha256, rfc_message_id, send_at, claimed_at, decided_at)"
        " SELECT gen_random_uuid(), mailbox_id, id, thread_id, 'old:' || n || $4, 'sent', true, 'agent', 0,"
        " 'a@shop.example',"
        " '{b@kunde.example}', '', '', '', n || $4, now(), now() - $3::text::interval, now() - $3::text::interval"
        " FROM inbound_messages, generate_series(1, $2) n WHERE id = $1", message, count, ago, str(uuid4()),
    )  # fmt: skip


async def test_the_sixty_first_of_an_hour_stops_the_mailbox(automatic: World) -> None:
    """LO2, RS-73: it goes back to review, automation is off with an alert, people's replies still leave."""
    world = automatic
    await world.sql.execute("INSERT INTO feature_flags VALUES ($1, 'ai.autonomy', true, 'test')"
                            " ON CONFLICT (mailbox_id, flag) DO UPDATE SET is_on = true", world.mailbox_id)  # fmt: skip
    old, last, one_more, by_hand = [await candidate(world, n) for n in range(4)]
    await sent_before(world, old, 59)
    await sent_before(world, old, 20, "61 minutes")
    for message in (last, one_more):
        await end_route(world, message)
    assert await deliver(world, last) is DeliverState.SENT
    assert await world.sql.fetchval("SELECT count(*) FROM kill_switches") == 0
    assert await deliver(world, one_more) is DeliverState.WITHDRAWN
    assert await world.status(one_more) == "draft_ready"
    switch = await world.sql.fetchrow("SELECT * FROM kill_switches")
    assert (switch["mailbox_id"], switch["thrown_by"], switch["lifted_at"]) == (world.mailbox_id, "deskhand", None)
    assert "60 automatic replies" in switch["cause"]
    assert not await world.sql.fetchval(
        "SELECT is_auto_reply_enabled FROM agent_config WHERE mailbox_id = $1", world.mailbox_id
    )
    assert not await world.sql.fetchval(
        "SELECT is_on FROM feature_flags WHERE flag = 'ai.autonomy' AND mailbox_id = $1", world.mailbox_id
    )
    assert await world.sql.fetchval("SELECT count(*) FROM audit_log WHERE action = 'kill_switch'") == 1
    await end_route(world, by_hand)
    assert await world.status(by_hand) == "draft_ready"
    await world.do(by_hand, Approve(), actor="user:1")
    assert await deliver(world, by_hand) is DeliverState.SENT


async def test_claims_at_the_same_moment_cannot_pass_the_ceiling(automatic: World) -> None:
    """LO2: four candidates, room for two: two leave, and one switch is thrown."""
    world = automatic
    messages = [await candidate(world, n) for n in range(5)]
    await sent_before(world, messages[0], 58)
    for message in messages[1:]:
        await end_route(world, message)
    pairs = [(m, await ready(world, m)) for m in messages[1:]]
    states = await asyncio.gather(*(deliver(world, m, row) for m, row in pairs))
    assert sorted(states) == sorted([DeliverState.SENT] * 2 + [DeliverState.WITHDRAWN] * 2)
    assert await world.sql.fetchval("SELECT count(*) FROM kill_switches") == 1
