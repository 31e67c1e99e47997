"""A running Deskhand for tests: API over real HTTP, the worker in this process, a model endpoint, a folder for replies.

Everything lives on one event loop in a thread of its own, so that tests of any loop can use it: each method hands its
work over and awaits the answer. Start-up takes about two seconds; use it per module and keep tests apart by senders.
"""

import asyncio
import contextlib
import itertools
import secrets
import socket
import threading
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import httpx2
import uvicorn
from pydantic import SecretStr
from temporalio.client import Client

from adapters.engine import connect
from adapters.postgres import Database
from adapters.relay import Relay
from adapters.settings import Settings
from api.app import create_app
from api.webhooks.body import Caps
from api.webhooks.signatures import sign_mta, sign_standard
from cli.stack.first_start import FirstLogin, set_up
from tests.integration.gate import Gate
from tests.peers.model_peer import ModelPeer

T = TypeVar("T")
MAILBOX = "support@shop.example"
BUILD = "test-build"
PATIENCE_S = 30.0
_numbers = itertools.count(1)


def mail(
    *,
    sender: str | None = None,
    to: str = MAILBOX,
    subject: str = "Where is my order?",
    body: str = "Hello, where is my order 4711? Regards, Anna",
    message_id: str | None = None,
    **headers: str,
) -> bytes:
    """A plain mail, unlike any other unless `message_id` says otherwise; `In_Reply_To="<x@y>"` adds a header."""
    number = next(_numbers)
    lines = {
        "From": sender or f"customer{number}@kunde.example",
        "To": to,
        "Subject": subject,
        "Message-ID": message_id or f"<{uuid.uuid4()}@kunde.example>",
        "Date": "Mon, 30 Nov 2026 20:00:00 +0000",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{head}\r\n{body}\r\n".encode()


class Running:
    """One Deskhand. `start()` and `stop()` belong to fixtures; everything else is for tests.

    `model` is scripted by `model.answer(...)` and `model.script(...)`; replies appear as files in `outbox`.
    With `with_worker=False` only the API runs: mail is taken in, and nothing happens to it. `gate` stands between the
    API (not the worker) and Postgres; shut it and the API sees a dead database.
    """

    def __init__(
        self,
        database_url: str,
        owner_url: str,
        temporal: tuple[str, str],
        folder: Path,
        *,
        with_worker: bool = True,
        caps: Caps | None = None,
        answer_within: timedelta = timedelta(seconds=8),
    ) -> None:
        self.database_url, self.owner_url = database_url, owner_url
        self.temporal_address, self.namespace = temporal
        self.outbox = folder / "outbox"
        self.model = ModelPeer()
        self.queue = f"deskhand-{uuid.uuid4().hex[:12]}"
        self.key = secrets.token_bytes(32)
        self.url = ""
        self.login: FirstLogin
        self.settings: Settings
        self.mailbox_id: UUID
        self._with_worker, self._caps, self._answer_within = with_worker, caps, answer_within
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="running", daemon=True)
        self._stack = AsyncExitStack()
        self._worker_stack: AsyncExitStack | None = None

    # ------------------------------------------------------------ for fixtures

    def start(self) -> "Running":
        """Starts everything; takes one or two seconds."""
        self._thread.start()
        self._wait(self._start())
        return self

    def stop(self) -> None:
        """Stops everything and ends the thread."""
        try:
            self._wait(self._stop())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def call(self, work: Awaitable[T]) -> T:
        """Awaits something on the loop of the installation."""

        async def there() -> T:
            return await work

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(there(), self._loop))

    # ------------------------------------------------------------ starting and stopping

    async def _start(self) -> None:
        await self._stack.enter_async_context(self.model)
        login = await set_up(self.database_url, MAILBOX, BUILD, agent_on=True, organisation_key=self.key)
        assert login is not None
        self.login = login
        self.settings = self._settings()
        self._sql = await asyncpg.create_pool(
            self.owner_url, min_size=1, max_size=8, server_settings={"search_path": "deskhand,public"}
        )
        self._stack.push_async_callback(self._sql.close)
        self.gate = await self._stack.enter_async_context(Gate(self.database_url))
        self.mailbox_id = await self._sql.fetchval("SELECT id FROM mailboxes WHERE is_default")
        await self._sql.execute("UPDATE agent_config SET sender_rate_per_min = 100000, sender_burst = 100000, "
                                "mailbox_rate_per_min = 100000, mailbox_burst = 100000")  # fmt: skip
        self.url = await self._serve()
        self._http = await self._stack.enter_async_context(
            httpx2.AsyncClient(base_url=self.url, timeout=60, trust_env=False, headers=self.bearer(login.api_token))
        )
        self._plain = await self._stack.enter_async_context(
            httpx2.AsyncClient(base_url=self.url, timeout=60, trust_env=False)
        )
        if self._with_worker:
            await self._start_worker()

    def _settings(self) -> Settings:
        return Settings(
            _env_file=None,
            database_url=self.database_url,
            temporal_address=self.temporal_address,
            temporal_namespace=self.namespace,
            organisation_key=self.key.hex(),
            build_id=BUILD,
            llm_base_url=self.model.base_url,
            llm_api_key="peer",
            llm_embedding_model="peer-embedding",
            delivery_channel="file",
            file_channel_dir=self.outbox,
            default_mailbox_address=MAILBOX,
        )

    async def _serve(self) -> str:
        """Uvicorn on a spare port, with the same arguments as the stack."""
        # Named as TCP, or asyncio leaves Nagle's algorithm on and each answer costs 40 ms.
        listener = socket.socket(proto=socket.IPPROTO_TCP)
        listener.bind(("127.0.0.1", 0))
        behind = self.settings.model_copy(update={"database_url": SecretStr(self.gate.url)})
        self.app = create_app(behind, caps=self._caps, answer_within=self._answer_within)
        config = uvicorn.Config(self.app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))

        async def end() -> None:
            server.should_exit = True
            await serving

        self._stack.push_async_callback(end)
        while not server.started:
            if serving.done():
                await serving
            await asyncio.sleep(0.01)
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    async def _start_worker(self) -> None:
        """What `worker.main` does, on a queue of our own and without metrics port and schedules."""
        import worker  # only here, so that tests of the door need nothing of the pipeline

        stack = AsyncExitStack()
        database = await Database.connect(self.database_url, most=16, name="test-worker")
        stack.push_async_callback(database.close)
        self.client: Client = await connect(self.temporal_address, self.namespace)
        built, relay = await worker._build(self.settings, database, self.client, stack, self.queue)
        relaying = asyncio.create_task(relay.run())
        stack.push_async_callback(_ended, relaying)
        await stack.enter_async_context(built)
        self.relay: Relay = relay
        self._worker_stack = stack

    async def _stop_worker(self) -> None:
        if self._worker_stack is not None:
            stack, self._worker_stack = self._worker_stack, None
            await stack.aclose()

    async def _stop(self) -> None:
        await self._stop_worker()
        await self._stack.aclose()

    @asynccontextmanager
    async def without_worker(self) -> AsyncIterator[None]:
        """No worker and no relay inside the block; afterwards both again."""
        await self.call(self._stop_worker())
        try:
            yield
        finally:
            await self.call(self._start_worker())

    # ------------------------------------------------------------ HTTP

    @staticmethod
    def bearer(token: str) -> dict[str, str]:
        """The header of a token."""
        return {"authorization": f"Bearer {token}"}

    async def get(self, path: str, *, token: str | None = None, **options: Any) -> httpx2.Response:
        """GET as the administrator, or with another token; `token=""` sends none."""
        return await self.request("GET", path, token=token, **options)

    async def post(self, path: str, body: Any = None, *, token: str | None = None, **options: Any) -> httpx2.Response:
        """POST of a JSON body."""
        return await self.request("POST", path, token=token, json=body, **options)

    async def put(self, path: str, body: Any = None, *, token: str | None = None, **options: Any) -> httpx2.Response:
        """PUT of a JSON body."""
        return await self.request("PUT", path, token=token, json=body, **options)

    async def request(self, method: str, path: str, *, token: str | None = None, **options: Any) -> httpx2.Response:
        """Any request to the API."""
        client = self._http if token is None else self._plain
        if token:
            options["headers"] = {**options.get("headers", {}), **self.bearer(token)}
        return await self.call(client.request(method, path, **options))

    # ------------------------------------------------------------ mail in

    async def source(self, name: str, kind: str, *secrets_given: str) -> None:
        """A further source, or further secrets of one."""
        sources = self.app.state.services.sources
        for secret in secrets_given:
            await self.call(sources.add(name, kind, secret))

    async def deliver(self, content: bytes, *, event_id: str | None = None, **headers: str) -> httpx2.Response:
        """A raw mail through POST /webhooks/raw/default, signed; `x_envelope_to="…"` adds a hint."""
        event, now = event_id or f"evt-{uuid.uuid4()}", int(time.time())
        signed = {
            "webhook-id": event,
            "webhook-timestamp": str(now),
            "webhook-signature": sign_standard(self.login.raw_secret, event, now, content),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return await self.request("POST", "/webhooks/raw/default", token="", content=content, headers=signed)

    async def deliver_json(self, content: bytes) -> httpx2.Response:
        """A body through POST /webhooks/mta, signed."""
        now = int(time.time())
        signed = {"x-mta-timestamp": str(now), "x-mta-signature": sign_mta(self.login.mta_secret, now, content)}
        return await self.request("POST", "/webhooks/mta", token="", content=content, headers=signed)

    async def arrive(self, content: bytes | None = None, **headers: str) -> UUID:
        """Delivers a mail and returns its message id."""
        answer = await self.deliver(content or mail(), **headers)
        assert answer.status_code == 200, answer.text
        return UUID(answer.json()["message_id"])

    # ------------------------------------------------------------ looking

    async def message(self, message_id: UUID) -> dict[str, Any]:
        """GET /api/messages/<id>."""
        answer = await self.get(f"/api/messages/{message_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def until(self, message_id: UUID, *statuses: str) -> dict[str, Any]:
        """The message once it has one of the statuses."""
        found: dict[str, Any] = {}

        async def there() -> bool:
            nonlocal found
            status = await self.value("SELECT processing_status FROM inbound_messages WHERE id = $1", message_id)
            found = await self.message(message_id) if status in statuses else {"status": status}
            return found["status"] in statuses

        await self.eventually(there, lambda: f"{message_id} is {found.get('status')}, not {' or '.join(statuses)}")
        return found

    async def eventually(
        self, condition: Callable[[], Awaitable[Any]], words: Callable[[], str] = lambda: "it never happened"
    ) -> None:
        """Waits until the condition holds."""
        until = time.monotonic() + PATIENCE_S
        while not await condition():
            assert time.monotonic() < until, words()
            await asyncio.sleep(0.05)

    async def act(self, message_id: UUID | str, action: str, token: str | None = None, **body: Any) -> httpx2.Response:
        """POST /api/messages/<id>/<action>."""
        return await self.post(f"/api/messages/{message_id}/{action}", body, token=token)

    async def approve(self, message_id: UUID, **more: Any) -> httpx2.Response:
        """Approves what GET shows."""
        seen = (await self.message(message_id))["to_approve"]
        return await self.act(message_id, "approve", **{**seen, **more})

    async def rows(self, sql: str, *values: Any) -> list[asyncpg.Record]:
        """A query as the owner, who sees behind the walls."""
        return await self.call(self._sql.fetch(sql, *values))

    async def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row."""
        return await self.call(self._sql.fetchval(sql, *values))

    async def sql(self, sql: str, *values: Any) -> str:
        """A statement as the owner."""
        return await self.call(self._sql.execute(sql, *values))

    def sent(self) -> list[Path]:
        """The mails that left, as files."""
        return sorted(self.outbox.glob("*.eml"))

    # ------------------------------------------------------------ preparing

    async def config(self, **settings: Any) -> None:
        """Changes settings of the mailbox through the API."""
        answer = await self.put(f"/api/mailboxes/{self.mailbox_id}/config", settings)
        assert answer.status_code == 200, answer.text

    async def person(self, role: str, *scopes: str, email: str | None = None) -> str:
        """A new person with a token of these scopes."""
        user = await self.value(
            "INSERT INTO users (organisation_id, email, name, role) SELECT id, $1, $2, $3 FROM organisations "
            "RETURNING id",
            email or f"p{next(_numbers)}@team.example", role.capitalize(), role,
        )  # fmt: skip
        body = {"name": "test", "scopes": list(scopes), "user_id": str(user)}
        answer = await self.post("/api/tokens", body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    async def mailbox(self, address: str) -> UUID:
        """A further mailbox with the agent on."""
        return await self.value(
            """WITH b AS (INSERT INTO mailboxes (organisation_id, address, name) SELECT id, $1, $1 FROM organisations
                RETURNING id, organisation_id),
               a AS (INSERT INTO mailbox_addresses SELECT organisation_id, $1, id FROM b),
               c AS (INSERT INTO agent_config (mailbox_id) SELECT id FROM b),
               f AS (INSERT INTO feature_flags (mailbox_id, flag, is_on, changed_by)
                SELECT id, unnest(ARRAY['ai', 'ai.agent']), true, 'test' FROM b)
               SELECT id FROM b""",
            address,
        )


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
