"""Messages held at the points where a worker is lost in the worst way, and one kill -9 for all (A3a, A7, A8, RS-58).

A worker lost between an effect and its report is the case the whole design turns on: the step's output is stored, the
mail is with the relay, or a transition is committed, and nobody has been told.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

import pytest
import pytest_asyncio
from temporalio.api.enums.v1 import EventType

from contracts.workflow import SignalDecision
from tests.faults.conftest import Build
from tests.faults.house import House
from tests.faults.looking import eventually
from tests.faults.promise import attempts_of, check_promise, check_sent_once
from tests.faults.side_by_side import told

pytestmark = pytest.mark.asyncio(loop_scope="module")

STEPS = ("security_scan", "context_retrieval", "classify", "draft")
SENDS = ("before_claim", "after_claim", "after_hand_over")
POINTS = (*(f"after_store/{step}" for step in STEPS), *SENDS)
OVERTAKEN = "after_lifecycle/end_step/route"
CALLS = ("guard_verdict", "classify_answer", "draft_answer", "self_check", "draft_options")
DOUBT = "approved/delivery_ambiguous"
ENDS = {
    "before_claim": ("sent", "sent", 1),
    "after_claim": (DOUBT, "ambiguous", 0),
    "after_hand_over": (DOUBT, "ambiguous", 1),
    OVERTAKEN: ("sent", "sent", 1),
}
# receive, enter, and the ends of scan, context and classify; that of draft is in the lost workflow task as well
CALLS_BEFORE_THE_SIGNAL = 5

Running = list["asyncio.Task[Story]"]


@dataclass(frozen=True)
class Story:
    """The house after the restart, which message was held where, and how many files there were at the kill."""

    house: House
    held: dict[str, UUID]
    files_at_the_kill: int


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stories(build: Build) -> AsyncIterator[Running]:
    """One house sends by SMTP, which recognises nothing, the other into files, which recognise themselves."""
    async with told(build, [("smtp", held_everywhere), ("file", held_while_sending)]) as tasks:
        yield tasks


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def story(stories: Running) -> Story:
    """The one with SMTP."""
    return await stories[0]


async def held_everywhere(house: House) -> Story:
    """Held at every remote point, killed, restarted, and everything at its end."""
    await house.start_worker(*POINTS, OVERTAKEN)
    house.disarm(OVERTAKEN)
    held = {point: await _hold_one(house, point) for point in POINTS}
    held[OVERTAKEN] = await _overtake(house)
    await house.kill(house.worker)
    assert await house.status(held[OVERTAKEN]) == "draft_ready"
    await house.start_worker()
    for point, message in held.items():
        await house.until(message, ENDS[point][0] if point in ENDS else "draft_ready")
    return Story(house, held, 0)


async def held_while_sending(house: House) -> Story:
    """Held before and after the file was written, killed, restarted, and both at their end."""
    await house.start_worker("after_claim", "after_hand_over")
    held = {point: await _hold_one(house, point) for point in ("after_claim", "after_hand_over")}
    await house.kill(house.worker)
    files = len(list(house.outbox.glob("*.eml")))
    await house.start_worker()
    await house.until_all("sent", 2)
    return Story(house, held, files)


async def _hold_one(house: House, point: str) -> UUID:
    """The points before this one are taken already, so a new message walks as far as this one."""
    message = await house.accept()
    if point in SENDS:
        await house.until(message, "draft_ready")
        await house.approve_by_signal(message)
    assert await house.held(point) == str(message)
    return message


async def _overtake(house: House) -> UUID:
    """The route's end is committed; before anybody hears of it, a signal without a request id comes in."""
    house.arm(OVERTAKEN)
    message = await house.accept()
    assert await house.held(OVERTAKEN) == str(message)
    await house.workflow(message).signal("approve", SignalDecision())
    return message


