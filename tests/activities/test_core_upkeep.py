"""Upkeep under stress: the sweep, replies on closed threads, the relay, and faults that say nothing (P23, P30)."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from activities.follow_up import FollowUp
from activities.sweep import Sweep
from adapters.blobs import BlobStore
from adapters.relay import Relay
from contracts.follow_up import FollowUpAct, FollowUpCommand, FollowUpOrder
from contracts.lifecycle import Archive
from contracts.status import OutboxState, Result
from contracts.sweep import SweepRequest
from tests.activities.conftest import World, mail_bytes


class Engine:
    """Says that no workflow is open."""

    async def open_among(self, message_ids: list[UUID]) -> set[UUID]:
        """None."""
        return set()


async def follow_up(world: World) -> tuple[FollowUp, UUID, UUID]:
    """A reply placed on a closed thread: the activity, the message, the outbox id."""
    message = await world.arrive()
    await world.do(message, Archive(), actor="user:1")
    note = await world.sql.fetchval(
        "INSERT INTO review_notes (mailbox_id, message_id, author, kind, text)"
        " VALUES ($1, $2, 'user:1', 'reply', 'Mine.') RETURNING id", world.mailbox_id, message,
    )  # fmt: skip
    activity, outbox = FollowUp(world.database), uuid4()
    order = FollowUpOrder(message_id=message, note_id=note)
    view = await activity.apply(FollowUpCommand(outbox_id=outbox, act=FollowUpAct.PLACE, actor="user:1", order=order))
    assert view.state is OutboxState.READY
    await world.sql.execute(
        "INSERT INTO start_queue (workflow_id, workflow_type, reuse_policy, input, started_at)"
        " VALUES ($1, 'ReplyWorkflow', 'reject_duplicate', '{}', now() - interval '1 hour')", f"reply/{outbox}",
    )  # fmt: skip
    return activity, message, outbox


async def act(activity: FollowUp, outbox: UUID, what: FollowUpAct) -> Any:
    """One call."""
    return await activity.apply(FollowUpCommand(outbox_id=outbox, act=what, actor="user:1"))


async def put(world: World, outbox: UUID, state: str) -> None:
    """Sets the row's state."""
    await world.sql.execute(
        "UPDATE outbox SET state = $2, deadline = now() - interval '1 s' WHERE id = $1", outbox, state
    )


@pytest.mark.parametrize("what", [FollowUpAct.WENT_OUT, FollowUpAct.CLOSE, FollowUpAct.SEND_AGAIN])
async def test_only_a_doubtful_reply_can_be_settled(world: World, what: FollowUpAct) -> None:
    """RS-62: in its undo window there is nothing to settle; the row stays ready and its workflow goes on."""
    activity, _, outbox = await follow_up(world)
    view = await act(activity, outbox, what)
    assert (view.result, view.state, view.closed) == (Result.CONFLICT, OutboxState.READY, False)


async def test_undo_of_a_refused_reply_is_not_called_sent(world: World) -> None:
    """OB5: the caller is told the truth."""
    activity, _, outbox = await follow_up(world)
    await put(world, outbox, "failed_safe")
    assert (await act(activity, outbox, FollowUpAct.UNDO)).result is Result.CONFLICT


async def test_closing_a_doubt_is_remembered_and_audited_once(world: World) -> None:
    """P97a, P30: a repeat after a crash writes no second audit row, and a workflow started again knows it is over."""
    activity, _, outbox = await follow_up(world)
    await put(world, outbox, "ambiguous")
    for _ in range(2):
        assert (await act(activity, outbox, FollowUpAct.CLOSE)).closed
    assert await world.sql.fetchval("SELECT count(*) FROM audit_log WHERE subject = $1", f"outbox/{outbox}") == 1
    assert (await act(activity, outbox, FollowUpAct.LOOK)).closed


async def test_a_reply_waits_for_its_thread_before_its_row(world: World, owner_database_url: str) -> None:
    """P15a: the thread's lock comes before the outbox row's."""
    activity, message, outbox = await follow_up(world)
    await put(world, outbox, "sent")
    other = await asyncpg.connect(owner_database_url, server_settings={"search_path": "deskhand"})
    held = other.transaction()
    await held.start()
    await other.execute("SET LOCAL deskhand.mailbox = '*'; SET LOCAL lock_timeout = '400ms'")
    await other.execute(
        "SELECT 1 FROM conversation_threads WHERE id = $1 FOR UPDATE", (await world.row(message))["thread_id"]
    )
    settling = asyncio.create_task(act(activity, outbox, FollowUpAct.SETTLE))
    await asyncio.sleep(0.3)
    await other.execute("UPDATE outbox SET detail = 'x' WHERE id = $1", outbox)
    await held.commit()
    await other.close()
    assert (await settling).state is OutboxState.SENT


async def test_a_reply_past_its_deadline_wakes_its_own_workflow(world: World) -> None:
    """OB8, P20a: `reply/<id>` is told, not the message that ended long ago."""
    _, _, outbox = await follow_up(world)
    await put(world, outbox, "sending")
    await Sweep(world.database, Engine()).sweep(SweepRequest())
    woken = [r["workflow_id"] for r in await world.sql.fetch("SELECT workflow_id FROM wake_queue")]
    assert woken == [f"reply/{outbox}"]


