"""The other ways do our work: the same rows once, whatever is repeated and whenever they are killed."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bench import common_rows, kill_test
from bench.house import MODEL_KEY, open_pool
from bench.mails import plain_mail
from bench.outcome import BenchFailed
from bench.same_rows import Shape, difference, shapes_of
from bench.step_work import StepWork, step_work
from bench.variants import Ground, Variant, variant

SCHEMA = "bench_rows"
WALK = (">received", "received>security_check", "security_check>classifying", "classifying>drafting",
        "drafting>draft_ready")  # fmt: skip
STEPS = tuple(f"{kind} completed" for kind in ("classify", "context_retrieval", "draft", "route", "security_scan"))
KILLED = 12


@pytest_asyncio.fixture
async def work(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StepWork]:
    """The work over a scratch schema, in this process."""
    monkeypatch.setenv("LLM_BASE_URL", ground.model_url)
    monkeypatch.setenv("LLM_API_KEY", MODEL_KEY)
    async with ground.sql.acquire() as connection:
        await common_rows.make_schema(connection, SCHEMA)
    async with step_work(ground.owner_url, SCHEMA, 2) as made:
        yield made


async def queued(work: StepWork, number: int) -> str:
    """A mail in the queue of the scratch schema; its message id."""
    return str(await work.pool.fetchval(common_rows.QUEUE, plain_mail(number)))


async def carried_through(work: StepWork, message_id: str, times: int = 1) -> list[str]:
    """Do everything, each part so often; the steps in their order."""
    for _ in range(times):
        due = await work.receive(message_id)
    done = []
    while due is not None:
        done.append(due)
        following = [await work.step(message_id, due) for _ in range(times)]
        assert len(set(following)) == 1
        due = following[0]
    return done


async def wanted_shape(work: StepWork) -> Shape:
    """The rows of a message that was done once."""
    message_id = await queued(work, 1)
    await carried_through(work, message_id)
    (shape,) = await shapes_of(work.pool, [message_id])
    return shape


async def test_a_message_walks_to_draft_ready(work: StepWork) -> None:  # P14, P15, P25
    """Five steps in our order, five status changes, one row per step, and a draft that people could read."""
    message_id = await queued(work, 1)
    done = await carried_through(work, message_id)
    (shape,) = await shapes_of(work.pool, [message_id])
    row = await work.pool.fetchrow("SELECT * FROM inbound_messages")
    assert done == ["security_scan", "context_retrieval", "classify", "draft", "route"]
    assert (shape.walk, shape.steps) == (WALK, STEPS)
    assert row["draft_response"].startswith("Hello") and row["classification"]["category"] == "support"
    assert row["security_flags"]["injection_detected"] is False and row["decision_id"] is not None
    assert dict(shape.rows)["llm_usage"] >= 5


async def test_doing_everything_twice_leaves_the_same_rows(work: StepWork) -> None:
    """Each part may be repeated, as after a crash between its commit and its acknowledgement."""
    wanted = await wanted_shape(work)
    message_id = await queued(work, 2)
    await carried_through(work, message_id, times=2)
    assert difference(wanted, await shapes_of(work.pool, [message_id])) == ""


async def test_a_step_out_of_turn_writes_nothing(work: StepWork) -> None:
    """A step that is not due leaves neither output nor event behind."""
    message_id = await queued(work, 3)
    await work.receive(message_id)
    await work.step(message_id, "context_retrieval")
    kinds = [row["kind"] for row in await work.pool.fetch("SELECT kind FROM step_outputs")]
    assert kinds == [] and await work.due(message_id) == "security_scan"


@pytest.mark.parametrize(
    "damage",
    [
        "INSERT INTO lifecycle_events (message_id, mailbox_id, seq, cause_key, actor, from_status, to_status, "
        "accepted) SELECT id, mailbox_id, 99, 'x', 'x', 'drafting', 'draft_ready', true FROM inbound_messages",
        "DELETE FROM draft_revisions",
        "UPDATE agent_actions SET status = 'running' WHERE action_type = 'draft'",
        "INSERT INTO llm_usage (mailbox_id, message_id, task, model, outcome) "
        "SELECT mailbox_id, id, 'guard', 'm', 'ok' FROM inbound_messages",
        "DELETE FROM thread_participants",
    ],
)
async def test_any_other_row_is_noticed(work: StepWork, damage: str) -> None:
    """One event, revision, step, ledger row or participant more or less is a difference."""
    wanted = await wanted_shape(work)
    await work.pool.execute(damage)
    ids = [str(row["id"]) for row in await work.pool.fetch("SELECT id FROM inbound_messages")]
    assert difference(wanted, await shapes_of(work.pool, ids)) != ""


async def test_a_message_that_is_not_there_is_a_difference(work: StepWork) -> None:
    """A lost message has the empty shape, not none."""
    wanted = await wanted_shape(work)
    lost = "00000000-0000-7000-8000-000000000000"
    assert "1 messages" in difference(wanted, await shapes_of(work.pool, [lost]))


async def test_the_floor_survives_kill_9(ground: Ground, work: StepWork) -> None:
    """A process that is killed in the middle and started again finishes every message once, from its rows."""
    await kill_test.survives(ground, "floor", await wanted_shape(work), KILLED)


@pytest.mark.long
@pytest.mark.parametrize("name", ["dbos", "bare"])
async def test_the_others_survive_kill_9(ground: Ground, work: StepWork, name: str) -> None:
    """DBOS recovers its workflows; the bare loop resumes as the floor does."""
    await kill_test.survives(ground, name, await wanted_shape(work), KILLED)


@pytest.mark.long
async def test_a_way_that_leaves_other_rows_gets_no_verdict(ground: Ground, work: StepWork) -> None:
    """The kill test compares rows, so a way that finishes but writes less fails it."""
    wanted = (await wanted_shape(work))._replace(participants=3)
    with pytest.raises(BenchFailed, match="floor left other rows after kill -9.*participants 2 instead of 3"):
        await kill_test.survives(ground, "floor", wanted, KILLED)


@pytest.mark.parametrize(("code", "middle"), [(0, 1), (-15, 1), (-9, 0)])
async def test_a_kill_at_the_wrong_time_proves_nothing(ground: Ground, code: int, middle: int) -> None:
    """An exit that was no kill -9, or a moment in which nothing was under way, is refused."""
    async with variant(ground, "floor", "bench_idle") as way:
        await pretend(way, middle)
        with pytest.raises(BenchFailed, match="was to die of kill -9 in the middle"):
            await kill_test.check_killed_in_the_middle(way, code, 2)


async def test_a_kill_in_the_middle_counts(ground: Ground) -> None:
    """One message under way at kill -9 is what the test wants."""
    async with variant(ground, "floor", "bench_idle") as way:
        await pretend(way, 1)
        await kill_test.check_killed_in_the_middle(way, -9, 2)


async def pretend(way: Variant, middle: int) -> None:
    """So many messages between two steps."""
    pool = await open_pool(str(way.child.environment["BENCH_DATABASE_URL"]), "bench_idle", 1)  # type: ignore[index]
    for _ in range(middle):
        await pool.execute(
            "INSERT INTO inbound_messages (id, mailbox_id, thread_id, processing_status, received_at) "
            "SELECT uuidv7(), id, uuidv7(), 'classifying', now() FROM mailboxes LIMIT 1"
        )
    await pool.close()