@pytest.mark.parametrize("step", STEPS)
async def test_a_step_lost_after_it_stored_its_output_is_not_done_again(story: Story, step: str) -> None:
    """A7: the second try finds the stored output; the message has one row for it."""
    message = story.held[f"after_store/{step}"]
    assert await attempts_of(story.house, message, step) == 2
    rows = await story.house.rows(
        """SELECT o.attempt, x.status FROM step_outputs o JOIN agent_actions x
            ON (x.inbound_message_id, x.action_type) = (o.message_id, o.kind) WHERE message_id = $1 AND kind = $2""",
        message, step,
    )  # fmt: skip
    assert [tuple(row) for row in rows] == [(1, "completed")]


async def test_the_model_was_asked_once_for_each_message(story: Story) -> None:
    """A7: by the model endpoint's own count, a lost worker costs no second call of any kind."""
    calls: Counter[str] = await story.house.model_calls()
    assert calls == dict.fromkeys(CALLS, len(story.held))


@pytest.mark.parametrize("point", SENDS)
async def test_a_lost_send_ends_sent_once_or_in_doubt(story: Story, point: str) -> None:
    """RS-58: before the claim it is simply sent; from the claim on it is shown as ambiguous and never sent again."""
    status, state, accepted = ENDS[point]
    assert await story.house.status(story.held[point]) == status
    rows = await story.house.rows("SELECT state, rfc_message_id FROM outbox WHERE message_id = $1", story.held[point])
    taken = story.house.servers.accepted()
    assert [(row["state"], taken[row["rfc_message_id"]]) for row in rows] == [(state, accepted)]


async def test_a_doubt_stays_a_doubt(story: Story) -> None:
    """OB10: the search for proof starts 2 s after the doubt; SMTP has none to give, and nothing is sent meanwhile."""
    for point in ("after_claim", "after_hand_over"):
        await _until_reconciled(story.house, story.held[point])
    await check_sent_once(story.house)


async def _until_reconciled(house: House, message: UUID) -> None:
    await eventually(lambda: attempts_of(house, message, "reconcile"), "a search for proof began")
    assert await house.status(message) == DOUBT


async def test_each_call_gets_its_own_outcome_whatever_the_order_of_replay(story: Story) -> None:
    """A3a, P16: the signal is handled first on replay; the route's end and the approval keep their own outcomes."""
    message = story.held[OVERTAKEN]
    assert await _lifecycle_calls_before_the_signal(story.house, message) == CALLS_BEFORE_THE_SIGNAL
    run = (await story.house.workflow(message).describe()).run_id
    rows = await story.house.rows(
        "SELECT cause_key, outcome FROM lifecycle_commands WHERE message_id = $1 AND cause_key = ANY ($2)",
        message, ["1.0:route:end", f"{run}:1"],
    )  # fmt: skip
    outcomes = {row["cause_key"]: json.loads(row["outcome"]) for row in rows}
    assert {cause: (o["from_status"], o["to_status"]) for cause, o in outcomes.items()} == {
        "1.0:route:end": ("drafting", "draft_ready"),
        f"{run}:1": ("draft_ready", "approved"),
    }


async def _lifecycle_calls_before_the_signal(house: House, message: UUID) -> int:
    """Markers of local lifecycle calls that stand before the signal in the history."""
    count = 0
    async for event in house.workflow(message).fetch_history_events():
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
            return count
        details = event.marker_recorded_event_attributes.details
        data = json.loads(details["data"].payloads[0].data) if "data" in details else {}
        count += data.get("activity_type") == "lifecycle"
    raise AssertionError("the signal is not in the history")


async def test_the_promise_holds(story: Story) -> None:
    """P23, P30, RC5: one row, one event per edge, an open workflow for each that goes on, no mail text in history."""
    await check_promise(story.house, list(story.held.values()))


async def test_a_lost_send_into_files_is_proved_and_sent_once(stories: Running) -> None:
    """RS-66, OB10: a channel that recognises its own mail settles the doubt by itself: `sent`, one file each."""
    story = await stories[1]
    assert story.files_at_the_kill == 1
    ids = {f"{row['id']}.eml" for row in await story.house.rows("SELECT id FROM outbox WHERE state = 'sent'")}
    assert len(ids) == 2 and {file.name for file in story.house.outbox.iterdir()} == ids
    await check_promise(story.house, list(story.held.values()))
