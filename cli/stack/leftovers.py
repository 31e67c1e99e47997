"""What a killed stack leaves: children on their way out, and a pid file of Postgres that may name a stranger by now.

Postgres itself clears the file of a dead process. It refuses to start when the number is in use, though, and after a
restart of the machine or of a container a stranger often has it. Where the kernel cannot end children with their parent
(macOS), the next start ends them by the list that the last one kept.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cli.stack.faults import StackFault
from cli.stack.state import write_private

ORPHAN_TIMEOUT_S = 15.0
POLL_S = 0.05


async def clear_stale_pid_file(data: Path) -> None:
    """Wait for an orphaned server of this folder to end, and remove a pid file that names a stranger."""
    pid = _pid_in(data / "postmaster.pid")
    if pid is None or not _is_alive(pid):
        return
    if _serves(pid, data):
        await _end_server(pid, data)
    else:
        (data / "postmaster.pid").unlink(missing_ok=True)


def _pid_in(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="utf-8").splitlines()[0])
    except (OSError, ValueError, IndexError):
        return None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def command_line(pid: int) -> str:
    """The command line of a process, empty when it is gone."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout


def _serves(pid: int, data: Path) -> bool:
    words = command_line(pid)
    return "postgres" in words and f"-D {data} " in words


async def _end_server(pid: int, data: Path) -> None:
    os.kill(pid, signal.SIGINT)
    if not await _gone(lambda: _is_alive(pid) and _serves(pid, data)):
        raise StackFault(f"An older Postgres (process {pid}) still works on {data}. Stop it, then start again.")


async def _gone(is_there: Callable[[], bool]) -> bool:
    for _ in range(int(ORPHAN_TIMEOUT_S / POLL_S)):
        if not is_there():
            return True
        await asyncio.sleep(POLL_S)
    return False


def remember_children(file: Path, running: Mapping[int, Sequence[str]]) -> None:
    """Keep which processes this stack runs, for the next start after a crash."""
    write_private(file, json.dumps({pid: list(command) for pid, command in running.items()}))


async def end_orphans(file: Path) -> None:
    """End what the last stack left running, if the process is still the one that it started."""
    for pid, command in _remembered(file).items():
        words = " ".join(command)
        if command_line(pid).strip() == words:
            await _end_child(pid, words)
    file.unlink(missing_ok=True)


def _remembered(file: Path) -> dict[int, list[str]]:
    try:
        return {int(pid): command for pid, command in json.loads(file.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, AttributeError):
        return {}


async def _end_child(pid: int, words: str) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        if await _gone(lambda: command_line(pid).strip() == words):
            return