async def test_a_lost_reply_workflow_is_started_again(world: World) -> None:
    """P30, P103: a placed reply whose workflow died is ordered again, once, with its first input."""
    _, _, outbox = await follow_up(world)
    await world.sql.execute("UPDATE outbox SET send_at = now() - interval '5 minutes' WHERE id = $1", outbox)
    for _ in range(2):
        await Sweep(world.database, Engine()).sweep(SweepRequest())
    rows = await world.sql.fetch(
        "SELECT start_no, reuse_policy FROM start_queue WHERE workflow_id = $1", f"reply/{outbox}"
    )
    assert sorted(tuple(r) for r in rows) == [(0, "reject_duplicate"), (1, "allow_duplicate_failed_only")]


async def test_poison_without_a_workflow_is_started_again(world: World) -> None:
    """P29, P30, RC11: its workflow must be open for "parse again"; the hourly sweep sees to it."""
    message = await world.accept(mail_bytes(to="nobody@elsewhere.example"))
    assert (await world.parse(message)).poison_reason == "unknown_recipient"
    await world.sql.execute("UPDATE start_queue SET started_at = now() - interval '1 hour'")
    await Sweep(world.database, Engine()).sweep(SweepRequest(full=True))
    newest = await world.sql.fetchrow(
        "SELECT start_no, input FROM start_queue WHERE workflow_id = $1 ORDER BY start_no DESC LIMIT 1",
        f"message/{message}",
    )
    assert newest["start_no"] == 1 and '"resumed": false' in newest["input"]


async def test_bytes_that_come_back_while_they_are_swept_are_kept(world: World) -> None:
    """RC4: an old blob without a reference is swept while the same bytes are being accepted; the mail keeps them."""
    sha = "ab" * 32
    organisation = await world.sql.fetchval("SELECT id FROM organisations")
    async with world.database.transaction() as tx:
        await BlobStore().put(tx, organisation, sha, b"bytes")
    await world.sql.execute("UPDATE blobs SET created_at = now() - interval '2 days'")

    async def sweep() -> None:
        async with world.database.transaction() as tx:
            await tx.run("sweep_orphan_blobs")

    async with world.database.transaction() as tx:
        await BlobStore().put(tx, organisation, sha, b"bytes")
        sweeping = asyncio.create_task(sweep())
        await asyncio.sleep(0.3)
    await sweeping
    async with world.database.transaction() as tx:
        assert await BlobStore().get(tx, organisation, sha) == b"bytes"


async def test_a_fault_of_the_database_says_nothing_of_the_mail(world: World) -> None:
    """P23, HU10: what Postgres quotes of a row ends neither in workflow history nor as the cause of the failure."""
    message = await world.arrive(mail_bytes(subject="planted words"))
    await world.sql.execute(
        "ALTER TABLE lifecycle_events ADD CONSTRAINT broken CHECK (reason <> 'dismissed') NOT VALID"
    )
    with pytest.raises(ApplicationError) as caught:
        await world.do(message, Archive(), actor="planted words")
    assert (caught.value.type or "").startswith("Unexpected.") and "planted" not in str(caught.value)
    assert caught.value.__cause__ is None


class Nowhere:
    """A client whose server is gone."""

    def __init__(self) -> None:
        self.tries = 0

    async def start_workflow(self, *_: Any, **__: Any) -> None:
        """Times out."""
        self.tries += 1
        raise RPCError("gone", RPCStatusCode.DEADLINE_EXCEEDED, b"")


async def test_a_server_that_is_gone_ends_the_batch(world: World) -> None:
    """RC13: twenty time-outs are not sat out in a row; one try, then the back-off."""
    for n in range(3):
        await world.accept(mail_bytes(sender=f"n{n}@kunde.example"))
    client = Nowhere()
    relay = Relay(world.database, client, "queue")  # type: ignore[arg-type]
    assert not await relay._drain()
    assert client.tries == 1


async def test_a_kill_switch_does_not_wait_for_a_server_that_is_gone(world: World) -> None:
    """OB7, RS-57: withdrawing needs the database only and goes on beside the relay's batches."""
    withdrawn = asyncio.Event()

    async def withdraw(switch: Any) -> None:
        withdrawn.set()
        async with world.database.transaction() as tx:
            await tx.run("relay_switch_done", switch["id"])

    class Stuck(Nowhere):
        async def start_workflow(self, *_: Any, **__: Any) -> None:
            await asyncio.Event().wait()

    await world.accept(mail_bytes())
    relay = asyncio.create_task(Relay(world.database, Stuck(), "queue", withdraw=withdraw).run())  # type: ignore[arg-type]
    await asyncio.sleep(0.2)
    await world.sql.execute(
        "INSERT INTO kill_switches (mailbox_id, thrown_by, cause) VALUES ($1, 'user:1', 'x')", world.mailbox_id
    )
    await asyncio.wait_for(withdrawn.wait(), 20)
    relay.cancel()
