"""Missions over HTTP against API, worker, workflows and Postgres: start, watch, answer, cancel, and each refusal."""

import asyncio
import uuid
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import httpx2
import pytest

from tests.integration.mission_seats import MODEL, seats
from tests.integration.running import Running

UNKNOWN = UUID(int=7)


@pytest.fixture(scope="module")
def house(run_deskhand: Callable[..., Running]) -> Iterator[Running]:
    """Everything, with rules in the seats of missions."""
    with seats():
        yield run_deskhand()


async def start(house: Running, goal: str, key: str = "", **more: Any) -> httpx2.Response:
    """POST /api/missions."""
    body = {"mailbox_id": str(house.mailbox_id), "goal": goal, **more}
    return await house.post("/api/missions", body, headers={"Idempotency-Key": key or str(uuid.uuid4())})


async def show(house: Running, mission_id: str, token: str | None = None) -> dict[str, Any]:
    """GET /api/missions/<id>."""
    answer = await house.get(f"/api/missions/{mission_id}", token=token)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def until(house: Running, mission_id: str, status: str) -> dict[str, Any]:
    """The mission once it has the status."""
    found: dict[str, Any] = {}

    async def there() -> bool:
        nonlocal found
        found = await show(house, mission_id)
        return found["status"] == status

    await house.eventually(there, lambda: f"the mission is {found.get('status')}, not {status}")
    return found


async def begin(house: Running, goal: str, status: str) -> dict[str, Any]:
    """A mission that has come to the status."""
    answer = await start(house, goal)
    assert answer.status_code == 201, answer.text
    return await until(house, answer.json()["id"], status)


async def say(house: Running, mission_id: str, **body: Any) -> httpx2.Response:
    """POST owner-input."""
    return await house.post(f"/api/missions/{mission_id}/owner-input", body)


async def test_a_mission_runs_from_its_goal_to_its_end(house: Running) -> None:
    """Goal, two tasks with results, a gate with its question, an answer, the end: all of it in one tree."""
    # M1 M5 M13 M18 M53 M132
    shown = await begin(house, "delegate the billing threads", "owner_gate")
    tasks = {task["task_key"]: task for task in shown["tasks"]}
    assert set(tasks) == {"reply-one", "reply-two"}
    for task in tasks.values():
        assert (task["stage"], task["result"]["status"], task["result"]["used"]) == ("retired", "complete", "used")
        assert set(shown["stages"]) <= set(task["stage_times"])
        assert task["turns"][0]["model"] == MODEL and task["turns"][0]["cost_usd"] > 0
    gate = shown["gate"]
    assert (gate["decision_wanted"], gate["cost_of_waiting"]) == ("Which week?", "Replies are late.")
    assert {effect["kind"] for effect in shown["effects"]} >= {"launch", "acknowledge", "gate"}
    one = tasks["reply-one"]
    document = (await house.get(f"/api/missions/{shown['id']}/results/{one['attempt_id']}")).json()
    assert document["digest"] == one["result"]["digest"]
    assert document["document"]["fragments"][0]["citations"][0]["source"] == "kb/7"
    answer = await say(house, shown["id"], gate_id=gate["gate_id"], text="last week")
    assert (answer.status_code, answer.json()["result"]) == (200, "taken")
    ended = await until(house, shown["id"], "completed")
    assert (ended["summary"], ended["resumed_from"]) == ("All replies are prepared.", gate["gate_id"])
    assert ended["gates"][0]["answer"] == "last week" and ended["gate"] is None
    assert ended["cost_usd"] == pytest.approx(sum(t["cost_usd"] or 0 for t in _turns(ended)))


def _turns(shown: dict[str, Any]) -> list[dict[str, Any]]:
    return [*shown["turns"], *(turn for task in shown["tasks"] for turn in task["turns"])]


async def test_the_same_key_is_the_same_mission(house: Running) -> None:
    """A repeat answers 200 with the first one; another goal under the key is a conflict."""
    # M118 T61
    key = str(uuid.uuid4())
    first, again = await start(house, "ask twice", key), await start(house, "ask twice", key)
    other = await start(house, "ask something else", key)
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert first.json()["id"] == again.json()["id"] and other.json()["error"] == "conflict"
    sql = "SELECT count(*) FROM start_queue WHERE workflow_id = $1"
    assert await house.value(sql, first.json()["workflow_id"]) == 1


