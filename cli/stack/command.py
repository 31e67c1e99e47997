"""`deskhand run`: the embedded stack in the foreground until Ctrl-C."""

import asyncio
import signal
from typing import Annotated

import typer
from rich.console import Console

from cli.stack.display import PlainDisplay, display_for, show_welcome
from cli.stack.ports import load_ports
from cli.stack.run import Stack
from cli.stack.state import default_state

app = typer.Typer(help="Start everything on this machine and keep it running until Ctrl-C.")


@app.command()
def run(
    exit_when_ready: Annotated[bool, typer.Option("--exit-when-ready", help="Stop once everything is up.")] = False,
) -> None:
    """Start everything on this machine and keep it running until Ctrl-C; data stays for the next start."""
    console = Console(highlight=False, soft_wrap=True)
    asyncio.run(_run(console, exit_when_ready))


async def _run(console: Console, exit_when_ready: bool) -> None:
    state = default_state()
    stack = Stack(state, load_ports(state.env_file), PlainDisplay(console))
    stop = _stop_on_signals(stack)
    work = asyncio.create_task(_work(stack, console, exit_when_ready))
    await asyncio.wait({work, asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
    work.cancel()
    try:
        await work
    except asyncio.CancelledError:
        console.print("Stopped. `make run` goes on where this ended.")


async def _work(stack: Stack, console: Console, exit_when_ready: bool) -> None:
    with display_for(console) as stack.display:
        await stack.start()
    show_welcome(console, "Deskhand runs. Ctrl-C stops it.", stack.facts())
    try:
        if not exit_when_ready:
            await stack.supervise()
    finally:
        await stack.stop()


def _stop_on_signals(stack: Stack) -> asyncio.Event:
    """An event that the first Ctrl-C, SIGTERM or hang-up sets; a second one ends every part at once."""
    stop = asyncio.Event()

    def heard() -> None:
        if stop.is_set():
            stack.hurry()
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, heard)
    return stop
