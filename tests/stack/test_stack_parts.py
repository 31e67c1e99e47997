"""The whole stack from inside: a start that fails, a stop that hurries, and what a person reads meanwhile."""

import asyncio
import io
import sys
from collections.abc import Callable

import pytest
from rich.console import Console

from cli.stack.children import Child
from cli.stack.display import LiveDisplay, PlainDisplay, show_welcome
from cli.stack.faults import StackFault
from cli.stack.parts import Part, program_part
from cli.stack.ports import StackPorts
from cli.stack.run import Stack
from cli.stack.state import StateDir

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
Products = Callable[[StateDir, StackPorts, dict[str, str], bool], list[Part]]


def screen() -> tuple[PlainDisplay, io.StringIO]:
    """A display and what was shown on it."""
    shown = io.StringIO()
    return PlainDisplay(Console(file=shown, soft_wrap=True, highlight=False)), shown


def part(state: StateDir, name: str, code: str, ready_word: str, **options: object) -> Part:
    """A part that runs a line of Python and is ready when its log says so."""
    child = Child(name, [sys.executable, "-c", code], state.log(name), **options)  # type: ignore[arg-type]

    async def ready() -> bool:
        return ready_word in child.last_words()

    return program_part(child, ready)


async def test_a_part_that_fails_ends_the_start_and_all_that_ran(state: StateDir, ports: StackPorts) -> None:
    """The message names the part and its last words; what else was starting reads as broken off, not as failed."""
    display, shown = screen()

    def products(folder: StateDir, *_: object) -> list[Part]:
        return [
            part(folder, "Waiting", "import time; time.sleep(600)", "never"),
            part(folder, "Broken", "raise SystemExit('no such module')", "never"),
        ]

    stack = Stack(state, ports, display, products)
    with pytest.raises(StackFault, match=r"Broken ended at its start \(exit code 1\)(?s:.*)no such module"):
        await stack.start()
    assert "Broken: failed" in shown.getvalue() and "Waiting: broken off" in shown.getvalue()
    assert not any(one.child.is_alive() for one in stack.parts)
    assert state.holder_pid() is None and not state.children_file.exists()


async def test_a_second_ctrl_c_waits_for_nobody(state: StateDir, ports: StackPorts) -> None:
    """A program that would take its time is killed, and the data of Postgres is sound at the next start."""

    def products(folder: StateDir, *_: object) -> list[Part]:
        return [part(folder, "Deaf", DEAF, "deaf", stop_timeout_s=600)]

    stack = Stack(state, ports, screen()[0], products)
    await stack.start()
    stopping = asyncio.create_task(stack.stop())
    await asyncio.sleep(0.1)
    assert not stopping.done()
    stack.hurry()
    await asyncio.wait_for(stopping, 60)
    assert stack.parts[-1].child.ending() == "signal SIGKILL"
    async with Stack(state, ports, screen()[0], lambda *_: []) as again:
        assert again.login is None


def test_addresses_are_never_broken_over_lines() -> None:
    """They can be copied and clicked on a narrow terminal; brackets in them are no markup."""
    shown = io.StringIO()
    url = "http://127.0.0.1:8300/" + "a" * 200 + "/[red]"
    show_welcome(Console(file=shown, width=40, force_terminal=False), "Deskhand runs.", {"Dashboard": url})
    assert url in shown.getvalue()


def test_a_terminal_shows_steps_with_a_tick() -> None:
    """A person sees that something goes on, and when it is done."""
    shown = io.StringIO()
    live = LiveDisplay(Console(file=shown, force_terminal=True, width=80))
    with live.progress, live.step("Postgres"):
        assert not live.progress.finished
    assert live.progress.finished
    assert "✓" in shown.getvalue() and "Postgres" in shown.getvalue()
