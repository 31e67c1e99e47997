"""The parts of a running stack behind one shape: start and wait until ready, stop, and the child to watch."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from adapters.settings import PROJECT_ROOT
from cli.stack.children import Child
from cli.stack.namespace import polls
from cli.stack.ports import LOOPBACK, StackPorts
from cli.stack.state import StateDir
from workflows.policies import TASK_QUEUE

READY_TIMEOUT_S: Final = 90
PROBE_TIMEOUT_S: Final = 2
# The worker gives running activities 30 s to finish.
WORKER_STOP_TIMEOUT_S: Final = 40.0
API_GRACE_S: Final = 5


@dataclass(frozen=True)
class Part:
    """`start` returns when the part is ready, `stop(hurry)` when it has ended."""

    child: Child
    start: Callable[[], Awaitable[None]]
    stop: Callable[[bool], Awaitable[None]]

    @property
    def name(self) -> str:
        """The name people see."""
        return self.child.name


def program_part(child: Child, ready: Callable[[], Awaitable[bool]]) -> Part:
    """A part that is an ordinary program."""

    async def start() -> None:
        child.start()
        await child.until(ready, READY_TIMEOUT_S)

    return Part(child, start, child.stop)


async def answers_http(port: int, path: str = "/") -> bool:
    """Whether an HTTP server on the loopback port answers at all, below a server error."""
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            status = await _status_line(port, path)
    except (OSError, TimeoutError):
        return False
    words = status.split()
    return len(words) > 1 and words[0].startswith(b"HTTP/") and words[1] < b"500"


async def _status_line(port: int, path: str) -> bytes:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}:{port}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        return await reader.readline()
    finally:
        writer.close()


def offline_part(state: StateDir, ports: StackPorts, environment: Mapping[str, str]) -> Part:
    """The offline model endpoint."""
    command = [sys.executable, "-m", "offline", "--port", str(ports.offline_port)]
    child = Child("Offline model", command, state.log("offline"), environment, PROJECT_ROOT)
    return program_part(child, lambda: answers_http(ports.offline_port))


def api_part(state: StateDir, ports: StackPorts, environment: Mapping[str, str]) -> Part:
    """The API with the dashboard. Its access log stays off, for paths can hold single-use links."""
    command = [
        sys.executable, "-m", "uvicorn", "api.app:create_app", "--factory", "--host", LOOPBACK,
        "--port", str(ports.api_port), "--no-access-log", "--timeout-graceful-shutdown", str(API_GRACE_S),
    ]  # fmt: skip
    child = Child("API", command, state.log("api"), environment, PROJECT_ROOT, stop_timeout_s=API_GRACE_S + 10)
    return program_part(child, lambda: answers_http(ports.api_port, "/healthz"))


def worker_part(state: StateDir, ports: StackPorts, environment: Mapping[str, str]) -> Part:
    """The worker; it is ready when the server sees it ask for work."""
    command = [sys.executable, "worker.py"]
    child = Child(
        "Worker", command, state.log("worker"), environment, PROJECT_ROOT, stop_timeout_s=WORKER_STOP_TIMEOUT_S
    )

    async def ready() -> bool:
        return await polls(environment["TEMPORAL_ADDRESS"], environment["TEMPORAL_NAMESPACE"], TASK_QUEUE, child.pid)

    return program_part(child, ready)
