"""When a followed message counts as resting, and what is said about it."""

from typing import Any

import httpx2
import pytest

from cli.api_client import ApiRefused
from cli.follow import Follower, Standing, standing_of
from contracts.status import HoldReason, Status
from tests.unit.cli.api_stand_in import api_that, detail

WORK = detail()["work"]


def standing(**changed: Any) -> Standing:
    """Where a message of these parts stands."""
    return standing_of(detail(**changed))


@pytest.mark.parametrize("status", list(Status))
def test_a_status_rests_if_a_person_or_nobody_moves_it(status: Status) -> None:
    """SE7 ingest: draft_ready, quarantined, archived, failed, sent and rejected are where following ends."""
    moving = {Status.RECEIVED, Status.SECURITY_CHECK, Status.CLASSIFYING, Status.DRAFTING, Status.APPROVED}
    assert standing(status=status).rests is (status not in moving)


@pytest.mark.parametrize("hold", list(HoldReason))
def test_a_hold_rests_unless_it_ends_by_itself_and_soon(hold: HoldReason) -> None:
    """P9: a message held for a person or a setting rests in its status; one that waits for its turn does not."""
    soon = {HoldReason.COALESCING, HoldReason.RATE_BUDGET, HoldReason.MISSION}
    held = standing(status="received", work=WORK | {"hold_reason": hold})
    assert (held.rests, held.words) == (hold not in soon, "received, on hold")


def test_poison_rests_and_unread_mail_does_not() -> None:
    """RC11: poison waits for a person; mail not read yet is on its way."""
    nothing = {"status": None, "message": None, "work": None, "classification": None, "events": [], "flags": {}}
    poison = standing(**nothing, account="poison", poison={"poison_reason": "unknown_recipient"})
    assert (poison.status, poison.reason, poison.rests) == ("poison", "unknown_recipient", True)
    assert not standing(**nothing, account="accepted").rests


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"status": "quarantined", "flags": {"security_flags": {"injection_type": "override"}}}, "override"),
        ({"status": "quarantined", "flags": {"security_flags": {"phishing_detected": True}}}, "phishing"),
        ({"status": "archived", "work": WORK | {"archive_reason": "superseded"}}, "superseded"),
        ({"status": "failed", "work": WORK | {"error_type": "BadApiKey", "hold_reason": "retry_timer"}}, "BadApiKey"),
        ({"status": "received", "work": WORK | {"hold_reason": "automatic"}}, "automatic"),
        ({"status": "draft_ready"}, "no_rule"),
        ({"events": [{"accepted": False, "to_status": "", "reason": "conflict"}, *detail()["events"]]}, "no_rule"),
    ],
)
def test_the_reason_is_that_of_the_status(changed: dict[str, Any], reason: str) -> None:
    """CO4: it always says why; a refused click is no reason."""
    assert standing(**changed).reason == reason


async def test_following_ends_when_each_rests() -> None:
    """Each id is asked for until it rests, once more for none that does; a mail not shown yet is waited for."""
    asked: dict[str, int] = {"a": 0, "b": 0}
    ends = {"a": 1, "b": 3}

    def answer(request: httpx2.Request) -> httpx2.Response:
        name = request.url.path.rsplit("/", 1)[1]
        asked[name] += 1
        if asked[name] < ends[name]:
            return httpx2.Response(404, json={"error": "not_found", "message": "There is no such message."})
        return httpx2.Response(200, json=detail(name))

    async with api_that(answer) as api:
        found = await Follower(api, sleep=_no_pause).until_rest(["a", "b", "a"])
    assert [one.status for one in found] == ["draft_ready", "draft_ready"]
    assert asked == ends


async def test_patience_ends_with_where_it_is() -> None:
    """A message that never rests does not hold the command for ever."""
    async with api_that(lambda request: httpx2.Response(200, json=detail(status="drafting"))) as api:
        (found,) = await Follower(api, sleep=_no_pause).until_rest(["a"], patience_s=10)
    assert found.status == "drafting"


async def test_a_refused_token_ends_it_at_once() -> None:
    """P100: 401 will not become better by asking again."""
    async with api_that(lambda request: httpx2.Response(401, json={"message": "This needs a valid API token."})) as api:
        with pytest.raises(ApiRefused, match="valid API token"):
            await Follower(api, sleep=_no_pause).until_rest(["a"])


async def _no_pause(seconds: float) -> None:
    pass