@pytest.mark.parametrize("goal", ["", "  \n ", "x" * 20_001, "a\x00b", "y" * 1_000_000])
async def test_bad_goals_are_refused_and_leave_nothing(house: Running, goal: str) -> None:
    """Empty, too long, with NUL, one megabyte: 422, no mission and no start order."""
    # M118
    before = await house.value("SELECT count(*) FROM missions")
    assert (await start(house, goal)).status_code == 422
    assert await house.value("SELECT count(*) FROM missions") == before


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"turn_limit": 0}, 422), ({"turn_limit": 10_001}, 422), ({"cost_limit_usd": 0}, 422),
        ({"cost_limit_usd": 1e9}, 422), ({"capabilities": ["send"]}, 422), ({"capabilities": []}, 422),
        ({"surprise": 1}, 422), ({"mailbox_id": str(UNKNOWN)}, 404), ({"request_id": "other-key-1"}, 422),
    ],
)  # fmt: skip
async def test_bad_orders_are_refused(house: Running, more: dict[str, Any], status: int) -> None:
    """Limits out of bounds, capabilities that do not exist, foreign mailboxes, two different keys."""
    # M14 M47a
    assert (await start(house, "ask", **more)).status_code == status


async def test_a_key_cannot_name_another_workflow(house: Running) -> None:
    """The key is part of a workflow id; one that reads like a task's or a successor's is refused."""
    # M119 D5
    for key in ("abcdefgh/task/one/1", "abcdefgh/next", "short", "x" * 101):
        assert (await start(house, "ask", key)).status_code == 422


async def test_roles_bound_what_is_given(house: Running) -> None:
    """A reviewer starts missions but grants no delegation; a viewer starts none and answers none."""
    # M14 M133
    reviewer, viewer = await house.person("reviewer", "read", "review"), await house.person("viewer", "read")
    body = {"mailbox_id": str(house.mailbox_id), "goal": "ask", "capabilities": ["read", "delegate"]}
    refused = await house.post("/api/missions", body, token=reviewer)
    assert (refused.status_code, refused.json()["error"]) == (403, "not_yours_to_grant")
    body["capabilities"] = ["read"]
    assert (await house.post("/api/missions", body, token=viewer)).status_code == 403
    mine = await house.post("/api/missions", body, token=reviewer)
    assert mine.status_code == 201
    await until(house, mine.json()["id"], "owner_gate")
    said = await house.post(f"/api/missions/{mine.json()['id']}/owner-input", {"text": "x"}, token=viewer)
    ended = await house.post(f"/api/missions/{mine.json()['id']}/cancel", {}, token=viewer)
    assert (said.status_code, ended.status_code) == (403, 403)


async def test_inputs_that_do_not_fit_are_refused_without_effect(house: Running) -> None:
    """No gate named, an old gate, nothing said, the same id with other words: nothing is stored, the gate stands."""
    # M53 M118 T31
    shown = await begin(house, "ask me", "owner_gate")
    mission_id, gate_id = shown["id"], shown["gate"]["gate_id"]
    cases: list[tuple[dict[str, str], int, str]] = [
        ({"text": "go"}, 409, "gate_required"), ({"text": "go", "gate_id": "7.7"}, 409, "old_gate"),
        ({"gate_id": gate_id}, 422, "invalid"), ({"text": "x" * 20_001, "gate_id": gate_id}, 422, "invalid"),
        ({"kind": "goal", "text": "x", "gate_id": gate_id}, 422, "invalid"),
    ]  # fmt: skip
    for body, status, word in cases:
        answer = await say(house, mission_id, **body)
        assert (answer.status_code, answer.json()["error"]) == (status, word), body
    still = await show(house, mission_id)
    assert still["status"] == "owner_gate" and len(still["inputs"]) == 1
    once = {"request_id": "press-0001", "gate_id": gate_id, "text": "last week"}
    answers = await asyncio.gather(say(house, mission_id, **once), say(house, mission_id, **once))
    assert [a.status_code for a in answers] == [200, 200]
    assert (await say(house, mission_id, **{**once, "text": "this week"})).status_code == 409
    ended = await until(house, mission_id, "completed")
    assert [turn["kind"] for turn in ended["turns"]] == ["owner_input", "owner_input"]
    again = await say(house, mission_id, **once)
    assert (again.status_code, again.json()["repeated"]) == (200, True)


