"""kill -9 of the worker at points of a mission's life: nothing is lost, nothing happens twice (T38-T49, M59, M90).

The supervisor is the scripted one. Remote points are held together and die in one kill; a local one dies alone, because
its call may only take seconds. A point that nobody reaches fails its test.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from adapters.missions import Missions, Started
from tests.faults.conftest import build, fault_servers
from tests.faults.house import House
from tests.faults.looking import eventually

__all__ = ["build", "fault_servers"]
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(600)]

REMOTE = (
    "before_receipt/supervisor", "after_receipt/supervisor", "after_turn/supervisor",
    "before_receipt/task", "after_receipt/task", "after_turn/task",
)  # fmt: skip
LOCAL = (
    "after_effect/launch", "after_effect/result", "after_effect/propose_draft", "after_effect/acknowledge",
    "after_effect/complete", "after_mission_record/completed",
)  # fmt: skip
POINTS = (*REMOTE, *LOCAL)
OFFLINE = {"deskhand_offline_model": "true"}


@dataclass
class Story:
    """The house after all kills, and the mission that was held at each point."""

    house: House
    held: dict[str, Started] = field(default_factory=dict)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def story(build: object) -> AsyncIterator[Story]:
    """One conversation in review, a mission per point, and kills."""
    house = await build("file")  # type: ignore[operator]
    await house._sql.execute("UPDATE capacity_pools SET max_leases = 50")
    await house.start_worker(**OFFLINE)
    message = await house.accept()
    await house.until(message, "draft_ready")
    await _teach(house)
    told = Story(house)
    await house.kill(house.worker)
    await house.start_worker(*REMOTE, **OFFLINE)
    for point in REMOTE:
        told.held[point] = await _begin_and_hold(house, point)
    await house.kill(house.worker)
    for point in LOCAL:
        await _settle(told)
        await house.start_worker(point, **OFFLINE)
        told.held[point] = await _begin_and_hold(house, point)
        await house.kill(house.worker)
    await _settle(told)
    yield told


async def _settle(told: Story) -> None:
    """Everything begun so far comes to its end, so that the next point is reached by the next mission."""
    await told.house.start_worker(**OFFLINE)
    for started in told.held.values():
        await _completed(told.house, started.mission_id)
    await told.house.kill(told.house.worker)


async def _teach(house: House) -> None:
    await house._sql.execute(
        "INSERT INTO knowledge_entries (mailbox_id, type, trust, said_by, title, content, content_sha256) "
        "SELECT id, 'faq', 'verified', 'team', 'marmalade order chrysanthemum', 'It ships on Monday.', 'x' "
        "FROM mailboxes WHERE is_default"
    )


async def _begin_and_hold(house: House, point: str) -> Started:
    mailbox = await house.value("SELECT id FROM mailboxes WHERE is_default")
    started = await Missions(house.database).start(
        mailbox, "prepare replies for the unanswered threads", str(uuid4()), actor="user:ada", role="admin"
    )
    await house.held(point)
    return started


async def _completed(house: House, mission_id: UUID) -> None:
    async def done() -> bool:
        return await house.value("SELECT status FROM missions WHERE id = $1", mission_id) == "completed"

    await eventually(done, f"{mission_id} completed: {await _picture(house, mission_id)}", 200)


async def _picture(house: House, mission_id: UUID) -> str:
    rows = await house.rows(
        "SELECT scope, turn_no, kind, state, outcome, wait_reason FROM mission_turns WHERE mission_id = $1", mission_id
    )
    return "; ".join(" ".join(str(value) for value in row) for row in rows)


@pytest.mark.parametrize("point", POINTS)
async def test_a_kill_loses_nothing_and_doubles_nothing(story: Story, point: str) -> None:
    """One attempt, one result, one acknowledgement, one retirement, one proposal at most, one explicit end."""
    # M17 M21 M22 M23 M59 M60 M61 M67 M73 M74 M76 M77 M89 M90
    mission, house = story.held[point].mission_id, story.house
    effects = await house.rows(
        "SELECT kind, count(*) AS n FROM mission_effects WHERE mission_id = $1 AND state = 'completed' GROUP BY kind",
        mission,
    )
    counts = {row["kind"]: row["n"] for row in effects}
    assert {k: counts.get(k) for k in ("launch", "acknowledge", "complete", "result")} == dict.fromkeys(
        ("launch", "acknowledge", "complete", "result"), 1
    )
    assert counts.get("propose_draft", 0) <= 1
    stages = await house.rows("SELECT stage, attempt_no FROM task_attempts WHERE mission_id = $1", mission)
    assert [tuple(row) for row in stages] == [("retired", 1)]
    notices = "SELECT count(*) FROM mission_inbox WHERE mission_id = $1 AND kind = 'assigned_result'"
    assert await house.value(notices, mission) == 1
    left = "SELECT count(*) FROM mission_inbox WHERE mission_id = $1 AND state = 'pending'"
    assert await house.value(left, mission) == 0
    held = "SELECT count(*) FROM capacity_leases WHERE mission_id = $1 AND state IN ('waiting', 'granted')"
    assert await house.value(held, mission) == 0


async def test_a_turn_with_a_receipt_is_never_run_again(story: Story) -> None:
    """Held after its receipt, the turn is interrupted and a resume turn linked to it goes on; held before, the same
    turn is handed over again under a higher generation."""
    # M73 M89 M112 T38 T41
    house = story.house
    after = story.held["after_receipt/supervisor"].mission_id
    rows = await house.rows(
        "SELECT t.kind, t.outcome FROM mission_turns t JOIN missions m ON m.workflow_id = t.scope WHERE m.id = $1 "
        "ORDER BY turn_no LIMIT 2",
        after,
    )
    assert [tuple(row) for row in rows][0][1] == "interrupted" and rows[1]["kind"] == "resume"
    before = story.held["before_receipt/supervisor"].mission_id
    row = (
        await house.rows(
            "SELECT turn_no, generation, attempts FROM mission_turns t JOIN missions m ON m.workflow_id = t.scope "
            "WHERE m.id = $1 ORDER BY turn_no LIMIT 1",
            before,
        )
    )[0]
    assert tuple(row) == (1, 2, 1)


async def test_drafts_were_written_once_per_proposal(story: Story) -> None:
    """As many revisions by missions as completed proposals: no kill wrote one twice, none is missing."""
    # M74 M91
    house = story.house
    revisions = await house.value("SELECT count(*) FROM draft_revisions WHERE author LIKE 'mission:%'")
    done = "SELECT count(*) FROM mission_effects WHERE kind = 'propose_draft' AND state = 'completed'"
    assert revisions == await house.value(done) >= 1
    assert await house.value("SELECT count(*) FROM outbox") == 0
