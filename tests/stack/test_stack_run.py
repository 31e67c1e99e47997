"""The whole stack from outside, as a person runs it: start, stop, kill, start again."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import asyncpg
import pytest

from cli.stack.first_start import ADMIN_ADDRESS
from cli.stack.ports import StackPorts
from cli.stack.state import StateDir
from tests.stack.processes import command_lines, is_running

Eventually = Callable[[Callable[[], bool], str], None]
PROGRAM = Path(__file__).with_name("stack_program.py")
READY = "Deskhand runs."
LINK = re.compile(r"/dashboard/invitation/[\w-]{40,}")


class Run:
    """One `deskhand run` on a state folder and ports, with its output and the journal of its stand-ins."""

    def __init__(self, folder: Path, ports: StackPorts, project_root: Path) -> None:
        self.folder = folder
        self.state = StateDir(folder / "state")
        self.root = project_root
        self.output = folder / "output"
        self.journal = folder / "journal"
        self.process: subprocess.Popen[bytes] | None = None
        self.environment = {
            **os.environ,
            **{name: str(port) for name, port in ports.named().items()},
            "DESKHAND_STATE_DIR": str(self.state.path),
            "STAND_IN_JOURNAL": str(self.journal),
            "PYTHONPATH": str(project_root),
            "LLM_API_KEY": "",
            "LLM_BASE_URL": "",
        }

    def start(self, options: Sequence[str] = (), **environment: str) -> None:
        """Start it in the background."""
        command = [sys.executable, str(PROGRAM), "run", *options]
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=output, env=self.environment | environment, cwd=self.root
            )

    def ended(self) -> int:
        """Wait for its end and return the exit code."""
        assert self.process is not None
        return self.process.wait(120)

    def once(self, **environment: str) -> str:
        """Start, wait until ready, stop; returns what was printed."""
        self.start(["--exit-when-ready"], **environment)
        assert self.ended() == 0, self.printed()
        return self.printed()

    def printed(self) -> str:
        """What a person has seen so far."""
        return self.output.read_text(encoding="utf-8")

    def is_ready(self) -> bool:
        """Whether it has said so; fails at once when it ended instead."""
        assert self.process is not None
        assert self.process.poll() is None, self.printed()
        return READY in self.printed()

    def children(self) -> list[int]:
        """The process ids of its parts."""
        return [int(pid) for pid in json.loads(self.state.children_file.read_text(encoding="utf-8"))]

    def child(self, word: str) -> int:
        """The process id of the part whose command holds a word."""
        known = json.loads(self.state.children_file.read_text(encoding="utf-8"))
        return next(int(pid) for pid, command in known.items() if any(part.endswith(word) for part in command))

    def journal_lines(self) -> list[str]:
        """What the stand-ins noted."""
        return self.journal.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def stack(tmp_path: Path, ports: StackPorts, project_root: Path) -> Iterator[Run]:
    """A stack that is ended after the test, whatever happened."""
    run = Run(tmp_path, ports, project_root)
    yield run
    if run.process and run.process.poll() is None:
        run.process.kill()
        run.process.wait()


async def flags_and_audit(run: Run) -> tuple[dict[str, bool], list[str]]:
    """The flags of mailbox `default`, and the audited flag changes. The servers must run."""
    connection = await asyncpg.connect(run.state.environment()["DATABASE_URL"])
    async with connection.transaction():
        await connection.execute("SET LOCAL deskhand.mailbox = '*'")
        rows = await connection.fetch(
            "SELECT flag, is_on FROM feature_flags f JOIN mailboxes m ON m.id = f.mailbox_id WHERE m.name = 'default'"
        )
        audited = await connection.fetch("SELECT subject FROM audit_log WHERE action = 'flag_on' ORDER BY subject")
    await connection.close()
    return {row["flag"]: row["is_on"] for row in rows}, [row["subject"] for row in audited]


async def turn_knowledge_off(run: Run) -> None:
    """What a person does with one switch."""
    connection = await asyncpg.connect(run.state.environment()["DATABASE_URL"])
    async with connection.transaction():
        await connection.execute("SET LOCAL deskhand.mailbox = '*'")
        await connection.execute("UPDATE feature_flags SET is_on = false WHERE flag = 'ai.knowledge'")
    await connection.close()


def test_a_second_start_reuses_the_data(stack: Run) -> None:
    """The first start shows addresses and a link for the password; the second the same data, a fresh link where the
    first was not used, and a changed endpoint."""
    first, key = stack.once(), stack.state.environment()["ORGANISATION_KEY"]
    link = LINK.search(first)
    assert link
    for word in ("/dashboard", "/docs", "/namespaces/deskhand/workflows", ADMIN_ADDRESS, "Offline model: ready"):
        assert word in first
    second = stack.once(LLM_BASE_URL="http://127.0.0.1:9/v1")
    fresh = LINK.search(second)
    assert fresh and fresh[0] != link[0]
    assert stack.state.environment()["ORGANISATION_KEY"] == key
    assert "Offline model" not in second and "http://127.0.0.1:9/v1" in second
    assert "offline" not in "".join(stack.state.environment().values())


async def test_the_first_start_turns_the_agent_on_and_autonomy_not(stack: Run, eventually: Eventually) -> None:
    """Three flags on, audited; autonomy off; a second start changes nothing, also after a person turned one off."""
    for knowledge in (True, False):  # A108, P112
        stack.start()
        eventually(stack.is_ready, "the stack is ready")
        flags, audited = await flags_and_audit(stack)
        assert flags == {"ai": True, "ai.agent": True, "ai.knowledge": knowledge, "ai.autonomy": False}
        assert audited == ["ai", "ai.agent", "ai.knowledge"]
        await turn_knowledge_off(stack)
        assert stack.process is not None
        stack.process.send_signal(signal.SIGTERM if knowledge else signal.SIGHUP)
        assert stack.ended() == 0


def test_a_stop_ends_everything_in_order(stack: Run, eventually: Eventually) -> None:
    """Worker, API, model, Temporal, Postgres: each while those that it needs still run. Exit code 0, nothing left."""
    stack.start()
    eventually(stack.is_ready, "the stack is ready")
    children = stack.children()
    assert len(children) == 5 and stack.process is not None
    stack.process.send_signal(signal.SIGINT)
    assert stack.ended() == 0
    order = [line.split()[1] for line in stack.printed().splitlines() if line.startswith("Stopping")]
    assert order == ["Worker", "API", "Offline", "Temporal", "Postgres"]
    stopped = [line for line in stack.journal_lines() if "stopped" in line]
    assert stopped == ["Worker stopped", "API stopped", "Offline model stopped"]
    assert not any(is_running(pid) for pid in children)


def test_a_killed_stack_leaves_no_orphan_and_starts_again(stack: Run, eventually: Eventually) -> None:
    """`kill -9` of the parent: every child ends by itself, and the next start finds the data."""
    stack.start()
    eventually(stack.is_ready, "the stack is ready")
    children = stack.children()
    assert stack.process is not None
    stack.process.kill()
    stack.process.wait()
    again = stack.once()
    assert not any(is_running(pid) for pid in children)
    assert LINK.search(again)


def test_ctrl_c_while_starting_stops_what_has_started(stack: Run, eventually: Eventually) -> None:
    """An impatient person leaves nothing behind."""
    stack.start()
    eventually(stack.state.log("temporal").exists, "the servers are starting")
    assert stack.process is not None
    stack.process.send_signal(signal.SIGINT)
    assert stack.ended() == 0
    assert READY not in stack.printed()
    assert stack.state.holder_pid() is None
    eventually(lambda: not any(str(stack.state.path) in line for line in command_lines()), "no server is left")


def test_a_part_that_dies_starts_again(stack: Run, eventually: Eventually) -> None:
    """The stack says what happened and brings it back, a server as well as a program of ours."""
    stack.start()
    eventually(stack.is_ready, "the stack is ready")
    for name, word in (("Worker", "Worker"), ("Postgres", "postgres")):
        os.kill(stack.child(word), signal.SIGKILL)
        eventually(lambda name=name: f"{name} runs again" in stack.printed(), f"{name} runs again")  # type: ignore[misc]
        assert f"{name} ended unexpectedly (signal SIGKILL)" in stack.printed()
        eventually(lambda word=word: is_running(stack.child(word)), f"{word} is known")  # type: ignore[misc]


def test_a_taken_port_ends_the_start_before_anything_is_touched(stack: Run, ports: StackPorts) -> None:
    """The message names the port and the setting; no server was started, no file written."""
    with socket.create_server(("127.0.0.1", ports.api_port)):
        stack.start()
        assert stack.ended() == 1
    assert f"port {ports.api_port} (API_PORT)" in stack.printed()
    assert "Traceback" not in stack.printed()
    assert not stack.state.env_file.exists() and not stack.state.postgres_data.exists()


def test_a_wrong_setting_ends_the_start_with_its_name(stack: Run) -> None:
    """A typing error shows before the first server starts, not in a log of a child."""
    stack.start(DELIVERY_CHANNEL="pigeon")
    assert stack.ended() == 1
    assert "DELIVERY_CHANNEL: read 'pigeon'" in stack.printed()
    assert not stack.state.postgres_data.exists()


def test_a_second_stack_on_the_same_folder_is_refused(stack: Run, eventually: Eventually) -> None:
    """The message names the process that holds it, and the first one goes on."""
    stack.start()
    eventually(stack.is_ready, "the stack is ready")
    second = subprocess.run(
        [sys.executable, str(PROGRAM), "run"], capture_output=True, text=True, check=False, timeout=60,
        env=stack.environment, cwd=stack.root,
    )  # fmt: skip
    assert stack.process is not None
    assert second.returncode == 1 and f"process {stack.process.pid}" in second.stderr
    assert all(is_running(pid) for pid in stack.children())
