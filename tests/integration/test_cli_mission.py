"""`deskhand mission` against the real API, worker and workflows, and what is refused before anything is asked."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.main import app
from tests.integration.mission_seats import seats
from tests.integration.running import Running


class Desk:
    """The command as a person with the first token uses it."""

    def __init__(self, running: Running, state: Path) -> None:
        self.environment = {
            "DESKHAND_URL": running.url, "DESKHAND_API_TOKEN": running.login.api_token, "DESKHAND_STATE_DIR": str(state)
        }  # fmt: skip

    async def __call__(self, *arguments: str, stdin: str | None = None) -> Result:
        """Run the command in a thread; whatever is no clean exit is raised."""
        given = {"env": self.environment, "input": stdin}
        result = await asyncio.to_thread(CliRunner().invoke, app, ["mission", *arguments], **given)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    async def begin(self, goal: str, *more: str) -> str:
        """Starts a mission; its id."""
        return str(json.loads((await self("start", goal, "--json", *more)).output)["id"])


@pytest.fixture(scope="module")
def house(run_deskhand: Callable[..., Running]) -> Iterator[Running]:
    """Everything, with rules in the seats of missions."""
    with seats():
        yield run_deskhand()


@pytest.fixture
def desk(house: Running, tmp_path: Path) -> Desk:
    """The command."""
    return Desk(house, tmp_path)


async def test_a_mission_from_the_command_line(desk: Desk) -> None:
    """Start, watch to the gate with its question, answer, watch to the end; the tree shows tasks and results."""
    # M5 M53 M132 6.4
    mission_id = await desk.begin("delegate the billing threads", "--turn-limit", "40", "--cost-limit", "2")
    watched = await desk("watch", mission_id[-8:])
    assert watched.exit_code == 0
    assert "Which week?" in watched.output and "waiting costs: Replies are late." in watched.output
    assert "task reply-one #1: retired" in watched.output and "turn 1: owner input, " in watched.output
    answered = await desk("answer", mission_id, "--instruct", "last week")
    assert answered.output.strip() == "The mission goes on with it."
    ended = await desk("watch", mission_id)
    assert "All replies are prepared." in ended.output and "/40" in ended.output and "of $2.00" in ended.output
    late = await desk("answer", mission_id, "--approve")
    assert late.exit_code == 1 and "closed" in late.output
    shown = json.loads((await desk("show", mission_id, "--json")).output)
    assert shown["status"] == "completed" and shown["inputs"][1]["text"] == "last week"


async def test_the_list_cancel_and_the_end_of_watching(desk: Desk) -> None:
    """A started mission stands in the list with its question; cancelled, watching it ends with exit code 1."""
    # M37
    mission_id = await desk.begin("ask and be cancelled")
    await desk("watch", mission_id)
    listed = await desk("list", "--status", "owner_gate")
    assert any(mission_id in line and "Which week?" in line for line in listed.output.splitlines())
    assert (await desk("cancel", mission_id, "--task", "nothing")).exit_code == 1
    gone = await desk("cancel", mission_id, "--reason", "not needed")
    assert gone.output.strip() == "The mission is cancelled."
    assert (await desk("watch", mission_id)).exit_code == 1


async def test_what_cannot_be_is_said(desk: Desk) -> None:
    """Empty and too long goals, unknown mailboxes and missions, two answers at once: exit code 1, and why."""
    # M118
    for arguments, stdin, words in (
        (("start", " "), None, "needs a goal"),
        (("start", "-"), "x" * 30_000, "20000 characters"),
        (("start", "ask", "--mailbox", "nobody@x.example"), None, "no mailbox"),
        (("show", "zzzzzzzz"), None, "names no missions"),
        (("show", "00000000-0000-0000-0000-000000000007"), None, "no such mission"),
        (("answer", "x", "--approve", "--instruct", "y"), None, "Say one of"),
        (("answer", "x"), None, "Say one of"),
    ):
        result = await desk(*arguments, stdin=stdin)
        assert result.exit_code == 1 and words in result.output, (arguments, result.output)


async def test_the_same_key_starts_one_mission(desk: Desk) -> None:
    """Said twice with one key, it is one mission."""
    # M118 T61
    first, again = [await desk("start", "ask", "--key", "weekly-0001") for _ in range(2)]
    assert "is started." in first.output and "was started before." in again.output
    assert first.output.split()[0] == again.output.split()[0]
