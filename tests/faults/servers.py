"""What outlives a killed worker: durable Postgres and Temporal, a counting mail relay, and model endpoints that count.

One set serves all fault tests of a run; each test has a database and a namespace of its own in it.
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from adapters.settings import PROJECT_ROOT, Settings
from cli.stack.children import Child
from cli.stack.embedded import EmbeddedServices
from cli.stack.parts import Part, answers_http, program_part
from cli.stack.ports import LOOPBACK, StackPorts, spare_ports
from cli.stack.postgres import OWNER
from cli.stack.schema import apply_schema
from cli.stack.state import StateDir

TEMPLATE = "deskhand"


class Servers:
    """`start()` and `stop()` belong to the fixture, `revive()` to every house's beginning and end."""

    def __init__(self, folder: Path) -> None:
        ports = spare_ports()
        state = StateDir(folder / "state")
        self.services = EmbeddedServices(state, ports, web_ui=False, say=lambda words: None)
        self.smtp_port = ports.temporal_ui_port
        self._accepted_file = folder / "accepted.txt"
        self._smtp = _smtp_peer(state, self.smtp_port, self._accepted_file)

    async def start(self) -> None:
        """Both servers with the schema, and the relay."""
        await self.services.__aenter__()
        await apply_schema(self.services.postgres.url(OWNER))
        self._accepted_file.touch()
        await self._smtp.start()

    async def stop(self) -> None:
        """Ends all three."""
        await self._smtp.stop(True)
        await self.services.stop()

    async def revive(self) -> None:
        """Starts what a failed test left dead."""
        for server in (self.services.postgres, self.services.temporal):
            if not server.child.is_alive():
                await server.start()

    def accepted(self) -> Counter[str]:
        """How often the relay took responsibility for a mail, by its Message-ID without brackets."""
        return Counter(line.strip("<>") for line in self._accepted_file.read_text().splitlines())


def model_peer(state: StateDir, port: int) -> Part:
    """A model endpoint as its own process; it tells at `/v1/counts` what it was asked."""
    command = [sys.executable, "-m", "tests.peers.model_peer", "--port", str(port)]
    child = Child("Model peer", command, state.log("model"), bare_environment(), PROJECT_ROOT)
    return program_part(child, lambda: answers_http(port, "/v1/counts"))


def _smtp_peer(state: StateDir, port: int, count_file: Path) -> Part:
    command = [sys.executable, "-m", "tests.peers.smtp_peer", "--port", str(port), "--count-file", str(count_file)]
    child = Child("SMTP peer", command, state.log("smtp"), bare_environment(), PROJECT_ROOT)
    return program_part(child, lambda: _listens(port))


def bare_environment() -> Mapping[str, str]:
    """This process's environment without any setting of Deskhand."""
    names = {name.upper() for name in (*Settings.model_fields, *StackPorts.model_fields)}
    return {name: value for name, value in os.environ.items() if name not in names and not name.startswith("DESKHAND_")}


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(LOOPBACK, port)
    except OSError:
        return False
    writer.close()
    return True