async def test_a_closed_mission_takes_nothing(house: Running) -> None:
    """Input and cancel after the end: 410, and the tree is as it was."""
    # M118 M119 T23
    shown = await begin(house, "ask once", "owner_gate")
    await say(house, shown["id"], gate_id=shown["gate"]["gate_id"], text="go")
    await until(house, shown["id"], "completed")
    late, end = await say(house, shown["id"], text="more"), await _cancel(house, shown["id"])
    assert (late.status_code, late.json()["error"], end.status_code) == (410, "closed", 410)
    assert (await show(house, shown["id"]))["status"] == "completed"


async def _cancel(house: Running, mission_id: str, **body: Any) -> httpx2.Response:
    return await house.post(f"/api/missions/{mission_id}/cancel", body)


async def test_cancel_is_the_owners_word(house: Running) -> None:
    """A gated mission ends as cancelled with its gate withdrawn; the same request again gets the same answer."""
    # M37 T23
    shown = await begin(house, "ask and wait", "owner_gate")
    unknown = await _cancel(house, shown["id"], task_key="no-such-task")
    assert (unknown.status_code, unknown.json()["error"]) == (409, "no_such_task")
    once = {"request_id": "cancel-0001", "reason": "not needed any more"}
    assert (await _cancel(house, shown["id"], **once)).status_code == 200
    ended = await until(house, shown["id"], "cancelled")
    assert ended["outcome"] == "cancelled: not needed any more" and ended["gates"][0]["state"] == "withdrawn"
    assert (await _cancel(house, shown["id"], **once)).status_code == 200
    assert (await _cancel(house, shown["id"])).status_code == 410
    audit = "SELECT after ->> 'result' FROM audit_log WHERE action = 'cancel_mission' AND subject = $1"
    words = [row[0] for row in await house.rows(audit, f"mission/{shown['id']}")]
    assert words.count("told") == 1 and words.count("no_such_task") == 1


async def test_mail_at_a_gate_has_to_be_seen(house: Running) -> None:
    """Mail that came while the mission was gated is shown; an answer that does not name it is refused, then taken."""
    # M135a
    shown = await begin(house, "ask while mail comes", "owner_gate")
    message = await house.arrive()
    await house.until(message, "draft_ready")
    await house.sql(
        "INSERT INTO mission_inbox (mission_id, mailbox_id, scope, kind, payload_ref, request_id, state, reason,"
        " gate_epoch, applied) SELECT id, mailbox_id, workflow_id, 'mail', $2::text, $2::text, 'failed', 'not_open',"
        " gate_epoch, true FROM missions WHERE id = $1", UUID(shown["id"]), str(message),
    )  # fmt: skip
    missed = (await show(house, shown["id"]))["missed_mail"]
    assert [mail["message_id"] for mail in missed] == [str(message)]
    body = {"gate_id": shown["gate"]["gate_id"], "text": "go"}
    blind = await say(house, shown["id"], **body)
    assert (blind.status_code, blind.json()["newer_message_id"]) == (409, str(message))
    assert (await say(house, shown["id"], **body, seen_message_id=str(message))).status_code == 200


