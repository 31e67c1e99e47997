"""Seven messages, each held at another point of a remote activity, and one kill -9 for all of them (A7, A8, RS-58).

A worker lost between an effect and its report is the case the whole design turns on: the step's output is stored, or
the mail is with the relay, and nobody has been told.
"""

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

import pytest
import pytest_asyncio

from tests.faults.conftest import Build
from tests.faults.house import House, eventually
from tests.faults.promise import attempts_of, check_promise, check_sent_once

pytestmark = pytest.mark.asyncio(loop_scope="module")

STEPS = ("security_scan", "context_retrieval", "classify", "draft")
SENDS = ("before_claim", "after_claim", "after_hand_over")
POINTS = (*(f"after_store/{step}" for step in STEPS), *SENDS)
CALLS = ("guard_verdict", "/embeddings", "classify_answer", "draft_answer", "self_check", "draft_options")
ENDS = {
    "before_claim": ("sent", "sent", 1),
    "after_claim": ("approved/delivery_ambiguous", "ambiguous", 0),
    "after_hand_over": ("approved/delivery_ambiguous", "ambiguous", 1),
}


@dataclass(frozen=True)
class Story:
    """The house after the restart, which message was held where, and the model calls of the whole story."""

    house: House
    held: dict[str, UUID]
    calls: Counter[str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def story(build: Build) -> Story:
    """Held, killed, restarted, and everything at its end."""
    house = await build("smtp")
    before = await house.servers.model_calls()
    await house.start_worker(*POINTS)
    held = {point: await _hold_one(house, point) for point in POINTS}
    await house.kill(house.worker)
    await house.start_worker()
    for point, message in held.items():
        await house.until(message, ENDS[point][0] if point in ENDS else "draft_ready")
    return Story(house, held, await house.servers.model_calls() - before)


async def _hold_one(house: House, point: str) -> UUID:
    """The points before this one are taken already, so a new message walks as far as this one."""
    message = await house.accept()
    if point in SENDS:
        await house.until(message, "draft_ready")
        await house.approve_by_signal(message)
    assert await house.held(point) == str(message)
    return message


@pytest.mark.parametrize("step", STEPS)
async def test_a_step_lost_after_it_stored_its_output_calls_no_model_again(story: Story, step: str) -> None:
    """A7: the second try finds the stored output; the peer saw one call, the message has one row and one event."""
    message = story.held[f"after_store/{step}"]
    assert await attempts_of(story.house, message, step) == 2
    stored = await story.house.rows("SELECT attempt FROM step_outputs WHERE message_id = $1 AND kind = $2", message, step)
    assert [row["attempt"] for row in stored] == [1]
    rows = await story.house.rows(
        "SELECT status FROM agent_actions WHERE inbound_message_id = $1 AND action_type = $2", message, step
    )
    assert [row["status"] for row in rows] == ["completed"]


async def test_the_model_was_asked_once_for_each_message(story: Story) -> None:
    """A7: by the model endpoint's own count, a lost worker costs no second call of any kind."""
    assert story.calls == dict.fromkeys(CALLS, len(POINTS))


@pytest.mark.parametrize("point", SENDS)
async def test_a_lost_send_ends_sent_once_or_in_doubt(story: Story, point: str) -> None:
    """RS-58: before the claim it is simply sent; from the claim on it is shown as ambiguous and never sent again."""
    status, state, accepted = ENDS[point]
    assert await story.house.status(story.held[point]) == status
    rows = await story.house.rows("SELECT state, rfc_message_id FROM outbox WHERE message_id = $1", story.held[point])
    assert [(row["state"], story.house.servers.accepted()[row["rfc_message_id"]]) for row in rows] == [(state, accepted)]


async def test_a_doubt_stays_a_doubt(story: Story) -> None:
    """OB10: the search for proof starts 2 s after the doubt; SMTP has none to give, and nothing is sent meanwhile."""
    for point in ("after_claim", "after_hand_over"):
        await _until_reconciled(story.house, story.held[point])
    await check_sent_once(story.house)


async def _until_reconciled(house: House, message: UUID) -> None:
    async def looked() -> bool:
        return await attempts_of(house, message, "reconcile") > 0

    await eventually(looked, "a search for proof began")
    assert await house.status(message) == "approved/delivery_ambiguous"


async def test_the_promise_holds(story: Story) -> None:
    """P23, P30, RC5: one row and one event per edge each, an open workflow for each that goes on, no mail text in history."""
    await check_promise(story.house, list(story.held.values()))
