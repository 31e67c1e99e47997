"""The acceptance scenario: delegated drafting, own work, inspection, a review that blocks, correction, acceptance,
the authorised effect and an explicit end, all in one mission (M92-M95, T60)."""

import json

from contracts.missions import MissionStatus
from contracts.missions_agent import AgentStep, Role, Seat
from tests.missions.conftest import Desk
from tests.missions.script import DONE, acknowledgement, answers, called, delegation, result, say, use
from tests.missions.test_drafts import contact_of, in_review, world

__all__ = ["world"]
WRONG, RIGHT = "It shipped yesterday.", "It ships on Monday."


class Chief:
    """Drafts, has the draft reviewed by another task, corrects what was blocked, proposes what was accepted."""

    def __init__(self, message: str, contact: str) -> None:
        self.scope = {"contact_id": contact, "message_id": message}
        self.message = message
        self.draft: dict[str, str] = {}
        self.findings: list[str] = []

    def __call__(self, seat: Seat) -> AgentStep:
        """The next step of the scenario."""
        if not any(given.kind.endswith("_result") for given in seat.inputs):
            return self._begin(seat)
        if not called(seat, "read_result"):
            return use(("read_result", {"result_id": seat.inputs[0].ref}))
        read = json.loads(answers(seat, "read_result")[0])
        if not called(seat, "acknowledge"):
            return use(("acknowledge", acknowledgement(read)))
        return self._after(seat, read)

    def _begin(self, seat: Seat) -> AgentStep:
        if not called(seat, "assign"):
            return use(("assign", delegation("draft-1", **self.scope)))
        return say("checked the history") if called(seat, "search_threads") else use(("search_threads", {}))

    def _after(self, seat: Seat, read: dict[str, object]) -> AgentStep:
        key = str(read["task_key"])
        if called(seat, "assign"):
            return say("waits")
        if key.startswith("draft"):
            self.draft = {"id": str(read["result_id"]), "digest": str(read["digest"])}
            goal = f"Review draft {read['digest']}"
            return use(("assign", {"task_key": key.replace("draft", "review"), "goal": goal}))
        blockers = read["document"]["blockers"]  # type: ignore[index]
        if blockers:
            self.findings.append(blockers[0]["proof"])
            return use(("assign", delegation("draft-2", supersedes=None, **self.scope)))
        if not called(seat, "propose_draft"):
            return use(("propose_draft", {"message_id": self.message, "result_id": self.draft["id"]}))
        return use(DONE)


def works(seat: Seat) -> AgentStep:
    """Drafts are wrong at first; the reviewer knows the policy, and is bound to one draft by its digest."""
    key = seat.extra["task_key"]
    if key.startswith("draft"):
        return result("A reply.", fragments=[{"text": WRONG if key == "draft-1" else RIGHT}])
    if key == "review-1":
        return result("Blocked.", blockers=[{"kind": "wrong_fact", "proof": "policy: ships on Monday"}])
    return result("Accepted.")


async def test_a_blocking_review_is_corrected_in_the_same_mission(desk: Desk, world: object) -> None:
    """One mission id throughout, open at every turn end before the last; what is proposed is what was accepted."""
    # M1 M20 M33 M92 M93 M94 M95 T60
    message = await in_review(world, "anna@kunde.example")  # type: ignore[arg-type]
    chief = Chief(str(message), await contact_of(world, message))  # type: ignore[arg-type]
    desk.rules = {Role.SUPERVISOR: chief, Role.TASK: works}
    story = await desk.begin()
    assert (await story.end()).status is MissionStatus.COMPLETED
    assert chief.findings == ["policy: ships on Monday"]
    reviewed = [seat.goal for seat in desk.seats if seat.extra["task_key"] == "review-2"]
    assert reviewed[0] == f"Review draft {chief.draft['digest']}"
    text = await desk.sql.fetchval("SELECT draft_response FROM inbound_messages WHERE id = $1", message)
    assert text == RIGHT
    assert await story.stages() == dict.fromkeys(("draft-1", "draft-2", "review-1", "review-2"), "retired")
    query = "SELECT value FROM mission_events WHERE mission_id = $1 AND kind = 'mission.status'"
    status = await desk.rows(query, story.mission_id)
    assert [row["value"] for row in status] == ["completed"]
    first = next(seat for seat in desk.seats if called(seat, "search_threads"))
    assert first.turn_no == 1 and called(first, "assign")