async def test_the_list_turns_pages_and_sifts(house: Running) -> None:
    """Newest first, no mission twice and none left out, by status and mailbox; others' missions are not there."""
    # HU8 M1
    made = [(await start(house, f"ask number {n}")).json()["id"] for n in range(3)]
    for mission_id in made:
        await until(house, mission_id, "owner_gate")
    found: list[str] = []
    cursor: str | None = None
    while True:
        query = "&cursor=" + cursor if cursor else ""
        page = (await house.get(f"/api/missions?limit=2{query}")).json()
        found += [row["id"] for row in page["missions"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert len(found) == len(set(found)) and found == sorted(found, reverse=True) and found[:3] == made[::-1]
    gated = (await house.get("/api/missions?status=owner_gate&limit=100")).json()["missions"]
    assert set(made) <= {row["id"] for row in gated} and {row["status"] for row in gated} == {"owner_gate"}
    assert gated[0]["decision_wanted"] == "Which week?"
    assert (await house.get(f"/api/missions?mailbox={UNKNOWN}")).json()["missions"] == []
    assert (await house.get("/api/missions?status=sleeping")).status_code == 422


async def test_missions_of_others_are_unknown(house: Running) -> None:
    """Show, result, events, input and cancel: 404 for what does not exist and for what belongs to others alike."""
    # HU8
    shown = await begin(house, "ask in private", "owner_gate")
    away = await house.mailbox("elsewhere@shop.example")
    for table in ("mission_gates", "mission_inbox", "mission_turns", "mission_events"):
        assert await house.value(f"SELECT count(*) FROM {table} WHERE mission_id = $1", UUID(shown["id"])), table
    for mission_id in (str(UNKNOWN), "no-uuid"):
        status = 404 if mission_id == str(UNKNOWN) else 422
        for path in ("", f"/results/{UNKNOWN}", "/events"):
            assert (await house.get(f"/api/missions/{mission_id}{path}")).status_code == status, path
        assert (await say(house, mission_id, text="x")).status_code == status
        assert (await _cancel(house, mission_id)).status_code == status
    assert (await house.get(f"/api/missions/{shown['id']}/results/{UNKNOWN}")).status_code == 404
    await house.sql("UPDATE missions SET mailbox_id = $2 WHERE id = $1", UUID(shown["id"]), away)
    viewer = await house.person("viewer", "read")
    seen = (await house.get(f"/api/missions/{shown['id']}", token=viewer)).status_code
    assert seen == (200 if await house.value("SELECT 1 FROM mailboxes WHERE id = $1", away) else 404)


async def test_the_stream_tells_each_step_once_and_ends(house: Running) -> None:
    """Events in order with ids to go on from, no word of a goal or a result, and an end when the mission ends."""
    # M13 6.4
    shown = await begin(house, "delegate quietly", "owner_gate")
    await _cancel(house, shown["id"])
    await until(house, shown["id"], "cancelled")
    whole = (await house.get(f"/api/missions/{shown['id']}/events")).text
    ids = [int(line[4:]) for line in whole.splitlines() if line.startswith("id: ")]
    kinds = [line[7:] for line in whole.splitlines() if line.startswith("event: ")]
    assert ids == sorted(ids) and kinds[-1] == "mission.end" and kinds.count("mission.end") == 1
    assert {"task.stage", "gate.opened", "mission.status"} <= set(kinds)
    assert "quietly" not in whole and "invoice" not in whole
    rest = await house.get(f"/api/missions/{shown['id']}/events", headers={"Last-Event-ID": str(ids[2])})
    later = [int(line[4:]) for line in rest.text.splitlines() if line.startswith("id: ")]
    assert later == ids[3:]


async def test_words_said_while_no_worker_runs_are_kept(house: Running) -> None:
    """202 and the stored words; the same request again, once a worker is back, is taken and counts once."""
    # M70 M71 T37
    shown = await begin(house, "ask during an outage", "owner_gate")
    body = {"request_id": "outage-0001", "gate_id": shown["gate"]["gate_id"], "text": "go on"}
    async with house.without_worker():
        first = await say(house, shown["id"], **body)
        assert (first.status_code, first.json()["result"]) == (202, "stored")
        kept = (await show(house, shown["id"]))["inputs"][-1]
        assert (kept["text"], kept["state"], kept["applied"]) == ("go on", "pending", False)
    assert (await say(house, shown["id"], **body)).status_code == 200
    ended = await until(house, shown["id"], "completed")
    assert [given["text"] for given in ended["inputs"]] == ["ask during an outage", "go on"]
    assert len(ended["turns"]) == 2


async def test_a_cancel_nobody_hears_is_no_success(house: Running) -> None:
    """503 without a worker; the same request id says afterwards what became of it."""
    # M37
    shown = await begin(house, "ask and vanish", "owner_gate")
    async with house.without_worker():
        end = await _cancel(house, shown["id"], request_id="outage-0002")
        assert (end.status_code, end.headers["retry-after"]) == (503, "5")
    assert (await _cancel(house, shown["id"], request_id="outage-0002")).status_code == 200
    await until(house, shown["id"], "cancelled")
