"""`deskhand run` with stand-ins for API, worker and offline endpoint, for tests that kill or interrupt the whole."""

import sys
from pathlib import Path

from cli.main import app
from cli.stack import command, run
from cli.stack.children import Child
from cli.stack.parts import Part, answers_http, program_part
from cli.stack.ports import StackPorts
from cli.stack.state import StateDir

STAND_IN = Path(__file__).with_name("stand_in.py")


def stand_in_parts(state: StateDir, ports: StackPorts, environment: dict[str, str], offline: bool) -> list[Part]:
    """The same parts as the product's, with small programs behind them."""
    wanted = {"Offline model": ports.offline_port} if offline else {}
    wanted |= {"API": ports.api_port, "Worker": ports.metrics_port}
    return [_part(state, environment, name, port) for name, port in wanted.items()]


def _part(state: StateDir, environment: dict[str, str], name: str, port: int) -> Part:
    child = Child(name, [sys.executable, str(STAND_IN), str(port), name], state.log(name.lower()), environment)
    return program_part(child, lambda: answers_http(port))


class StackWithStandIns(run.Stack):
    """The stack of `deskhand run`, stand-ins inside."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments, products=stand_in_parts)  # type: ignore[arg-type]


if __name__ == "__main__":
    command.Stack = StackWithStandIns  # type: ignore[misc]
    app()
