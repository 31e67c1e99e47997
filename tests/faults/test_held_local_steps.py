"""A local activity commits to Postgres, and the worker dies before the workflow task that knows of it completes (A3a).

Nothing of such a call is in the history, so the next worker makes it again. The database alone knows that it happened.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from uuid import UUID

import pytest
import pytest_asyncio

from tests.faults.conftest import Build
from tests.faults.house import House
from tests.faults.promise import check_promise

pytestmark = pytest.mark.asyncio(loop_scope="module")

ON_THE_WAY = (
    "after_parse",
    "after_lifecycle/receive",
    "after_lifecycle/enter",
    "after_lifecycle/end_step/security_scan",
    "after_lifecycle/end_step/context_retrieval",
    "after_lifecycle/end_step/classify",
    "after_lifecycle/end_step/draft",
    "after_store/route",
    "after_lifecycle/end_step/route",
)
IN_THE_END = ("after_lifecycle/approve", "after_lifecycle/send_result")
POINTS = (*ON_THE_WAY, *IN_THE_END)
# A local activity may take 5 s; one that was held for longer ended in its own worker and proves nothing.
FRESH_S = 4.5
TRIES = 6
COMMITS = {
    "after_lifecycle/receive": ("", "received"),
    "after_lifecycle/enter": ("received", "security_check"),
    "after_lifecycle/end_step/security_scan": ("security_check", "classifying"),
    "after_lifecycle/end_step/classify": ("classifying", "drafting"),
    "after_lifecycle/end_step/route": ("drafting", "draft_ready"),
    "after_lifecycle/approve": ("draft_ready", "approved"),
    "after_lifecycle/send_result": ("approved", "sent"),
}


@dataclass(frozen=True)
class Story:
    """The house after the restart, which message was held where, all of them, and the model calls."""

    house: House
    held: dict[str, UUID]
    messages: list[UUID]
    calls: Counter[str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def story(build: Build) -> Story:
    """All points held at one moment, killed, restarted, and everything at its end."""
    house = await build("smtp")
    await house.start_worker(*POINTS)
    messages: list[UUID] = []
    for _ in range(TRIES):
        messages += await _hold_all(house)
        if _ages(house)[0] < FRESH_S:
            break
    await house.kill(house.worker)
    assert _ages(house)[0] < FRESH_S, "the machine is too slow to hold all points at one moment"
    await house.start_worker()
    await _bring_to_end(house, messages)
    held = {point: UUID(house.mark(point).read_text()) for point in POINTS}
    return Story(house, held, messages, await house.model_calls())


async def _hold_all(house: House) -> list[UUID]:
    """One message for each point; the last two walk through and are approved, since all points before are taken."""
    house.arm(*POINTS)
    messages = list(await asyncio.gather(*(house.accept() for _ in ON_THE_WAY)))
    for last in [await house.accept(), await house.accept()]:
        messages.append(last)
        await house.until(last, "draft_ready", "sent")
        await house.approve_by_signal(last)
    await asyncio.gather(*(house.held(point) for point in POINTS))
    return messages


def _ages(house: House) -> list[float]:
    """How long ago each point was reached, the longest first."""
    now = time.time()
    return sorted((now - house.mark(point).stat().st_mtime for point in POINTS), reverse=True)


async def _bring_to_end(house: House, messages: list[UUID]) -> None:
    for message in messages:
        await house.until(message, "draft_ready", "sent")
        if await house.status(message) == "draft_ready":
            await house.approve_by_signal(message)
    await house.until_all("sent", len(messages))


@pytest.mark.parametrize("point", COMMITS)
async def test_a_commit_that_nobody_heard_of_is_not_made_again(story: Story, point: str) -> None:
    """A3a, P16: the call is repeated after the restart, and its edge stands in the audit trail once."""
    sql = "SELECT count(*) FROM lifecycle_events WHERE message_id = $1 AND from_status = $2 AND to_status = $3"
    assert await story.house.value(sql, story.held[point], *COMMITS[point]) == 1


async def test_a_route_decision_is_drawn_once(story: Story) -> None:
    """A7: the stored decision of the route step is used again; nobody draws the audit number twice."""
    message = story.held["after_store/route"]
    rows = await story.house.rows("SELECT attempt FROM step_outputs WHERE message_id = $1 AND kind = 'route'", message)
    assert [row["attempt"] for row in rows] == [1]
    assert await story.house.value("SELECT count(*) FROM autonomy_decisions WHERE message_id = $1", message) == 1


async def test_no_model_was_asked_twice(story: Story) -> None:
    """A7: by the model endpoint's own count."""
    assert set(story.calls.values()) == {len(story.messages)}, story.calls


async def test_each_message_was_answered_once(story: Story) -> None:
    """The point of it all: every one is sent, and the relay took each mail once."""
    assert await story.house.value("SELECT count(*) FROM outbox WHERE state = 'sent'") == len(story.messages)
    await check_promise(story.house, story.messages)
