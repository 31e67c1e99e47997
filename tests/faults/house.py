"""One installation under attack: worker and API as processes that can be held at a point and killed, and what SQL says.

Points are the names passed to `contracts.barriers.barrier`. A held process has made the point's mark, a file that says
what it was working on.
"""

import asyncio
import signal
import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx2
from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode

from adapters.engine import connect
from adapters.postgres import Database
from adapters.reception import Reception
from api.webhooks import raw
from cli.stack.first_start import FirstLogin, set_up
from cli.stack.namespace import ensure_namespace, ensure_search_attributes
from cli.stack.parts import Part, api_part, worker_part
from cli.stack.ports import spare_ports
from cli.stack.postgres import APP, OWNER
from cli.stack.roles import create_database
from cli.stack.state import StateDir
from contracts.barriers import VARIABLE
from contracts.lifecycle import Outcome
from contracts.workflow import HumanAct, HumanRequest, SignalDecision
from domain.keys import Keyring
from tests.faults.looking import Looking, eventually
from tests.faults.mails import MAILBOX, mail
from tests.faults.servers import TEMPLATE, Servers, bare_environment, model_peer

BUILD = "fault-build"
KEY = b"k" * 32
REVIEWER = "user:00000000-0000-4000-8000-000000000001"

BY_THE_CLOCK = "extract_answer"

