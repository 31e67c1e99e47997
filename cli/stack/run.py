"""The whole embedded stack: starts every part in order, watches them, starts again what dies, stops it all cleanly."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Final, Self

from adapters.settings import Settings
from cli.stack.display import PlainDisplay
from cli.stack.environment import (
    checked_settings,
    child_environment,
    decided_settings,
    model_settings,
    wants_offline_model,
)
from cli.stack.faults import StackFault
from cli.stack.first_access import secrets_file_text
from cli.stack.first_start import FirstLogin, link_of_newcomer, set_up
from cli.stack.leftovers import end_orphans, remember_children
from cli.stack.parts import READY_TIMEOUT_S, Part, answers_http, api_part, offline_part, worker_part
from cli.stack.ports import StackPorts, load_ports, require_free
from cli.stack.postgres import Postgres
from cli.stack.roles import APP, OWNER
from cli.stack.schema import apply_schema
from cli.stack.state import StateDir, default_state, write_private
from cli.stack.supervise import keep_all
from cli.stack.temporal import Temporal
from cli.stack.together import together

ProductParts = Callable[[StateDir, StackPorts, dict[str, str], bool], list[Part]]
WAIT_FOR_OTHER_S: Final = 0.2


def product_parts(state: StateDir, ports: StackPorts, environment: dict[str, str], offline: bool) -> list[Part]:
    """The programs of Deskhand itself, in the order of their start."""
    model = [offline_part(state, ports, environment)] if offline else []
    return [*model, api_part(state, ports, environment), worker_part(state, ports, environment)]


class Stack:
    """An async context in which everything runs; inside it `supervise()` keeps it so. `products` is for tests."""

    def __init__(
        self, state: StateDir, ports: StackPorts, display: PlainDisplay, products: ProductParts = product_parts
    ) -> None:
        self.state = state
        self.ports = ports
        self.display = display
        self.parts: list[Part] = []
        self.login: FirstLogin | None = None
        self.newcomer: tuple[str, str] | None = None
        self.settings: Settings | None = None
        self._products = products
        self._postgres = Postgres(state, ports.postgres_port, say=self._say)
        self._temporal = Temporal(state, ports.temporal_port, ports.temporal_ui_port)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def _say(self, text: str) -> None:
        self.display.say(text)

    async def start(self) -> None:
        """Start every part; a failure or a cancellation stops what had started."""
        self.state.create()
        self.state.lock()
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    async def supervise(self) -> None:
        """Start again what dies, until cancelled."""
        await keep_all(self.parts, self._say, self._remember)

    async def stop(self) -> None:
        """Stop every part, the last started first, and let go of the state folder."""
        for part in reversed(self.parts):
            if part.child.is_alive():
                self._say(f"Stopping {part.name} ...")
                await part.stop(False)
        self.state.children_file.unlink(missing_ok=True)
        self.state.unlock()

    def hurry(self) -> None:
        """End every part at once; Postgres recovers at its next start."""
        for part in self.parts:
            part.child.send(signal.SIGQUIT if part.child is self._postgres.child else signal.SIGKILL)

    async def _start(self) -> None:
        await end_orphans(self.state.children_file)
        offline = wants_offline_model(self.state.environment(), os.environ)
        require_free(_needed(self.ports, offline))
        values = self._decide(offline)
        servers = [_part(self._postgres), _part(self._temporal)]
        products = self._products(self.state, self.ports, child_environment(self.state, values), offline)
        self.parts = [*servers, *products]
        await self._start_together(servers)
        with self.display.step("Database"):
            await self._prepare_database()
        await self._start_together(products)

    def _decide(self, offline: bool) -> dict[str, str | None]:
        decided = decided_settings(self.state, self.ports, self._postgres, self._temporal)
        model = model_settings(offline, self.state.environment(), self.ports.offline_port)
        values: dict[str, str | None] = {**decided, **model}
        self.state.write_environment(values)
        self.settings = checked_settings(self.state, values)
        return values

    async def _start_together(self, parts: Sequence[Part]) -> None:
        try:
            await together(*(self._start_one(part) for part in parts))
        finally:
            self._remember()

    async def _start_one(self, part: Part) -> None:
        with self.display.step(part.name):
            await part.start()

    def _remember(self) -> None:
        running = {part.child.pid: part.child.command for part in self.parts if part.child.pid}
        remember_children(self.state.children_file, running)

    async def _prepare_database(self) -> None:
        assert self.settings is not None
        await apply_schema(self._postgres.url(OWNER))
        self.login = await set_up(
            self._postgres.url(APP),
            self.settings.default_mailbox_address,
            self.settings.build_id,
            agent_on=True,
            organisation_key=self.settings.organisation_key_bytes(),
        )
        if self.login:
            write_private(self.state.webhook_secrets_file, secrets_file_text(self.login.access))
            self.newcomer = self.login.address, self.login.link
        else:
            self.newcomer = await link_of_newcomer(self._postgres.url(APP))

    def facts(self) -> dict[str, str]:
        """What a person wants to know once everything runs."""
        assert self.settings is not None
        base = self.settings.dashboard_base_url()
        return {
            "Dashboard": f"{base}/dashboard",
            "API docs": f"{base}/docs",
            "Temporal UI": f"{self.settings.temporal_ui_url}/namespaces/{self._temporal.namespace}/workflows",
            "Login": self._login_words(),
            "API token": self._token_words(),
            "Mailbox": self.settings.default_mailbox_address,
            "Model": _model_words(self.settings),
            "Data and logs": str(self.state.path),
        }

    def _login_words(self) -> str:
        assert self.settings is not None
        if self.newcomer:
            address, link = self.newcomer
            return f"{address}, set the password within a day at {self.settings.dashboard_base_url()}{link}"
        return "as before (`deskhand access link` replaces a lost password)"

    def _token_words(self) -> str:
        where = f"with the webhook secrets in {self.state.webhook_secrets_file}"
        return f"{self.login.api_token}  ({where})" if self.login else f"as before ({where})"


def _part(server: Postgres | Temporal) -> Part:
    return Part(server.child, server.start, server.stop)


def _needed(ports: StackPorts, offline: bool) -> dict[str, int]:
    return {name: port for name, port in ports.named().items() if offline or name != "OFFLINE_PORT"}


def _model_words(settings: Settings) -> str:
    if settings.deskhand_offline_model:
        return "offline: fills templates from knowledge (LLM_BASE_URL or LLM_API_KEY name a real one)"
    return settings.llm_base_url or "the OpenAI API"


@asynccontextmanager
async def running_stack(display: PlainDisplay) -> AsyncIterator[StateDir]:
    """The stack that runs already on the default state folder, else one of our own while the context is open."""
    state = default_state()
    ports = load_ports(state.env_file)
    if state.holder_pid() is not None:
        await _until_answers(ports.api_port)
        yield state
        return
    async with Stack(state, ports, display):
        yield state


async def _until_answers(port: int) -> None:
    for _ in range(int(READY_TIMEOUT_S / WAIT_FOR_OTHER_S)):
        if await answers_http(port, "/healthz"):
            return
        await asyncio.sleep(WAIT_FOR_OTHER_S)
    raise StackFault(f"A stack runs, but its API does not answer on port {port}. Look at its logs or start it again.")
