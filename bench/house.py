"""A whole Deskhand to measure: servers, API, worker and an instant model endpoint, each a process of its own.

Everything is what `make run` starts, with durable files, in a folder that is gone afterwards. Two things differ: the
model answers at once, so that only our own time is measured, and the rate budgets are raised (P46), which
`BUDGETS_SAID` says in every report.
"""

import os
import shutil
import signal
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import asyncpg
from temporalio.client import Client

from adapters.engine import connect
from adapters.settings import PROJECT_ROOT, Settings
from bench.mails import MAILBOX
from bench.posting import Poster
from cli.stack.children import Child
from cli.stack.embedded import EmbeddedServices
from cli.stack.environment import child_environment, decided_settings
from cli.stack.first_start import set_up
from cli.stack.parts import Part, answers_http, api_part, program_part, worker_part
from cli.stack.ports import LOOPBACK, StackPorts, spare_ports
from cli.stack.postgres import OWNER
from cli.stack.roles import APP
from cli.stack.schema import apply_schema
from cli.stack.state import StateDir

BUDGET = 100_000
BUDGETS_SAID = f"raised to {BUDGET} a minute, burst {BUDGET}, for every sender and mailbox (P46)"
RAISE_BUDGETS = f"""
UPDATE agent_config SET sender_rate_per_min = {BUDGET}, sender_burst = {BUDGET},
    mailbox_rate_per_min = {BUDGET}, mailbox_burst = {BUDGET}
"""
MODEL_KEY = "bench"
SQL_CONNECTIONS = 2


class House:
    """An async context. `metrics_port` also opens the Temporal server's own metrics there."""

    def __init__(self, *, metrics_port: int | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="deskhand-bench-"))
        self.state = StateDir(self.folder / "state")
        self.ports = spare_ports()
        self.services = EmbeddedServices(self.state, self.ports, say=_silent)
        if metrics_port is not None:
            temporal = self.services.temporal.child
            temporal.command = [*temporal.command, "--metrics-port", str(metrics_port)]
        self.model: Part
        self.api: Part
        self.worker: Part
        self.sql: asyncpg.Pool
        self.client: Client
        self.raw_secret = ""
        self._stack = AsyncExitStack()

    @property
    def model_url(self) -> str:
        """The LLM_BASE_URL of the instant endpoint."""
        return f"http://{LOOPBACK}:{self.ports.offline_port}/v1"

    async def __aenter__(self) -> Self:
        self._stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def _start(self) -> None:
        await self._stack.enter_async_context(self.services)
        values = self._decide()
        await self._fill(values)
        environment = child_environment(self.state, values)
        self.model = model_part(self.state, self.ports, environment)
        self.api = api_part(self.state, self.ports, environment)
        self.worker = worker_part(self.state, self.ports, environment)
        for part in (self.model, self.api, self.worker):
            self._stack.push_async_callback(part.stop, False)
            await part.start()

    def _decide(self) -> dict[str, str]:
        values = {
            **decided_settings(self.state, self.ports, self.services.postgres, self.services.temporal),
            "LLM_BASE_URL": self.model_url,
            "LLM_API_KEY": MODEL_KEY,
        }
        self.state.write_environment(values)
        return values

    async def _fill(self, values: dict[str, str]) -> None:
        owner = self.services.postgres.url(OWNER)
        await apply_schema(owner)
        key = bytes.fromhex(values["ORGANISATION_KEY"])
        login = await set_up(self.services.postgres.url(APP), MAILBOX, values["BUILD_ID"], True, key)
        assert login is not None
        self.raw_secret = login.raw_secret
        self.sql = await open_pool(owner, "deskhand", SQL_CONNECTIONS)
        self._stack.push_async_callback(self.sql.close)
        await self.sql.execute(RAISE_BUDGETS)
        self.client = await connect(values["TEMPORAL_ADDRESS"], values["TEMPORAL_NAMESPACE"])

    def poster(self) -> Poster:
        """A sender for the source `default`; use it as a context."""
        return Poster(self.ports.api_port, self.raw_secret)

    async def kill_worker(self) -> int:
        """End the worker as a power cut would; its exit code, -9."""
        self.worker.child.send(signal.SIGKILL)
        return await self.worker.child.ended()


def model_part(state: StateDir, ports: StackPorts, environment: dict[str, str]) -> Part:
    """The instant endpoint, on the port that the offline one would have."""
    command = [sys.executable, "-m", "tests.peers.model_peer", "--port", str(ports.offline_port)]
    child = Child("Instant model", command, state.log("model"), environment, PROJECT_ROOT)
    return program_part(child, lambda: answers_http(ports.offline_port, "/v1/models"))


async def open_pool(url: str, schema: str, connections: int) -> asyncpg.Pool:
    """A pool of the owner, whom no row-level security binds; set-up and counting alone use it."""
    pool: asyncpg.Pool = await asyncpg.create_pool(
        url, min_size=1, max_size=connections, server_settings={"search_path": f"{schema},public"}
    )
    return pool


def another_port(taken: StackPorts) -> int:
    """A spare port beside those of a stack."""
    return next(port for port in spare_ports().named().values() if port not in taken.named().values())


def forget_own_settings() -> None:
    """Drop every variable that configures Deskhand, so that nobody's own settings or keys take part."""
    ours = {name.upper() for name in (*Settings.model_fields, *StackPorts.model_fields)}
    for name in [*os.environ]:
        if name in ours or name.startswith("DESKHAND_"):
            del os.environ[name]


def _silent(text: str) -> None:
    """Nobody reads what the servers say at their start."""
