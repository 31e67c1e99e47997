"""What outlives a killed worker: durable Postgres and Temporal, and a model endpoint and a mail relay that count.

One set serves all fault tests of a run; each test has a database and a namespace of its own in it.
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import httpx2

from adapters.settings import PROJECT_ROOT, Settings
from cli.stack.children import Child
from cli.stack.embedded import EmbeddedServices
from cli.stack.parts import Part, answers_http, program_part
from cli.stack.ports import LOOPBACK, StackPorts, spare_ports
from cli.stack.postgres import OWNER
from cli.stack.schema import apply_schema
from cli.stack.state import StateDir
from cli.stack.together import together

TEMPLATE = "deskhand"


class Servers:
    """`start()` and `stop()` belong to the fixture, `revive()` to every test's beginning."""

    def __init__(self, folder: Path) -> None:
        self.state = StateDir(folder / "state")
        self.ports = spare_ports()
        self.services = EmbeddedServices(self.state, self.ports, web_ui=False, say=lambda words: None)
        self.accepted_file = folder / "accepted.txt"
        self._smtp_port = self.ports.temporal_ui_port
        self._peers: list[Part] = []

    @property
    def model_url(self) -> str:
        """LLM_BASE_URL of the model peer."""
        return f"http://{LOOPBACK}:{self.ports.offline_port}/v1"

    @property
    def smtp_port(self) -> int:
        """SMTP_PORT of the counting relay."""
        return self._smtp_port

    async def start(self) -> None:
        """Both servers with the schema, and both peers."""
        await self.services.__aenter__()
        await apply_schema(self.services.postgres.url(OWNER))
        self.accepted_file.touch()
        self._peers = [self._model(), self._smtp()]
        await together(*(peer.start() for peer in self._peers))

    async def stop(self) -> None:
        """Ends all four."""
        for peer in self._peers:
            await peer.stop(True)
        await self.services.stop()

    async def revive(self) -> None:
        """Starts what a failed test left dead."""
        for server in (self.services.postgres, self.services.temporal):
            if not server.child.is_alive():
                await server.start()

    def _model(self) -> Part:
        command = [sys.executable, "-m", "tests.peers.model_peer", "--port", str(self.ports.offline_port)]
        child = Child("Model peer", command, self.state.log("model"), bare_environment(), PROJECT_ROOT)
        return program_part(child, lambda: answers_http(self.ports.offline_port, "/v1/counts"))

    def _smtp(self) -> Part:
        command = [
            sys.executable, "-m", "tests.peers.smtp_peer",
            "--port", str(self._smtp_port), "--count-file", str(self.accepted_file),
        ]  # fmt: skip
        child = Child("SMTP peer", command, self.state.log("smtp"), bare_environment(), PROJECT_ROOT)
        return program_part(child, lambda: _listens(self._smtp_port))

    def accepted(self) -> Counter[str]:
        """How often the relay took responsibility for a mail, by its Message-ID without brackets."""
        return Counter(line.strip("<>") for line in self.accepted_file.read_text().splitlines())

    async def model_calls(self) -> Counter[str]:
        """Calls of the model peer so far, by schema name; embeddings under `/embeddings`."""
        async with httpx2.AsyncClient(trust_env=False) as http:
            return Counter((await http.get(f"{self.model_url}/counts")).json())


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