class House(Looking):
    """A database, a namespace and the processes on them. `door` takes mail in, in this process."""

    def __init__(self, servers: Servers, folder: Path, name: str, channel: str) -> None:
        self.servers = servers
        self.folder = folder
        self.name = name
        self.channel = channel
        self.outbox = folder / "outbox"
        self._state = StateDir(folder / "state")
        self._ports = spare_ports()
        self._model = model_peer(self._state, self._ports.offline_port)
        self._stands = False
        self.worker: Part | None = None
        self.api: Part | None = None
        self.login: FirstLogin
        self.client: Client
        self.door: Reception
        self.database: Database
        self._sql: asyncpg.Pool

    # ------------------------------------------------------------ for fixtures

    async def open(self) -> None:
        """Everything but worker and API."""
        self._state.create()
        await asyncio.gather(self.servers.revive(), self._model.start())
        services = self.servers.services
        superuser = await services.postgres.connect()
        await create_database(superuser, self.name, TEMPLATE)
        await superuser.close()
        self.client = await connect(services.temporal.address, self.name)
        await ensure_namespace(self.client, self.name, timedelta(days=30))
        await ensure_search_attributes(self.client, self.name)
        url = services.postgres.url(APP, self.name)
        login = await set_up(url, MAILBOX, BUILD, agent_on=True, organisation_key=KEY)
        assert login is not None
        self.login = login
        self.database = await Database.connect(url, most=4, name="faults")
        self.door = Reception(self.database, Keyring(KEY))
        self._sql = await asyncpg.create_pool(services.postgres.url(OWNER, self.name), min_size=1, max_size=4)
        self._stands = True
        await self.config(human_undo_ms=0, sender_burst=1000, mailbox_burst=1000, mailbox_rate_per_min=1000)

    async def close(self) -> None:
        """Ends the processes and drops the database; a second call does nothing."""
        if not self._stands:
            return
        self._stands = False
        for part in filter(None, (self.worker, self.api, self._model)):
            await part.stop(True)
        await self.database.close()
        self._sql.terminate()
        await self.servers.revive()
        superuser = await self.servers.services.postgres.connect()
        await superuser.execute(f"DROP DATABASE {self.name} WITH (FORCE)")
        await superuser.close()

    # ------------------------------------------------------------ processes

    @property
    def url(self) -> str:
        """Where the API answers."""
        return f"http://127.0.0.1:{self._ports.api_port}"

    @property
    def model_url(self) -> str:
        """LLM_BASE_URL of the house's own model peer."""
        return f"http://127.0.0.1:{self._ports.offline_port}/v1"

    def _environment(self, points: tuple[str, ...], settings_given: Mapping[str, str]) -> dict[str, str]:
        services, settings = self.servers.services, self.folder / "settings.env"
        settings.touch()
        return {
            **bare_environment(),
            "DESKHAND_ENV_FILE": str(settings),
            "DESKHAND_STATE_DIR": str(self.folder),
            "DATABASE_URL": services.postgres.url(APP, self.name),
            "TEMPORAL_ADDRESS": services.temporal.address,
            "TEMPORAL_NAMESPACE": self.name,
            "METRICS_PORT": str(self._ports.metrics_port),
            "LLM_BASE_URL": self.model_url,
            "LLM_API_KEY": "peer",
            "LLM_EMBEDDING_MODEL": "peer-embedding",
            "DELIVERY_CHANNEL": self.channel,
            "FILE_CHANNEL_DIR": str(self.outbox),
            "SMTP_HOST": "127.0.0.1",
            "SMTP_PORT": str(self.servers.smtp_port),
            "SMTP_TLS": "none",
            "ORGANISATION_KEY": KEY.hex(),
            "BUILD_ID": BUILD,
            "DEFAULT_MAILBOX_ADDRESS": MAILBOX,
            VARIABLE: ",".join(f"{point}:{self.mark(point)}" for point in points),
            **{name.upper(): value for name, value in settings_given.items()},
        }

    async def start_worker(self, *points: str, **settings: str) -> None:
        """`python worker.py`, to be held at these points, other settings by name; returns when it asks for work."""
        self.arm(*points)
        self.worker = worker_part(self._state, self._ports, self._environment(points, settings))
        await self.worker.start()

    async def start_api(self, *points: str) -> None:
        """The API on its port; returns when it answers."""
        self.arm(*points)
        self.api = api_part(self._state, self._ports, self._environment(points, {}))
        await self.api.start()

    def arm(self, *points: str) -> None:
        """The next one who comes to one of these points of the running process is held."""
        for point in points:
            self.mark(point).unlink(missing_ok=True)

    def disarm(self, *points: str) -> None:
        """Nobody is held there, as if somebody were already."""
        for point in points:
            self.mark(point).touch()

    @staticmethod
    async def kill(part: Part | None) -> None:
        """kill -9, and the proof that nothing else ended the process."""
        assert part is not None
        part.child.send(signal.SIGKILL)
        await part.child.ended()
        assert part.child.exit_code() == -signal.SIGKILL

    def mark(self, point: str) -> Path:
        """The file that appears when somebody is held at the point."""
        return self.folder / f"held-at-{point.replace('/', '.')}"

    async def held(self, point: str) -> str:
        """Waits until somebody is held there; what they work on."""

        async def there() -> bool:
            return self.mark(point).exists() and bool(self.mark(point).read_text())

        await eventually(there, f"the barrier {point} was never reached")
        return self.mark(point).read_text()

    # ------------------------------------------------------------ mail and people

    async def accept(self, content: bytes | None = None, event_id: str | None = None) -> UUID:
        """Through the door, in this process; the message id."""
        event = event_id or f"evt-{uuid.uuid4()}"
        return (await self.door.accept(raw.translate("default", content or mail(), event, {}))).message_ids[0]

    async def accept_many(self, count: int) -> list[UUID]:
        """One after the other."""
        return [await self.accept() for _ in range(count)]

    def workflow(self, message_id: UUID) -> WorkflowHandle[Any, Any]:
        """The workflow of a message."""
        return self.client.get_workflow_handle(f"message/{message_id}")

    async def approve_by_signal(self, message_id: UUID) -> None:
        """As from the command line: durable without a worker. A workflow that ended meanwhile needs none."""
        try:
            await self.workflow(message_id).signal("approve", SignalDecision(request_id=f"approve-{message_id}"))
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise

    async def ask(self, message_id: UUID, update: str, act: HumanAct) -> Outcome:
        """A reviewer's Update, as the API sends it."""
        request = HumanRequest(request_id=str(uuid.uuid4()), actor=REVIEWER, act=act)
        return await self.workflow(message_id).execute_update(
            update, request, id=request.request_id, result_type=Outcome
        )

    async def model_calls(self) -> Counter[str]:
        """Calls of the steps so far, by schema name; what is mined by the clock belongs to no run."""
        async with httpx2.AsyncClient(trust_env=False) as http:
            counts = Counter((await http.get(f"{self.model_url}/counts")).json())
        del counts[BY_THE_CLOCK]
        return counts
