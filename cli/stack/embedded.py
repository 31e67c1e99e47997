"""Postgres and Temporal together, without API and worker: what the tests and the whole stack both stand on."""

from types import TracebackType
from typing import Self

from cli.stack.identity import Say
from cli.stack.leftovers import end_orphans, remember_children
from cli.stack.ports import StackPorts
from cli.stack.postgres import Postgres
from cli.stack.state import StateDir
from cli.stack.temporal import Temporal
from cli.stack.together import together


class EmbeddedServices:
    """An async context: both servers run and are set up inside it. `durable=False` and `web_ui=False` suit tests."""

    def __init__(
        self, state: StateDir, ports: StackPorts, *, durable: bool = True, web_ui: bool = True, say: Say = print
    ) -> None:
        self.state = state
        self.ports = ports
        self._durable = durable
        self.postgres = Postgres(state, ports.postgres_port, durable, say)
        self.temporal = Temporal(state, ports.temporal_port, ports.temporal_ui_port if web_ui else None)

    async def __aenter__(self) -> Self:
        self.state.create()
        self.state.lock()
        try:
            await end_orphans(self.state.children_file)
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start both at once."""
        await together(self.postgres.start(), self.temporal.start())
        children = (self.postgres.child, self.temporal.child)
        remember_children(self.state.children_file, {child.pid: child.command for child in children if child.pid})

    async def stop(self) -> None:
        """Stop both and let go of the folder."""
        await self.temporal.stop(hurry=not self._durable)
        await self.postgres.stop()
        self.state.children_file.unlink(missing_ok=True)
        self.state.unlock()
