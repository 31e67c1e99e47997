"""Knowledge from earlier mail: begun once, in order, stopped and resumed without reading anything twice (P108)."""

from typing import Any
from uuid import UUID

import pytest

from activities.knowledge.backfill import Backfill, BackfillDesk, NotNow, begin_if_first
from activities.knowledge.mining import Mining
from contracts.knowledge import BackfillStart
from tests.activities.conftest import World, mail_bytes
from tests.activities.test_knowledge_mining import Peer, claim, classified


async def begin(world: World) -> UUID | None:
    """What the API does after each switch."""
    async with world.database.transaction(world.mailbox_id) as tx:
        await begin_if_first(tx, world.mailbox_id, "anna")
    return await world.sql.fetchval("SELECT id FROM knowledge_backfill_jobs")


async def job(world: World) -> Any:
    """The newest job."""
    return await world.sql.fetchrow("SELECT * FROM knowledge_backfill_jobs ORDER BY created_at DESC LIMIT 1")


async def run_of(world: World) -> BackfillStart:
    """What its workflow carries."""
    row = await job(world)
    return BackfillStart(job_id=row["id"], mailbox_id=row["mailbox_id"], run_no=row["run_no"])


async def flag(world: World, name: str, on: bool) -> None:
    """Sets one flag."""
    await world.sql.execute("UPDATE feature_flags SET is_on = $2 WHERE flag = $1", name, on)


async def history(world: World, mails: int) -> list[UUID]:
    """Mails of as many senders that came through."""
    letters = [{"sender": f"c{n}@kunde.example", "body": f"I own {n} lamps since May."} for n in range(mails)]
    return [await classified(world, **letter) for letter in letters]


def backfill(world: World, peer: Peer) -> Backfill:
    """The activity."""
    return Backfill(world.database, Mining(world.database, peer))


async def to_the_end(world: World, worker: Backfill) -> int:
    """Chunks until one says it is over; how many."""
    run, chunks = await run_of(world), 1
    while (await worker.chunk(run)).more:
        chunks += 1
    return chunks


async def test_only_the_first_moment_of_both_flags_begins_one(world: World) -> None:
    """P108: not with one flag alone; the second toggle, and a sweep after it, begin none."""
    await flag(world, "ai.knowledge", False)
    assert await begin(world) is None
    await flag(world, "ai.knowledge", True)
    assert await begin(world) is not None
    worker = backfill(world, Peer())
    await to_the_end(world, worker)
    await flag(world, "ai.agent", False)
    await flag(world, "ai.agent", True)
    await begin(world)
    assert await worker.look_after() == 0
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_backfill_jobs") == 1
    starts = "SELECT count(*) FROM start_queue WHERE workflow_type = 'KnowledgeBackfillWorkflow'"
    assert await world.sql.fetchval(starts) == 1


async def test_flags_that_were_on_before_begin_one_by_the_sweep(world: World) -> None:
    """P108: an installation that starts with both flags on has its job after the first round."""
    assert await backfill(world, Peer()).look_after() == 1
    assert (await job(world))["automatic"] and (await job(world))["started_by"] == "system"


async def test_history_is_read_in_chunks_of_thirty_and_counted(world: World) -> None:
    """P108: 35 mails take two chunks and one that finds the end; scanned, extracted, skipped and total are shown."""
    await history(world, 34)
    short = await classified(world, body="Thanks.")
    await begin(world)
    later = await classified(world, sender="later@kunde.example", body="I came after the job was begun.")
    peer = Peer(claim("The sender owns a Fjord lamp."))
    assert await to_the_end(world, backfill(world, peer)) == 3
    row = await job(world)
    assert (row["status"], row["scanned"], row["extracted"], row["skipped"], row["total"]) == ("done", 35, 34, 1, 35)
    read = {r["message_id"] for r in await world.sql.fetch("SELECT message_id FROM knowledge_extractions")}
    assert short in read and later not in read


async def test_pause_resume_and_cancel(world: World) -> None:
    """P108: paused it moves nothing, resumed it goes on behind the cursor by a new run, cancelled it is over."""
    await history(world, 3)
    await begin(world)
    desk, peer = BackfillDesk(world.database, world.mailbox_id), Peer()
    worker, first = backfill(world, peer), await run_of(world)
    await desk.pause(first.job_id, "anna")
    assert not (await worker.chunk(first)).more and peer.asked == []
    await desk.resume(first.job_id, "anna")
    assert not (await worker.chunk(first)).more and peer.asked == []
    second = await run_of(world)
    assert second.run_no == first.run_no + 1 and (await worker.chunk(second)).more and len(peer.asked) == 3
    await desk.cancel(first.job_id, "anna")
    assert not (await worker.chunk(second)).more
    with pytest.raises(NotNow):
        await desk.resume(first.job_id, "anna")


@pytest.mark.parametrize("name", ["ai.agent", "ai.knowledge"])
async def test_either_flag_stops_it_and_nothing_is_read_twice(world: World, name: str) -> None:
    """P108: stopped in the middle by a flag, resumed by hand, each mail is asked about once."""
    await history(world, 5)
    await begin(world)

    class Switching(Peer):
        async def ask(self, *order: Any) -> Any:
            """Answers; the flag goes off during the second question."""
            if len(self.asked) == 2:
                await flag(world, "ai.agent", name != "ai.agent")
                await flag(world, "ai.knowledge", name != "ai.knowledge")
            return await super().ask(*order)

    peer = Switching(claim())
    worker, run = backfill(world, peer), await run_of(world)
    assert not (await worker.chunk(run)).more
    assert (await job(world))["status"] == "stopped" and len(peer.asked) == 3
    await flag(world, "ai.agent", True)
    await flag(world, "ai.knowledge", True)
    await BackfillDesk(world.database, world.mailbox_id).resume(run.job_id, "anna")
    other = Peer(claim())
    await to_the_end(world, backfill(world, other))
    row = await job(world)
    assert (row["status"], row["scanned"]) == ("done", 5)
    # What the model said after ai.knowledge was off is not kept, so that mail is asked about again.
    assert len(other.asked) == (3 if name == "ai.knowledge" else 2)


async def test_a_lost_workflow_is_started_again(world: World) -> None:
    """P30, P108: a job that nobody moved for a quarter of an hour gets a new run; the old one moves nothing."""
    await history(world, 1)
    await begin(world)
    worker, lost = backfill(world, Peer()), await run_of(world)
    await world.sql.execute("UPDATE knowledge_backfill_jobs SET changed_at = now() - interval '20 minutes'")
    assert await worker.look_after() == 1
    assert not (await worker.chunk(lost)).more and (await worker.chunk(await run_of(world))).more


async def test_only_one_is_under_way(world: World) -> None:
    """P108: by hand another one only after the first has ended."""
    await world.arrive(mail_bytes())
    await begin(world)
    desk = BackfillDesk(world.database, world.mailbox_id)
    with pytest.raises(NotNow):
        await desk.begin("anna")
    await to_the_end(world, backfill(world, Peer()))
    assert await desk.begin("anna") != (await run_of(world)).mailbox_id
    assert [row["automatic"] for row in await desk.jobs()] == [False, True]
